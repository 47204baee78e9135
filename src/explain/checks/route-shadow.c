/* SPDX-License-Identifier: BSD-2-Clause */
#include "explain/checks/route-facts.h"

#include <stdio.h>

/* A rule without any selector that looks another table up before main. */
static bool is_unscoped_lookup(const struct zh_explain *ex, uint64_t n)
{
	static const char *const texts[] = {"from", "to", "iif", "oif", "sport", "dport", "uid"};
	static const char *const numbers[] = {
		"fwmark", "ipproto", "tos", "l3mdev", "invert", "tun_id", "dscp_mask"};
	unsigned long long i = n;
	uint64_t number;
	size_t k;

	for (k = 0; k < ZH_ARRAY_SIZE(texts); k++) {
		const char *text = zh_explain_text(ex, "rule.4.%llu.%s", i, texts[k]);

		if (text && strcmp(text, "all") != 0)
			return false;
	}
	for (k = 0; k < ZH_ARRAY_SIZE(numbers); k++)
		if (zh_explain_number(ex, &number, "rule.4.%llu.%s", i, numbers[k]) && number)
			return false;
	return strcmp(zh_check_text(ex, "rule.4.%llu.action", i), "lookup") == 0;
}

/* Judges one connected prefix of main against the table that is looked up earlier. */
static void judge_prefix(const struct zh_check *check, struct zh_explain *ex, uint64_t rule,
	const char *prefix, const char *dev)
{
	static const char *const local_kinds[] = {"bridge", "veth", "macvlan", "ipvlan", NULL};
	unsigned long long i = rule;
	uint64_t table = zh_check_number(ex, 0, "rule.4.%llu.table", i);
	char address[64];
	struct zh_finding *finding;
	bool is_virtual = zh_check_one_of(zh_check_text(ex, "link.%s.kind", dev), local_kinds);

	snprintf(address, sizeof(address), "%.*s", (int)strcspn(prefix, "/"), prefix);
	if (!zh_table_covers(ex, 4, table, address))
		return;
	finding = zh_finding_add(ex, &check->rule,
		is_virtual ? ZH_SEVERITY_WARNING : ZH_SEVERITY_LOW, ZH_CONFIDENCE_MEDIUM,
		"Table %llu (rule %llu) is asked before main and has a route for %s, which is "
		"connected by %s",
		(unsigned long long)table,
		(unsigned long long)zh_check_number(ex, 0, "rule.4.%llu.pref", i), prefix, dev);
	zh_finding_evidence(finding, "ip rule: %s", zh_check_text(ex, "rule.4.%llu.text", i));
	zh_finding_evidence(finding, "main has %s dev %s scope link; replies to it leave elsewhere",
		prefix, dev);
	zh_check_add_loss(ex, finding);
}

static void judge_rule(const struct zh_check *check, struct zh_explain *ex, uint64_t rule)
{
	const struct zh_fact_set *facts = zh_explain_facts(ex);
	const struct zh_fact *fact;
	size_t pos = 0;
	char n[32];

	while ((fact = zh_fact_next(facts, "route.4.*.scope", &pos))) {
		zh_fact_part(n, sizeof(n), fact, "route.4.*.scope", 0);
		if (fact->type != ZH_FACT_STRING || strcmp(fact->text, "link") != 0 ||
			zh_check_number(ex, 0, "route.4.%s.table", n) != ZH_TABLE_MAIN)
			continue;
		judge_prefix(check, ex, rule, zh_check_text(ex, "route.4.%s.dst", n),
			zh_check_text(ex, "route.4.%s.oif", n));
	}
}

static void run(const struct zh_check *check, struct zh_explain *ex)
{
	uint64_t count = zh_check_number(ex, 0, "rule.4.count");
	uint64_t n;

	for (n = 0; n < count; n++) {
		uint64_t table = zh_check_number(ex, 0, "rule.4.%llu.table", (unsigned long long)n);

		if (!is_unscoped_lookup(ex, n) || table == ZH_TABLE_LOCAL)
			continue;
		/* Main, with or without its default route, settles connected prefixes. */
		if (table == ZH_TABLE_MAIN)
			return;
		judge_rule(check, ex, n);
	}
}

const struct zh_check zh_check_route_shadow = {
	.rule =
		{
			.id = "route-shadow",
			.code = "C2",
			.title = "Table asked before main shadows a connected prefix",
			.summary =
				"A rule without selectors looks up a table that has a route for a "
				"prefix this machine is directly connected to.",
			.why = "VPNs and overlay agents put a table of their own ahead of main "
			       "(Tailscale: rule 5270, table 52). When it holds a route for a prefix "
			       "of a local bridge or of the LAN, packets to neighbours and "
			       "containers in it leave by the tunnel; requests still arrive, replies "
			       "do not.",
			.evidence = "Rules in order, up to the first that looks main up (with or "
				    "without suppress_prefixlength), against connected routes "
				    "(scope link) of main.",
			.verify = "`ip route get` for an address in the prefix names the connected "
				  "device.",
			.cure = "Add a rule `to PREFIX lookup main` ahead of the table, or do not "
				"accept that route from the VPN.",
			.cost = "Traffic to that prefix no longer takes the tunnel.",
			.remedies = ZH_LIST("policy-rule"),
			.needs = ZH_LIST("rule.*.count", "rule.*.*.action", "rule.*.*.table",
				"route.*.*.dst", "route.*.*.scope", "route.*.*.oif", "link.*.kind"),
			.way = ZH_WAY_SHOWN,
		},
	.run = run,
};
