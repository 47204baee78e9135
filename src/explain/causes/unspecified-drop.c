/* SPDX-License-Identifier: BSD-2-Clause */
#include "explain/loss.h"

static void run(const struct zh_cause *cause, struct zh_explain *ex)
{
	zh_loss_report(ex, cause);
}

const struct zh_cause zh_cause_unspecified_drop = {
	.rule =
		{
			.id = "unspecified-drop",
			.code = "D10",
			.title = "Loss without a known reason",
			.summary = "Probes were lost and nothing tells where.",
			.why = "The kernel frees some packets without saying why, and a reply "
			       "can miss its timeout when a machine stands still.",
			.evidence = "No drop event of our packets with a known reason, no error "
				    "of send and no counter that moved.",
			.verify = "Loss stops.",
			.cure = "Repeat with tracing of packets as root; compare with the clean "
				"room.",
			.cost = "None known.",
			.needs = (const char *const[]){"trace.packets", NULL},
		},
	.run = run,
};
