/* SPDX-License-Identifier: BSD-2-Clause */
#include "lab/internal.h"
#include "lab/tune.h"

/*
 * Receive work is steered to one CPU, which a real-time program keeps for long stretches, while
 * another one is free. Softirqs interrupt the program, but the bursts are more than one softirq
 * takes (ten rounds of 64), and what is left to ksoftirqd waits for the program's pauses. (Ordinary
 * programs hardly hurt: ksoftirqd gets its turn.) The rate is low, so that the other CPU, which
 * sends and diagnoses, has time left. The control's program sleeps.
 */
static int inject(struct zh_lab_run *run, struct zh_err *err)
{
	const struct lab_hog hog = {.cpu = run->cpu,
		.on_ns = run->control ? 0 : run->param[2],
		.off_ns = 2 * ZH_NSEC_PER_MSEC,
		.real_time = true};
	int r = lab_steer_to(run, run->cpu, err);

	run->load.burst = (uint32_t)run->param[0];
	run->load.rate = run->param[1];
	return r < 0 ? r : lab_hog_start(run, &hog, err);
}

static const struct zh_fault_watched watched = {
	.device = "zh-server",
	.load = {.protocol = ZH_LOAD_UDP, .engine = ZH_LOAD_XDP, .size_bytes = 64, .flows = 64},
};

const struct zh_fault zh_fault_rps_busy_cpu = {
	.id = "rps-busy-cpu",
	.summary = "RPS steers receive work to a CPU that a program keeps busy",
	.expects = "rps-busy-cpu",
	.topology = &zh_topology_routed,
	.watched = &watched,
	.gap_ns = 10 * ZH_NSEC_PER_MSEC,
	.timeout_ns = 200 * ZH_NSEC_PER_MSEC,
	.count = 200,
	.params = {{"burst_packets", 600, 900}, {"mean_pps", 40000, 80000},
		{"busy_ns", 20 * ZH_NSEC_PER_MSEC, 60 * ZH_NSEC_PER_MSEC}},
	.inject = inject,
	.remove = lab_steer_undo,
};
