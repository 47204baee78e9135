/* SPDX-License-Identifier: BSD-2-Clause */
#include <inttypes.h>

#include "explain/claims.h"

static void run(const struct zh_cause *cause, struct zh_explain *ex)
{
	struct zh_claims claims;
	struct zh_finding *finding;
	uint64_t moved;

	finding = zh_cause_report(ex, cause, ZH_POLICY_SHARED, ZH_CONFIDENCE_MEDIUM, &claims);
	if (!finding)
		return;
	zh_claims_name_culprits(finding, &claims, "had the CPU", 4);
	if (zh_explain_delta_sum(ex, "softnet.cpu.*.squeezed", &moved))
		zh_finding_evidence(finding, "time_squeeze moved by %" PRIu64, moved);
}

const struct zh_cause zh_cause_softirq_squeeze = {
	.rule =
		{
			.id = "softirq-squeeze",
			.code = "L5",
			.title = "Softirq budget used up",
			.summary = "NET_RX gave up with packets left, and the probe's packet "
				   "waited for its next turn.",
			.why = "One run of NET_RX may take at most netdev_budget packets or "
			       "netdev_budget_usecs. What is left waits for the next softirq, "
			       "often until ksoftirqd gets the CPU.",
			.evidence = "A NAPI poll that used its whole budget between netif_rx "
				    "and netif_receive_skb of the probe; time_squeeze in "
				    "softnet_stat moved.",
			.verify = "time_squeeze stops moving and the backlog stage falls.",
			.cure = "Raise net.core.netdev_budget_usecs, or spread the packets over "
				"CPUs.",
			.cost = "Longer softirq runs delay the tasks of that CPU.",
			.needs = (const char *const[]){"trace.packets", "softnet.cpu.*.squeezed",
				NULL},
		},
	.run = run,
};
