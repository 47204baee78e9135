/* SPDX-License-Identifier: BSD-2-Clause */
#include "lab/internal.h"

/* Several ordinary processes; each works and rests, so that their sum varies as real load does. */
static int inject(struct zh_lab_run *run, struct zh_err *err)
{
	const struct lab_hog hog = {
		.cpu = run->peer_cpu,
		.on_ns = run->control ? 0 : run->param[1],
		.off_ns = run->param[2],
	};
	int r = 0;

	for (uint64_t i = 0; r == 0 && i < run->param[0]; i++)
		r = lab_hog_start(run, &hog, err);
	return r;
}

const struct zh_fault zh_fault_fair_hog = {
	.id = "fair-hog",
	.summary = "ordinary processes compete for the responder's CPU",
	.expects = "run-queue-wait",
	.topology = &zh_topology_lo,
	.target = "udp:127.0.0.1",
	.gap_ns = 3 * ZH_NSEC_PER_MSEC,
	.timeout_ns = ZH_NSEC_PER_SEC,
	.count = 500,
	.params = {{"processes", 3, 5}, {"work_ns", 30 * ZH_NSEC_PER_MSEC, 60 * ZH_NSEC_PER_MSEC},
		{"rest_ns", 80 * ZH_NSEC_PER_MSEC, 160 * ZH_NSEC_PER_MSEC}},
	.inject = inject,
};
