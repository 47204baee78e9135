/* SPDX-License-Identifier: BSD-2-Clause */
#include "lab/internal.h"
#include "lab/tune.h"

/*
 * Bursts that are longer than the backlog, at a mean rate that the CPU could do many times over.
 * The control has the same mean rate in bursts that fit.
 */
static int inject(struct zh_lab_run *run, struct zh_err *err)
{
	run->load.burst = (uint32_t)(run->control ? run->param[2] : run->param[0]);
	run->load.rate = run->param[1];
	return lab_steer_to(run, run->cpu, err);
}

static const struct zh_fault_watched watched = {
	.device = "zh-server",
	.load = {.protocol = ZH_LOAD_UDP, .engine = ZH_LOAD_XDP, .size_bytes = 64, .flows = 64},
};

const struct zh_fault zh_fault_rx_burst = {
	.id = "rx-burst",
	.summary = "bursts overflow the backlog of a CPU that is mostly idle",
	.expects = "backlog-burst",
	.topology = &zh_topology_routed,
	.watched = &watched,
	.gap_ns = 10 * ZH_NSEC_PER_MSEC,
	.timeout_ns = 200 * ZH_NSEC_PER_MSEC,
	.count = 200,
	.params = {{"burst_packets", 6000, 12000}, {"mean_pps", 60000, 150000},
		{"burst_that_fits", 50, 200}},
	.inject = inject,
	.remove = lab_steer_undo,
};
