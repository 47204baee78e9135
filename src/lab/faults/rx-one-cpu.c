/* SPDX-License-Identifier: BSD-2-Clause */
#include "lab/internal.h"
#include "lab/tune.h"

/*
 * Everything that the host receives is steered to one CPU, and many flows bring more than it can
 * do: frames are injected, since a sender that pays for its packets would be slowed down instead.
 * The control gets a trickle by the same way.
 */
static int inject(struct zh_lab_run *run, struct zh_err *err)
{
	int r = lab_steer_to(run, run->cpu, err);

	run->load.flows = (uint32_t)run->param[0];
	run->load.rate = run->control ? run->param[2] : 0;
	if (r == 0)
		r = lab_add_rules(run->ns.host_netns_fd, (unsigned int)run->param[1], err);
	return r;
}

static void undo(struct zh_lab_run *run)
{
	lab_steer_undo(run);
	lab_host_nft_undo(run, "inet");
}

static const struct zh_fault_watched watched = {
	.device = "zh-server",
	.load = {.protocol = ZH_LOAD_UDP, .engine = ZH_LOAD_XDP, .size_bytes = 64},
};

const struct zh_fault zh_fault_rx_one_cpu = {
	.id = "rx-one-cpu",
	.summary = "one CPU does all receive work, and gets more than it can do",
	.expects = "rx-cpu-saturated",
	.topology = &zh_topology_routed,
	.watched = &watched,
	.gap_ns = 10 * ZH_NSEC_PER_MSEC,
	.timeout_ns = 200 * ZH_NSEC_PER_MSEC,
	.count = 200,
	.params = {{"flows", 8, 128}, {"rules", 0, 300}, {"trickle_pps", 2000, 10000}},
	.inject = inject,
	.remove = undo,
};
