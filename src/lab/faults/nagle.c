/* SPDX-License-Identifier: BSD-2-Clause */
#include "lab/internal.h"

/* Two small writes a message: the second waits for the acknowledgement of the first, which the
 * peer delays. The control writes the same way with TCP_NODELAY. */
static int inject(struct zh_lab_run *run, struct zh_err *err)
{
	(void)err;
	run->nodelay = run->control;
	return 0;
}

/* The same timer, told by DelayedACKs and the 40 ms mode. */
static const char *const accepts[] = {"delayed-ack", NULL};

const struct zh_fault zh_fault_nagle = {
	.id = "nagle",
	.summary = "two small writes a message, without TCP_NODELAY",
	.expects = "tcp-delayed-ack",
	.accepts = accepts,
	.topology = &zh_topology_lo,
	.target = "tcp:127.0.0.1",
	.gap_ns = 60 * ZH_NSEC_PER_MSEC,
	.timeout_ns = ZH_NSEC_PER_SEC,
	.count = 40,
	.split_writes = true,
	.inject = inject,
};
