/* SPDX-License-Identifier: BSD-2-Clause */
#include "explain/checks/support.h"

#include <stdio.h>

#define PATTERN "nft.notable.*.what"

struct rule {
	char id[128];
	const char *what, *text, *chain;
	bool has_counter;
	uint64_t hits;
};

/* Fills in a rule that can drop or reject loopback traffic; false for others. */
static bool read_rule(const struct zh_explain *ex, const struct zh_fact *fact, struct rule *ret)
{
	static const char *const drops[] = {"drop", "reject", "policy-drop", NULL};
	const char *hook;
	struct rule rule = {};

	if (fact->type != ZH_FACT_STRING || !zh_check_one_of(fact->text, drops))
		return false;
	snprintf(rule.id, sizeof(rule.id), "%.*s", (int)strcspn(fact->key + 12, "."),
		fact->key + 12);
	hook = zh_check_text(ex, "nft.notable.%s.hook", rule.id);
	if (strcmp(hook, "forward") == 0)
		return false;
	rule.what = fact->text;
	rule.text = zh_check_text(ex, "nft.notable.%s.text", rule.id);
	rule.chain = zh_check_text(ex, "nft.notable.%s.chain", rule.id);
	rule.has_counter = zh_explain_delta(ex, &rule.hits, "nft.notable.%s.pkts", rule.id);
	*ret = rule;
	return true;
}

static void judge(const struct zh_check *check, struct zh_explain *ex, const struct rule *rule)
{
	uint64_t lost = zh_explain_lost(ex);
	/* Without a counter only loss of a size that a rule makes speaks against it. */
	bool hit = lost && (rule->has_counter ? rule->hits > 0 : lost * 10 >= zh_explain_sent(ex));
	enum zh_severity severity =
		strcmp(rule->what, "policy-drop") == 0 ? ZH_SEVERITY_LOW : ZH_SEVERITY_INFO;
	struct zh_finding *finding;

	if (hit)
		severity = ZH_SEVERITY_WARNING;
	else if (rule->has_counter && rule->hits)
		severity = ZH_SEVERITY_LOW;
	finding = zh_finding_add(ex, &check->rule, severity,
		rule->has_counter ? ZH_CONFIDENCE_HIGH : ZH_CONFIDENCE_LOW,
		"A %s in chain %s can act on loopback traffic (%llu packets met it meanwhile%s)",
		rule->what, rule->chain, (unsigned long long)rule->hits,
		rule->has_counter ? "" : ": it has no counter");
	zh_finding_evidence(finding, "nft %s: %s", rule->chain, rule->text);
	if (rule->has_counter)
		zh_finding_evidence(finding, "its counter grew by %llu packets in %.1f s",
			(unsigned long long)rule->hits, zh_check_window_s(ex));
	zh_check_add_loss(ex, finding);
}

static void run(const struct zh_check *check, struct zh_explain *ex)
{
	const struct zh_fact_set *facts = zh_explain_facts(ex);
	const struct zh_fact *fact;
	struct rule rule;
	size_t pos = 0;
	unsigned int n = 0, rest = 0;

	while ((fact = zh_fact_next(facts, PATTERN, &pos))) {
		if (!read_rule(ex, fact, &rule))
			continue;
		/* A rule that met packets is always told; of the others the first three. */
		if (rule.hits || n < 3)
			judge(check, ex, &rule);
		else
			rest++;
		n++;
	}
	if (rest)
		zh_finding_add(ex, &check->rule, ZH_SEVERITY_INFO, ZH_CONFIDENCE_LOW,
			"%u more drop or reject rules can act on loopback traffic", rest);
}

const struct zh_check zh_check_firewall_on_lo = {
	.rule =
		{
			.id = "firewall-on-lo",
			.code = "C5",
			.title = "The firewall acts on loopback",
			.summary =
				"A drop or reject rule, or a chain with policy drop, comes before "
				"any rule that accepts lo.",
			.why = "Packets on lo pass output, postrouting, prerouting and input like "
			       "all others. A filter that does not accept `iif lo` first can drop "
			       "them: by a rule meant for the outside, by a policy, or by a REJECT "
			       "for 127.0.0.1 that a start script appended.",
			.evidence =
				"Rules of the nf_tables ruleset (iptables-nft included) in "
				"hooks other than forward that can match lo and stand before an "
				"accept of lo; growth of the rule's counter in the window; lost "
				"probes. Without a counter only the position is evidence: add "
				"`counter` to be sure. Legacy iptables tables are not listed.",
			.verify =
				"The probe is answered and the rule's counter no longer grows with "
				"it.",
			.cure = "Accept loopback first: `iif lo accept` at the head of input, `oif "
				"lo accept` at the head of output.",
			.cost = "Local processes are no longer filtered from each other.",
			.remedies = ZH_LIST("nft-accept-lo"),
			.needs = ZH_LIST("nft.notable.*.what", "nft.notable.*.hook",
				"nft.notable.*.chain", "nft.notable.*.text", "nft.notable.*.pkts"),
			.way = ZH_WAY_SHOWN | ZH_WAY_LO_ONLY,
			.told_by = ZH_LIST("path-dropped"),
		},
	.run = run,
};
