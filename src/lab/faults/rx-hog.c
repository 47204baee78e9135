/* SPDX-License-Identifier: BSD-2-Clause */
#include "lab/internal.h"
#include "lab/tune.h"

/*
 * A real-time program keeps a CPU for long stretches. Softirqs interrupt it, but what they leave to
 * ksoftirqd waits for its pauses. The work is spread over all CPUs, so steering is not to blame.
 * The control's program sleeps.
 */
static int inject(struct zh_lab_run *run, struct zh_err *err)
{
	const struct lab_hog hog = {.cpu = run->cpu,
		.on_ns = run->control ? 0 : run->param[1],
		.off_ns = 2 * ZH_NSEC_PER_MSEC,
		.real_time = true};
	int r = lab_steer_all(run, err);

	run->load.burst = (uint32_t)run->param[0];
	run->load.rate = run->param[2];
	return r < 0 ? r : lab_hog_start(run, &hog, err);
}

static const struct zh_fault_watched watched = {
	.device = "zh-server",
	.load = {.protocol = ZH_LOAD_UDP, .engine = ZH_LOAD_XDP, .size_bytes = 64, .flows = 64},
};

const struct zh_fault zh_fault_rx_hog = {
	.id = "rx-hog",
	.summary = "ksoftirqd does not get its CPU, which a real-time program keeps",
	.expects = "ksoftirqd-wait",
	.topology = &zh_topology_routed,
	.watched = &watched,
	.gap_ns = 10 * ZH_NSEC_PER_MSEC,
	.timeout_ns = 200 * ZH_NSEC_PER_MSEC,
	.count = 200,
	.params = {{"burst_packets", 1200, 1800},
		{"busy_ns", 20 * ZH_NSEC_PER_MSEC, 60 * ZH_NSEC_PER_MSEC},
		{"mean_pps", 150000, 250000}},
	.inject = inject,
	.remove = lab_steer_undo,
};
