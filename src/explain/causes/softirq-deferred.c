/* SPDX-License-Identifier: BSD-2-Clause */
#include "explain/claims.h"

static void run(const struct zh_cause *cause, struct zh_explain *ex)
{
	struct zh_claims claims;
	struct zh_finding *finding;

	finding = zh_cause_report(ex, cause, ZH_POLICY_SHARED, ZH_CONFIDENCE_HIGH, &claims);
	if (!finding)
		return;
	zh_claims_name_culprits(finding, &claims, "ran", 4);
}

const struct zh_cause zh_cause_softirq_deferred = {
	.rule =
		{
			.id = "softirq-deferred",
			.code = "L6",
			.title = "Softirq deferred to ksoftirqd",
			.summary = "The softirq that receives the packet was left to ksoftirqd, "
				   "which had to wait for its CPU.",
			.why = "When softirqs repeat too often the kernel hands them to the "
			       "thread ksoftirqd, an ordinary task. It then competes with all "
			       "other tasks of the CPU, and every packet waits for its turn.",
			.evidence = "ksoftirqd was woken or switched to between netif_rx and "
				    "netif_receive_skb; the tasks named here ran first.",
			.verify = "The backlog stage falls to a few microseconds; ksoftirqd's "
				  "wait time stops growing.",
			.cure = "Move or limit the tasks that keep ksoftirqd waiting, or spread "
				"the packets that cause the softirqs.",
			.cost = "Moved tasks lose their cache.",
			.needs = (const char *const[]){"trace.packets", "trace.recorder", NULL},
		},
	.run = run,
};
