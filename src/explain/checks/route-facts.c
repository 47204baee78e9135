/* SPDX-License-Identifier: BSD-2-Clause */
#include "explain/checks/route-facts.h"

#include <stdio.h>

const char *zh_route_loopback(int family)
{
	return family == 4 ? "127.0.0.1" : "::1";
}

bool zh_route_is_used(const struct zh_explain *ex, int family)
{
	return zh_check_number(ex, 0, "link.lo.flags.up") &&
	       zh_check_number(ex, 0, "loopback.has_ip%d", family);
}

/* Selectors that a locally sent packet to the loopback address never matches. */
static bool excludes_loopback(const struct zh_explain *ex, int family, uint64_t n)
{
	unsigned long long i = n;
	const char *address = zh_route_loopback(family);
	const char *to = zh_explain_text(ex, "rule.%d.%llu.to", family, i);
	const char *from = zh_explain_text(ex, "rule.%d.%llu.from", family, i);
	const char *iif = zh_explain_text(ex, "rule.%d.%llu.iif", family, i);
	const char *oif = zh_explain_text(ex, "rule.%d.%llu.oif", family, i);

	if (to && strcmp(to, "all") != 0 && !zh_check_prefix_has(to, address))
		return true;
	/* The source is chosen by the lookup itself unless the socket is bound: only a prefix
	 * that holds the loopback address can be met. */
	if (from && strcmp(from, "all") != 0 && !zh_check_prefix_has(from, address))
		return true;
	if (iif && strcmp(iif, "lo") != 0)
		return true;
	if (oif && strcmp(oif, "lo") != 0)
		return true;
	return zh_check_number(ex, 0, "rule.%d.%llu.l3mdev", family, i) != 0;
}

bool zh_rule_refuses(const struct zh_explain *ex, int family, uint64_t n)
{
	return zh_check_one_of(
		zh_check_text(ex, "rule.%d.%llu.action", family, (unsigned long long)n),
		ZH_LIST("blackhole", "unreachable", "prohibit"));
}

enum zh_rule_reach zh_rule_reach(const struct zh_explain *ex, int family, uint64_t n)
{
	unsigned long long i = n;
	uint64_t table = zh_check_number(ex, 0, "rule.%d.%llu.table", family, i);
	bool inverted = zh_check_number(ex, 0, "rule.%d.%llu.invert", family, i) != 0;

	if (!inverted && excludes_loopback(ex, family, n))
		return ZH_REACH_NONE;
	if (!zh_rule_refuses(ex, family, n)) {
		if (strcmp(zh_check_text(ex, "rule.%d.%llu.action", family, i), "lookup") != 0 ||
			table == ZH_TABLE_LOCAL)
			return ZH_REACH_NONE;
		if (!zh_table_covers(ex, family, table, zh_route_loopback(family)))
			return ZH_REACH_NONE;
		/* "suppress_prefixlength 0" skips the default route: what is left in main are
		 * the connected prefixes, never 127/8. */
		if (zh_explain_number(ex, &table, "rule.%d.%llu.suppress_prefix", family, i))
			return ZH_REACH_NONE;
	}
	if (inverted || zh_check_number(ex, 0, "rule.%d.%llu.fwmark", family, i) ||
		zh_check_number(ex, 0, "rule.%d.%llu.tos", family, i) ||
		zh_explain_text(ex, "rule.%d.%llu.sport", family, i) ||
		zh_explain_text(ex, "rule.%d.%llu.dport", family, i) ||
		zh_explain_text(ex, "rule.%d.%llu.uid", family, i))
		return ZH_REACH_SOME;
	return ZH_REACH_ALL;
}

bool zh_table_covers(const struct zh_explain *ex, int family, uint64_t table, const char *address)
{
	const struct zh_fact_set *facts = zh_explain_facts(ex);
	const struct zh_fact *fact;
	const char *type;
	char pattern[32], n[32];
	size_t pos = 0;

	snprintf(pattern, sizeof(pattern), "route.%d.*.dst", family);
	while ((fact = zh_fact_next(facts, pattern, &pos))) {
		if (fact->type != ZH_FACT_STRING || !zh_check_prefix_has(fact->text, address))
			continue;
		zh_fact_part(n, sizeof(n), fact, pattern, 0);
		/* A throw route hands on to the next rule: it covers nothing. */
		type = zh_explain_text(ex, "route.%d.%s.type", family, n);
		if (zh_check_number(ex, 0, "route.%d.%s.table", family, n) == table &&
			!(type && !strcmp(type, "throw")))
			return true;
	}
	return false;
}

bool zh_route_is_diverted_by_rule(const struct zh_explain *ex, int family)
{
	uint64_t ahead = zh_check_number(ex, 0, "rule.%d.ahead_of_local", family);
	uint64_t n;

	for (n = 0; n < ahead; n++)
		if (zh_rule_reach(ex, family, n) != ZH_REACH_NONE)
			return true;
	return zh_check_number(ex, 1, "rule.%d.has_local", family) == 0;
}

bool zh_fib_is_diverted(
	const struct zh_explain *ex, int family, const char *protocol, char *text, size_t size)
{
	const char *type = zh_explain_text(ex, "fib.%d.%s.type", family, protocol);
	const char *error = zh_explain_text(ex, "fib.%d.%s.error", family, protocol);

	if (error) {
		snprintf(text, size, "refused: %s", error);
		return true;
	}
	if (!type || strcmp(type, "local") == 0)
		return false;
	snprintf(text, size, "%s by %s, table %llu", type,
		zh_check_text(ex, "fib.%d.%s.oif", family, protocol),
		(unsigned long long)zh_check_number(ex, 0, "fib.%d.%s.table", family, protocol));
	return true;
}

bool zh_route_is_own(const struct zh_explain *ex, const char *address)
{
	const struct zh_fact_set *facts = zh_explain_facts(ex);
	const struct zh_fact *fact;
	char dev[64], n[32];
	const char *master;
	size_t pos = 0;

	while ((fact = zh_fact_next(facts, "addr.*.*.ip", &pos))) {
		if (fact->type != ZH_FACT_STRING || strcmp(fact->text, address) != 0)
			continue;
		zh_fact_part(n, sizeof(n), fact, "addr.*.*.ip", 1);
		/* Keep the escaped form of the device name: it goes back into keys. */
		snprintf(dev, sizeof(dev), "%.*s", (int)strcspn(fact->key + 5, "."), fact->key + 5);
		master = zh_check_text(ex, "link.%s.master", dev);
		return zh_check_number(ex, 0, "link.%s.flags.up", dev) &&
		       !zh_check_number(ex, 0, "addr.%s.%s.tentative", dev, n) &&
		       !zh_check_number(ex, 0, "addr.%s.%s.dadfailed", dev, n) &&
		       strcmp(zh_check_text(ex, "link.%s.kind", master), "vrf") != 0;
	}
	return false;
}
