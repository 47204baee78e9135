/* SPDX-License-Identifier: BSD-2-Clause */
#include "lab/internal.h"
#include "lab/tune.h"

/*
 * The receiver's socket holds less than one burst. The control's holds plenty.
 */
static int inject(struct zh_lab_run *run, struct zh_err *err)
{
	(void)err;
	run->load.rcvbuf_bytes = run->control ? 0 : (uint32_t)run->param[0];
	run->load.burst = (uint32_t)run->param[1];
	run->load.rate = run->param[2];
	return 0;
}

static const struct zh_fault_watched watched = {
	.device = "zh-server",
	.load = {.protocol = ZH_LOAD_UDP, .engine = ZH_LOAD_SOCKET, .size_bytes = 64, .flows = 16},
};

const struct zh_fault zh_fault_reader_slow = {
	.id = "reader-slow",
	.summary = "the socket buffer behind the watched device is too small for the bursts",
	.expects = "receiver-overflow",
	.topology = &zh_topology_routed,
	.watched = &watched,
	.gap_ns = 10 * ZH_NSEC_PER_MSEC,
	.timeout_ns = 200 * ZH_NSEC_PER_MSEC,
	.count = 200,
	.params = {{"rcvbuf_bytes", 4096, 24576}, {"burst_packets", 128, 512},
		{"mean_pps", 5000, 40000}},
	.inject = inject,
};
