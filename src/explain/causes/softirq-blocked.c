/* SPDX-License-Identifier: BSD-2-Clause */
#include "explain/claims.h"

static void run(const struct zh_cause *cause, struct zh_explain *ex)
{
	struct zh_claims claims;
	struct zh_finding *finding;

	finding = zh_cause_report(ex, cause, ZH_POLICY_SHARED, ZH_CONFIDENCE_MEDIUM, &claims);
	if (!finding)
		return;
	zh_claims_name_culprits(finding, &claims, "ran", 4);
}

const struct zh_cause zh_cause_softirq_blocked = {
	.rule =
		{
			.id = "softirq-blocked",
			.code = "L7",
			.title = "Softirq blocked",
			.summary = "The packet waited for NET_RX while a task kept softirqs or "
				   "interrupts off.",
			.why = "A softirq runs as soon as its CPU leaves code with softirqs or "
			       "interrupts disabled. Long stretches of such code (large table "
			       "walks, statistics, drivers) hold up every packet of the CPU.",
			.evidence = "Time between netif_rx and netif_receive_skb with a task on "
				    "that CPU, no softirq and no ksoftirqd in between; the task is "
				    "named.",
			.verify = "The backlog stage falls once the task named is stopped or "
				  "moved.",
			.cure = "Move the task named to another CPU, or find what it does in "
				"the kernel.",
			.cost = "None known.",
			.needs = (const char *const[]){"trace.packets", "trace.recorder", NULL},
		},
	.run = run,
};
