/* SPDX-License-Identifier: BSD-2-Clause */
#include "session/path/rules.h"

#include <errno.h>
#include <linux/rtnetlink.h>
#include <stdio.h>
#include <string.h>

#include "base/util.h"
#include "session/path/route-table.h"
#include "session/path/rule-match.h"

struct judge {
	const struct path_rules *rules;
	struct path_rule_verdict *ret;
	struct path_routes routes;
	int version;
};

/* What a rule says of the flow. */
enum outcome { PASSED, DECIDED, UNKNOWN };

static const char *rule_text(const struct judge *judge, size_t rule, const char *key)
{
	return zh_fact_text(judge->rules->facts, "rule.%d.%zu.%s", judge->version, rule, key);
}

static bool rule_number(const struct judge *judge, size_t rule, const char *key, uint64_t *ret)
{
	return zh_fact_get(judge->rules->facts, ret, "rule.%d.%zu.%s", judge->version, rule, key);
}

/* The errno of a refusing rule action or route type; 0: it does not refuse. fib4_rule_action() and
 * fib_props[] differ in what they call unreachable. */
static int refusal_of(const char *type, bool is_rule)
{
	if (!strcmp(type, "blackhole"))
		return EINVAL;
	if (!strcmp(type, "unreachable"))
		return is_rule ? ENETUNREACH : EHOSTUNREACH;
	return strcmp(type, "prohibit") ? 0 : EACCES;
}

/* Until the prefix of a route is longer than the rule wants, it does not count. */
static bool is_suppressed(const struct judge *judge, size_t rule, const struct path_route *route)
{
	uint64_t limit;

	return rule_number(judge, rule, "suppress_prefix", &limit) && route->len <= limit;
}

/* IPv4 keeps the local table inside main until the first rule is added, and then names main. */
static bool is_kernels_table(const struct judge *judge, uint32_t table)
{
	const struct zh_route *route = judge->rules->route;

	return route->type &&
	       (route->table == table || (judge->version == 4 && table == RT_TABLE_LOCAL &&
						 route->table == RT_TABLE_MAIN));
}

/* Routes of these types are not in the facts. */
static bool is_unlisted(const char *type)
{
	return type && (!strcmp(type, "broadcast") || !strcmp(type, "multicast") ||
			       !strcmp(type, "anycast"));
}

/* "table local", "table 100" */
static const char *table_name(uint32_t table, char *buf, size_t size)
{
	const char *name = table == RT_TABLE_LOCAL     ? "local"
			   : table == RT_TABLE_MAIN    ? "main"
			   : table == RT_TABLE_DEFAULT ? "default"
						       : NULL;

	if (name)
		snprintf(buf, size, "table %s", name);
	else
		snprintf(buf, size, "table %u", table);
	return buf;
}

static enum outcome look_up(
	struct judge *judge, size_t rule, uint32_t table, char *why, size_t size)
{
	const struct path_route *route;
	enum path_lookup found =
		path_routes_find(&judge->routes, table, &judge->rules->flow->to, &route);

	uint64_t group;
	char name[24];

	table_name(table, name, sizeof(name));
	judge->ret->table = table;
	if (table == RT_TABLE_LOCAL && is_unlisted(judge->rules->route->type) &&
		is_kernels_table(judge, table)) {
		judge->ret->type = judge->rules->route->type;
		return DECIDED;
	}
	if (found == PATH_LOOKUP_UNKNOWN) {
		judge->ret->type = judge->rules->route->type;
		return is_kernels_table(judge, table) ? DECIDED : UNKNOWN;
	}
	if (found == PATH_LOOKUP_NONE) {
		snprintf(why, size, "%s has no route to it", name);
		return PASSED;
	}
	if (!strcmp(route->type, "throw")) {
		snprintf(why, size, "%s sends it on (a throw route)", name);
		return PASSED;
	}
	/* The group of the route's device is not among the facts: only the answer can tell. */
	if (rule_number(judge, rule, "suppress_ifgroup", &group)) {
		judge->ret->type = judge->rules->route->type;
		return is_kernels_table(judge, table) ? DECIDED : UNKNOWN;
	}
	if (is_suppressed(judge, rule, route)) {
		snprintf(why, size, "%s has only a route of /%u, which does not count", name,
			route->len);
		return PASSED;
	}
	judge->ret->type = route->type;
	return DECIDED;
}

