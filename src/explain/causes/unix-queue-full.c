/* SPDX-License-Identifier: BSD-2-Clause */
#include "explain/loss.h"

static void run(const struct zh_cause *cause, struct zh_explain *ex)
{
	zh_loss_report(ex, cause);
}

const struct zh_cause zh_cause_unix_queue_full = {
	.rule =
		{
			.id = "unix-queue-full",
			.code = "D9",
			.title = "Unix socket queue full",
			.summary = "The Unix socket's queue was full and send would have "
				   "blocked.",
			.why = "A datagram socket takes net.unix.max_dgram_qlen messages (10 on "
			       "many systems), fixed when it is made; a stream socket what its "
			       "send buffer holds. A slow reader makes send fail or block.",
			.evidence = "EAGAIN of send on a Unix socket, or drop reason UNIX_*.",
			.verify = "send no longer fails.",
			.cure = "Read faster; raise net.unix.max_dgram_qlen before the reader "
				"starts.",
			.cost = "Memory.",
			.needs = (const char *const[]){"sysctl.net/unix/max_dgram_qlen", NULL},
		},
	.run = run,
};
