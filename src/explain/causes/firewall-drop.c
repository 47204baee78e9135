/* SPDX-License-Identifier: BSD-2-Clause */
#include "explain/loss.h"

static void run(const struct zh_cause *cause, struct zh_explain *ex)
{
	zh_loss_report(ex, cause);
}

const struct zh_cause zh_cause_firewall_drop = {
	.rule =
		{
			.id = "firewall-drop",
			.code = "D4",
			.title = "Firewall drop",
			.summary = "A netfilter rule or policy dropped the probe's packet.",
			.why = "A drop in the output hook makes send fail with \"Operation not "
			       "permitted\"; in any other hook the packet just vanishes. "
			       "Typical on lo: invalid-state or policy drops ahead of the "
			       "accept for lo.",
			.evidence = "Drop reason NETFILTER_DROP of our own packet, EPERM of "
				    "send, or a dropping rule's counter that moved.",
			.verify = "The rule's counter stops moving for local traffic.",
			.cure = "Accept lo before any rule that can drop.",
			.cost = "Local traffic is no longer filtered by the rules behind.",
			.needs = (const char *const[]){"trace.packets", "nft.counter.*.pkts", NULL},
		},
	.run = run,
};