static enum outcome act(struct judge *judge, size_t rule, char *why, size_t size)
{
	const char *action = rule_text(judge, rule, "action");
	uint64_t table = 0;

	judge->ret->table = 0;
	judge->ret->type = action;
	if (!action)
		return UNKNOWN;
	if (refusal_of(action, true))
		return DECIDED;
	if (!strcmp(action, "nop")) {
		snprintf(why, size, "it does nothing");
		return PASSED;
	}
	if (strcmp(action, "lookup") != 0 || !rule_number(judge, rule, "table", &table))
		return UNKNOWN;
	return look_up(judge, rule, (uint32_t)table, why, size);
}

/* The rule at which a goto goes on: the first of that priority. Without one it does nothing. */
static size_t jump(const struct judge *judge, size_t rule, size_t n)
{
	uint64_t target, pref;
	size_t i;

	if (!rule_number(judge, rule, "goto", &target))
		return rule + 1;
	for (i = rule + 1; i < n; i++)
		if (rule_number(judge, i, "pref", &pref) && pref == target)
			return i;
	return rule + 1;
}

static void pass(const struct judge *judge, size_t rule, const char *why)
{
	if (judge->rules->passed)
		judge->rules->passed(judge->rules->arg, rule, why);
}

/* Goes through the rules in the kernel's order; the verdict still has to fit its answer. */
static enum outcome walk(struct judge *judge, size_t n)
{
	char why[80];
	size_t rule = 0;

	while (rule < n) {
		const char *differs =
			path_rule_differs(judge->rules->facts, rule, judge->rules->flow);
		const char *action = rule_text(judge, rule, "action");
		enum outcome outcome = PASSED;

		if (differs) {
			pass(judge, rule++, differs);
			continue;
		}
		if (action && !strcmp(action, "goto")) {
			pass(judge, rule, "it goes on further down");
			rule = jump(judge, rule, n);
			continue;
		}
		outcome = act(judge, rule, why, sizeof(why));
		if (outcome != PASSED) {
			judge->ret->rule = rule;
			return outcome;
		}
		pass(judge, rule++, why);
	}
	return PASSED;
}

static const char *kernels_answer(const struct judge *judge, char *buf, size_t size)
{
	const struct zh_route *route = judge->rules->route;

	if (judge->rules->refusal)
		snprintf(buf, size, "%s", strerror(judge->rules->refusal));
	else
		snprintf(buf, size, "%s in table %u", route->type, route->table);
	return buf;
}

/* Whether the decision that was found explains what the kernel answered. */
static void check(struct judge *judge)
{
	struct path_rule_verdict *ret = judge->ret;
	int expected = ENETUNREACH;
	char answer[120];

	if (ret->is_found)
		expected = refusal_of(ret->type, !ret->table);
	ret->is_known = judge->rules->refusal == expected;
	if (ret->is_known && !expected)
		ret->is_known = is_kernels_table(judge, ret->table) &&
				!strcmp(ret->type, judge->rules->route->type);
	if (ret->is_known)
		return;
	kernels_answer(judge, answer, sizeof(answer));
	if (!ret->is_found)
		snprintf(ret->why, sizeof(ret->why),
			"no rule that was listed leads to a route, but the kernel answered: %s",
			answer);
	else
		snprintf(ret->why, sizeof(ret->why),
			"the rules that were listed lead to: %s in table %u, but the kernel "
			"answered: %s",
			ret->type, ret->table, answer);
}

void path_rules_judge(const struct path_rules *rules, struct path_rule_verdict *ret)
{
	struct judge judge = {
		.rules = rules, .ret = ret, .version = rules->flow->family == AF_INET ? 4 : 6};
	uint64_t n = 0;
	enum outcome outcome;

	*ret = (struct path_rule_verdict){};
	if (!zh_fact_get(rules->facts, &n, "rule.%d.count", judge.version) ||
		path_routes_read(&judge.routes, rules->facts, rules->flow->family) < 0) {
		snprintf(ret->why, sizeof(ret->why), "the rules or the routes could not be listed");
		path_routes_done(&judge.routes);
		return;
	}
	outcome = walk(&judge, n);
	ret->is_found = outcome == DECIDED;
	if (outcome == UNKNOWN)
		snprintf(ret->why, sizeof(ret->why),
			"rule number %zu needs more than was listed (a long table, a VRF, or a group of "
			"devices)",
			ret->rule + 1);
	else
		check(&judge);
	path_routes_done(&judge.routes);
}
