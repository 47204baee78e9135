/* SPDX-License-Identifier: BSD-2-Clause */
#include <inttypes.h>

#include "explain/claims.h"

static void run(const struct zh_cause *cause, struct zh_explain *ex)
{
	struct zh_claims claims;
	struct zh_finding *finding;
	uint64_t steered;

	finding = zh_cause_report(ex, cause, ZH_POLICY_FAULT, ZH_CONFIDENCE_HIGH, &claims);
	if (!finding)
		return;
	if (claims.culprits[0].piece.cpu != ZH_CPU_NONE)
		zh_finding_evidence(
			finding, "most packets were moved to CPU %u", claims.culprits[0].piece.cpu);
	if (zh_explain_delta_sum(ex, "softnet.cpu.*.received_rps", &steered))
		zh_finding_evidence(
			finding, "CPUs were called for steered packets %" PRIu64 " times", steered);
}

const struct zh_cause zh_cause_rps_hop = {
	.rule =
		{
			.id = "rps-hop",
			.code = "L9",
			.title = "Hop to another CPU",
			.summary = "Receive packet steering moved the packet to another CPU, "
				   "which had to be woken for it.",
			.why = "RPS and RFS put a packet into another CPU's backlog and send "
			       "that CPU an interrupt. On a local path the sender could have "
			       "received the packet at once: the hop adds an interrupt and "
			       "often an idle exit, 30 us to far more in a virtual machine.",
			.evidence = "netif_rx and netif_receive_skb fired on different CPUs, "
				    "and the time between was not spent on other packets.",
			.verify = "netif_rx and netif_receive_skb fire on one CPU again; "
				  "received_rps stops moving.",
			.cure = "Clear rps_cpus of the local device.",
			.cost = "A single CPU then receives all packets of a sender.",
			.needs = (const char *const[]){"trace.packets",
				"softnet.cpu.*.received_rps", NULL},
		},
	.run = run,
};
