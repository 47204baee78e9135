/* SPDX-License-Identifier: BSD-2-Clause */
#include "explain/loss.h"

static void run(const struct zh_cause *cause, struct zh_explain *ex)
{
	zh_loss_report(ex, cause);
}

const struct zh_cause zh_cause_accept_overflow = {
	.rule =
		{
			.id = "accept-overflow",
			.code = "D3",
			.title = "Accept queue overflow",
			.summary = "The listening socket's queue of finished connections was "
				   "full.",
			.why = "A listener that does not accept fast enough fills min(backlog, "
			       "somaxconn); further connection requests are dropped, and the "
			       "client repeats its SYN after 1, 3 and 7 seconds.",
			.evidence = "Drop reason TCP_LISTEN_OVERFLOW, or ListenOverflows that "
				    "moved.",
			.verify = "ListenOverflows stops moving.",
			.cure = "Accept faster; raise the backlog of listen() and "
				"net.core.somaxconn.",
			.cost = "Memory.",
			.needs = (const char *const[]){"netstat.TcpExt.ListenOverflows", NULL},
		},
	.run = run,
};
