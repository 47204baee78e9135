/* SPDX-License-Identifier: BSD-2-Clause */
#include <stdio.h>

#include "lab/internal.h"

/* The responder is a process of its own that is stopped (SIGSTOP) now and then: the packet is in
 * its socket in time, and nobody reads it. */
static int inject(struct zh_lab_run *run, struct zh_err *err)
{
	const struct lab_echo echo = {.netns_fd = run->ns.netns_fd, .cpu = run->peer_cpu};
	struct lab_hog stopper = {
		.cpu = -1, .on_ns = run->control ? 0 : run->param[0], .off_ns = run->param[1]};
	uint16_t port;
	int r = lab_echo_start(run, &echo, &port, err);

	if (r < 0)
		return r;
	snprintf(run->target, sizeof(run->target), "udp:127.0.0.1:%u", port);
	stopper.stop_pid = run->child[0];
	return lab_hog_start(run, &stopper, err);
}

const struct zh_fault zh_fault_slow_responder = {
	.id = "slow-responder",
	.summary = "the responding process stops now and then",
	.expects = "late-responder",
	.topology = &zh_topology_lo,
	.gap_ns = 4 * ZH_NSEC_PER_MSEC,
	.timeout_ns = ZH_NSEC_PER_SEC,
	.count = 350,
	.params = {{"stop_ns", 10 * ZH_NSEC_PER_MSEC, 60 * ZH_NSEC_PER_MSEC},
		{"go_ns", 100 * ZH_NSEC_PER_MSEC, 250 * ZH_NSEC_PER_MSEC}},
	.inject = inject,
};
