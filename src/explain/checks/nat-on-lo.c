/* SPDX-License-Identifier: BSD-2-Clause */
#include "explain/checks/support.h"

#include <stdio.h>

#define RULES_SHOWN 6

/* Whether the fact is of a rule that translates addresses; *ret_id is its number in the list. */
static bool is_nat(const struct zh_fact *fact, int *ret_len, const char **ret_id)
{
	static const char *const nat[] = {"masquerade", "redirect", NULL};

	*ret_id = fact->key + strlen("nft.notable.");
	*ret_len = (int)strcspn(*ret_id, ".");
	return fact->type == ZH_FACT_STRING && zh_check_one_of(fact->text, nat);
}

/* All rules make one finding: they have one cure. */
static void run(const struct zh_check *check, struct zh_explain *ex)
{
	const struct zh_fact_set *facts = zh_explain_facts(ex);
	const struct zh_fact *fact, *first = NULL;
	struct zh_finding *finding;
	uint64_t n = 0, hits = 0, more;
	const char *id;
	char rules[96];
	size_t pos = 0;
	int len;

	while ((fact = zh_fact_next(facts, "nft.notable.*.what", &pos))) {
		if (!is_nat(fact, &len, &id))
			continue;
		first = first ? first : fact;
		n++;
		more = 0;
		zh_explain_delta(ex, &more, "nft.notable.%.*s.pkts", len, id);
		hits += more;
	}
	if (!n)
		return;
	is_nat(first, &len, &id);
	if (n == 1)
		snprintf(rules, sizeof(rules), "A %s rule", first->text);
	else
		snprintf(rules, sizeof(rules), "%llu rules, the first a %s",
			(unsigned long long)n, first->text);
	finding = zh_finding_add(ex, &check->rule, hits ? ZH_SEVERITY_LOW : ZH_SEVERITY_INFO,
		ZH_CONFIDENCE_MEDIUM,
		"%s in %s can translate loopback traffic (%llu packets in %.1f s)", rules,
		zh_check_text(ex, "nft.notable.%.*s.chain", len, id), (unsigned long long)hits,
		zh_check_window_s(ex));
	for (pos = 0, n = 0; (fact = zh_fact_next(facts, "nft.notable.*.what", &pos));)
		if (is_nat(fact, &len, &id) && n++ < RULES_SHOWN)
			zh_finding_evidence(finding, "rule: %s in %s",
				zh_check_text(ex, "nft.notable.%.*s.text", len, id),
				zh_check_text(ex, "nft.notable.%.*s.chain", len, id));
	zh_check_add_loss(ex, finding);
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
			.way = ZH_WAY_SHOWN | ZH_WAY_LO_ONLY,
		},
	.run = run,
};
