/* SPDX-License-Identifier: BSD-2-Clause */
#include "explain/loss.h"

static void run(const struct zh_cause *cause, struct zh_explain *ex)
{
	zh_loss_report(ex, cause);
}

const struct zh_cause zh_cause_qdisc_drop = {
	.rule =
		{
			.id = "qdisc-drop",
			.code = "D5",
			.title = "Queue discipline drop",
			.summary = "A queue discipline dropped the probe's packet.",
			.why = "Shapers and fair queues drop when their limit is reached. send "
			       "may report \"No buffer space available\".",
			.evidence = "Drop reason QDISC_* or FQ_*, ENOBUFS of send, or the "
				    "qdisc's drop counter that moved.",
			.verify = "The qdisc's drops stop.",
			.cure = "Remove a leftover queue discipline from the local device, or "
				"raise its limit.",
			.cost = "More delay in a longer queue.",
			.needs = (const char *const[]){"trace.packets", "qdisc.*.*.drops_pkts",
				NULL},
		},
	.run = run,
};
