/* SPDX-License-Identifier: BSD-2-Clause */
#include "lab/internal.h"
#include "lab/tune.h"

/* As rx-one-cpu, but one flow brings it all: steering has nothing to spread. */
static int inject(struct zh_lab_run *run, struct zh_err *err)
{
	int r = lab_steer_to(run, run->cpu, err);

	run->load.rate = run->control ? run->param[1] : 0;
	if (r == 0)
		r = lab_add_rules(run->ns.host_netns_fd, (unsigned int)run->param[0], err);
	return r;
}

static void undo(struct zh_lab_run *run)
{
	lab_steer_undo(run);
	lab_host_nft_undo(run, "inet");
}

static const struct zh_fault_watched watched = {
	.device = "zh-server",
	.load = {.protocol = ZH_LOAD_UDP, .engine = ZH_LOAD_XDP, .size_bytes = 64, .flows = 1},
};

const struct zh_fault zh_fault_rx_one_flow = {
	.id = "rx-one-flow",
	.summary = "one flow brings more than the CPU can do that it is steered to",
	.expects = "rx-one-flow",
	.topology = &zh_topology_routed,
	.watched = &watched,
	.gap_ns = 10 * ZH_NSEC_PER_MSEC,
	.timeout_ns = 200 * ZH_NSEC_PER_MSEC,
	.count = 200,
	.params = {{"rules", 0, 300}, {"trickle_pps", 2000, 10000}},
	.inject = inject,
	.remove = undo,
};
