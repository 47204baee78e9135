/* SPDX-License-Identifier: BSD-2-Clause */
#include <inttypes.h>

#include "explain/claims.h"

static void run(const struct zh_cause *cause, struct zh_explain *ex)
{
	static const char *const hooks[] = {"output", "postrouting", "prerouting", "input"};
	struct zh_claims claims;
	struct zh_finding *finding;
	uint64_t rules;
	size_t i;

	finding = zh_cause_report(ex, cause, ZH_POLICY_FAULT, ZH_CONFIDENCE_HIGH, &claims);
	if (!finding)
		return;
	if (2 * claims.stage_ns[ZH_STAGE_NETFILTER] < claims.ns) {
		finding->confidence = ZH_CONFIDENCE_MEDIUM;
		zh_finding_evidence(finding, "hook functions were not bracketed: time of the send "
					     "and protocol stages, which contain them");
	}
	for (i = 0; i < sizeof(hooks) / sizeof(hooks[0]); i++)
		if (zh_explain_number(ex, &rules, "nft.hook.%s.rules", hooks[i]) && rules)
			zh_finding_evidence(finding, "%" PRIu64 " rules are reached from hook %s",
				rules, hooks[i]);
}

const struct zh_cause zh_cause_netfilter_rules = {
	.rule =
		{
			.id = "netfilter-rules",
			.code = "L2",
			.title = "Netfilter rules",
			.summary = "Walking firewall rules took a noticeable part of the round "
				   "trip.",
			.why = "Every packet walks the chains of each hook it passes, on "
			       "loopback twice: output and post-routing, then pre-routing and "
			       "input. A linear list costs a few nanoseconds a rule; twenty "
			       "thousand rules cost a tenth of a millisecond a hook, for every "
			       "packet.",
			.evidence =
				"Time between our own first and last program of a hook. "
				"Where those brackets cannot be attached: excess of the send or "
				"protocol stage while the hooks hold hundreds of rules (lower "
				"confidence). Rule out foreign BPF programs and interrupts, "
				"which are subtracted first.",
			.verify = "The netfilter stage falls below 5 us, and the difference to "
				  "the clean room vanishes.",
			.cure = "Accept loopback first, or replace linear lists by sets and "
				"maps.",
			.cost = "An early accept on lo skips later rules for local traffic, "
				"which was usually meant.",
			.needs = (const char *const[]){"trace.packets", "nft.hook.*.rules", NULL},
		},
	.run = run,
};
