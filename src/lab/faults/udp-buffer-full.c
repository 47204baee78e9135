/* SPDX-License-Identifier: BSD-2-Clause */
#include <stdio.h>

#include "lab/internal.h"

#define TINY_BUFFER_BYTES 2304 /* the kernel's minimum: a few datagrams */

/*
 * The responder has a tiny receive buffer, naps after each answer, and somebody else fills its
 * socket. The control has the default buffer, no nap and single datagrams.
 */
static int inject(struct zh_lab_run *run, struct zh_err *err)
{
	const struct lab_echo echo = {.netns_fd = run->ns.netns_fd,
		.cpu = run->peer_cpu,
		.rcvbuf_bytes = run->control ? 0 : TINY_BUFFER_BYTES,
		.delay_ns = run->control ? 0 : run->param[0]};
	struct lab_flood flood = {.netns_fd = run->ns.netns_fd,
		.sink_netns_fd = -1,
		.cpu = run->cpu,
		.burst = run->control ? 1 : (uint32_t)run->param[1],
		.size_bytes = 200,
		.pause_ns = run->param[2]};
	int r = lab_echo_start(run, &echo, &flood.port, err);

	if (r < 0)
		return r;
	snprintf(run->target, sizeof(run->target), "udp:127.0.0.1:%u", flood.port);
	return lab_flood_start(run, &flood, err);
}

/* The same drops, told by RcvbufErrors. */
static const char *const accepts[] = {"udp-rcvbuf", NULL};

const struct zh_fault zh_fault_udp_buffer_full = {
	.id = "udp-buffer-full",
	.summary = "the responder's receive buffer is full",
	.expects = "socket-buffer-full",
	.accepts = accepts,
	.topology = &zh_topology_lo,
	.gap_ns = 4 * ZH_NSEC_PER_MSEC,
	.timeout_ns = 200 * ZH_NSEC_PER_MSEC,
	.count = 300,
	.params = {{"nap_ns", 500 * ZH_NSEC_PER_USEC, 2 * ZH_NSEC_PER_MSEC},
		{"burst_datagrams", 8, 24},
		{"pause_ns", 5 * ZH_NSEC_PER_MSEC, 15 * ZH_NSEC_PER_MSEC}},
	.inject = inject,
};
