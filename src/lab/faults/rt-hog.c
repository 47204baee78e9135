/* SPDX-License-Identifier: BSD-2-Clause */
#include "lab/internal.h"

/* Bursts longer than a few gaps, and a quiet time in which the usual RTT shows. */
static int inject(struct zh_lab_run *run, struct zh_err *err)
{
	const struct lab_hog hog = {
		.cpu = run->peer_cpu,
		.on_ns = run->control ? 0 : run->param[0],
		.off_ns = run->param[1],
		.real_time = !run->control,
	};

	return lab_hog_start(run, &hog, err);
}

const struct zh_fault zh_fault_rt_hog = {
	.id = "rt-hog",
	.summary = "a SCHED_FIFO process takes the responder's CPU in bursts",
	.expects = "run-queue-wait",
	.topology = &zh_topology_lo,
	.target = "udp:127.0.0.1",
	.gap_ns = 3 * ZH_NSEC_PER_MSEC,
	.timeout_ns = ZH_NSEC_PER_SEC,
	.count = 400,
	.params = {{"burst_ns", 4 * ZH_NSEC_PER_MSEC, 20 * ZH_NSEC_PER_MSEC},
		{"pause_ns", 60 * ZH_NSEC_PER_MSEC, 120 * ZH_NSEC_PER_MSEC}},
	.inject = inject,
};
