/* SPDX-License-Identifier: BSD-2-Clause */
#include <inttypes.h>

#include "explain/claims.h"

static void run(const struct zh_cause *cause, struct zh_explain *ex)
{
	struct zh_claims claims;
	struct zh_finding *finding;
	uint64_t moved;

	finding = zh_cause_report(ex, cause, ZH_POLICY_SHARED, ZH_CONFIDENCE_HIGH, &claims);
	if (!finding)
		return;
	zh_claims_name_culprits(finding, &claims, "had the CPU", 4);
	if (zh_explain_delta_sum(ex, "softnet.cpu.*.processed_pkts", &moved))
		zh_finding_evidence(
			finding, "packets taken from all backlogs meanwhile: %" PRIu64, moved);
}

const struct zh_cause zh_cause_queue_ahead = {
	.rule =
		{
			.id = "queue-ahead",
			.code = "L4",
			.title = "Backlog queue ahead",
			.summary = "The probe's packet waited in a CPU's backlog behind other "
				   "packets.",
			.why = "All loopback and veth packets that one CPU receives pass one "
			       "queue, and NET_RX takes them in order. With many packets "
			       "ahead, a packet waits for all of them.",
			.evidence = "Time between netif_rx and netif_receive_skb during which "
				    "that CPU was in NET_RX softirq, above what an empty queue "
				    "costs. Rule out that the softirq had not started "
				    "(softirq-deferred, softirq-blocked).",
			.verify = "The backlog stage falls to a few microseconds; packets "
				  "processed per second on that CPU fall or spread.",
			.cure = "Spread the load: more queues or RPS for the busy device, or "
				"another CPU for the busy sender.",
			.cost = "Steering adds a hop to another CPU for each steered packet.",
			.needs = (const char *const[]){"trace.packets",
				"softnet.cpu.*.processed_pkts", NULL},
		},
	.run = run,
};
