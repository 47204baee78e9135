/* SPDX-License-Identifier: BSD-2-Clause */
#include "explain/checks/support.h"

static void run(const struct zh_check *check, struct zh_explain *ex)
{
	const struct zh_fact_set *facts = zh_explain_facts(ex);
	const struct zh_fact *fact;
	size_t pos = 0;

	while ((fact = zh_fact_next(facts, "nft.notable.*.what", &pos))) {
		enum zh_severity severity = ZH_SEVERITY_INFO;
		struct zh_finding *finding;
		const char *id = fact->key + strlen("nft.notable.");
		int len = (int)strcspn(id, ".");
		uint64_t hits = 0;
		bool counted;

		if (fact->type != ZH_FACT_STRING || strcmp(fact->text, "invalid-drop") != 0)
			continue;
		counted = zh_explain_delta(ex, &hits, "nft.notable.%.*s.pkts", len, id);
		if (hits)
			severity = zh_explain_lost(ex) ? ZH_SEVERITY_WARNING : ZH_SEVERITY_LOW;
		finding = zh_finding_add(ex, &check->rule, severity, ZH_CONFIDENCE_MEDIUM,
			"%s drops `ct state invalid` before lo is accepted (%llu packets in %.1f s)",
			zh_check_text(ex, "nft.notable.%.*s.chain", len, id),
			(unsigned long long)hits, zh_check_window_s(ex));
		zh_finding_evidence(
			finding, "rule: %s", zh_check_text(ex, "nft.notable.%.*s.text", len, id));
		if (!counted)
			zh_finding_evidence(
				finding, "the rule has no counter: hits could not be measured");
		zh_check_add_loss(ex, finding);
	}
}

const struct zh_check zh_check_invalid_drop_order = {
	.rule =
		{
			.id = "invalid-drop-order",
			.code = "C5",
			.title = "INVALID is dropped before lo is accepted",
			.summary =
				"A rule that drops `ct state invalid` stands before the one that "
				"accepts loopback.",
			.why = "Conntrack calls some legal loopback packets INVALID: TCP "
			       "simultaneous open, packets outside the window, flows older than the "
			       "table's entry. When the drop comes first, that one connection hangs "
			       "while everything else on lo works.",
			.evidence =
				"Order of the rules in a base chain and what it jumps to; growth "
				"of the rule's counter. On an Internet host the same counter also "
				"grows by noise from outside: hits alone are not proof.",
			.verify = "The accept of lo comes first in `nft list ruleset`; the "
				  "connection works.",
			.cure = "Move `iif lo accept` in front of the invalid drop.",
			.cost = "None.",
			.remedies = ZH_LIST("nft-accept-lo"),
			.needs = ZH_LIST("nft.notable.*.what", "nft.notable.*.chain",
				"nft.notable.*.text", "nft.notable.*.pkts"),
			.way = ZH_WAY_SHOWN | ZH_WAY_LO_ONLY,
			.told_by = ZH_LIST("path-dropped"),
		},
	.run = run,
};
