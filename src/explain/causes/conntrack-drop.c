/* SPDX-License-Identifier: BSD-2-Clause */
#include "explain/loss.h"

static void run(const struct zh_cause *cause, struct zh_explain *ex)
{
	zh_loss_report(ex, cause);
}

const struct zh_cause zh_cause_conntrack_drop = {
	.rule =
		{
			.id = "conntrack-drop",
			.code = "D8",
			.title = "Connection tracking drop",
			.summary = "Connection tracking dropped the probe's packet.",
			.why = "A full table, a failed insertion or a packet judged invalid: "
			       "new flows vanish while old ones live.",
			.evidence = "Drop reason NETFILTER_DROP, or a loss without event, while "
				    "conntrack's drop or insert_failed moved.",
			.verify = "Its drop statistics stop moving.",
			.cure = "Do not track lo (notrack), raise nf_conntrack_max, or shorten "
				"timeouts.",
			.cost = "Memory; untracked flows match no state rules.",
			.needs = (const char *const[]){"conntrack.stat.drop",
				"conntrack.stat.insert_failed", NULL},
		},
	.run = run,
};
