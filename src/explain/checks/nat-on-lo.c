/* SPDX-License-Identifier: BSD-2-Clause */
#include "explain/checks/support.h"

static void run(const struct zh_check *check, struct zh_explain *ex)
{
	static const char *const nat[] = {"masquerade", "redirect", NULL};
	const struct zh_fact_set *facts = zh_explain_facts(ex);
	const struct zh_fact *fact;
	size_t pos = 0;

	while ((fact = zh_fact_next(facts, "nft.notable.*.what", &pos))) {
		const char *id = fact->key + strlen("nft.notable.");
		int len = (int)strcspn(id, ".");
		struct zh_finding *finding;
		uint64_t hits = 0;

		if (fact->type != ZH_FACT_STRING || !zh_check_one_of(fact->text, nat))
			continue;
		zh_explain_delta(ex, &hits, "nft.notable.%.*s.pkts", len, id);
		finding = zh_finding_add(ex, &check->rule,
			hits ? ZH_SEVERITY_LOW : ZH_SEVERITY_INFO, ZH_CONFIDENCE_MEDIUM,
			"A %s rule in %s can translate loopback traffic (%llu packets in %.1f s)",
			fact->text, zh_check_text(ex, "nft.notable.%.*s.chain", len, id),
			(unsigned long long)hits, zh_check_window_s(ex));
		zh_finding_evidence(
			finding, "rule: %s", zh_check_text(ex, "nft.notable.%.*s.text", len, id));
		zh_check_add_loss(ex, finding);
	}
}

const struct zh_check zh_check_nat_on_lo = {
	.rule =
		{
			.id = "nat-on-lo",
			.code = "C5",
			.title = "Address translation acts on loopback",
			.summary = "A redirect, dnat or masquerade rule can match traffic on lo.",
			.why = "A sidecar's redirect of `oif lo` sends local connections to a proxy: "
			       "they take its time, or loop when it has no listener for them. "
			       "Masquerade on lo changes the source address that local services see "
			       "and adds a conntrack entry to every flow.",
			.evidence = "nat rules that do not exclude 127/8 and lo; growth of their "
				    "counters, which count the first packet of each flow only.",
			.verify = "`conntrack -L` (or `nft list ruleset` counters) shows no "
				  "translated flow of the probe.",
			.cure = "Exclude loopback: `oif lo return` or `ip daddr 127.0.0.0/8 return` "
				"ahead of the rule.",
			.cost = "The proxy no longer sees traffic of this pod to itself.",
			.needs = ZH_LIST("nft.notable.*.what", "nft.notable.*.chain",
				"nft.notable.*.text", "nft.notable.*.pkts"),
		},
	.run = run,
};
