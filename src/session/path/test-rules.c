/* SPDX-License-Identifier: BSD-2-Clause */
/* The rule that decided, found from listed rules and routes; and never one that does not fit what
 * the kernel answered. */
#include "session/path/rules.h"

#include <arpa/inet.h>
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/util.h"

struct rule {
	uint32_t pref;
	const char *action;
	uint32_t table;
	/* up to two selectors, as keys and values; numbers are decimal */
	const char *key, *value, *key2, *value2;
};

struct route {
	uint32_t table;
	const char *dst, *type;
	uint32_t metric;
};

static const struct rule defaults[] = {
	{0, "lookup", 255}, {32766, "lookup", 254}, {32767, "lookup", 253}};
static const struct route routes[] = {{255, "127.0.0.0/8", "local", 0},
	{255, "10.0.0.1/32", "local", 0}, {254, "10.0.0.0/24", "unicast", 0},
	{254, "default", "unicast", 100}, {100, "10.9.0.0/16", "unicast", 0},
	{100, "10.9.1.0/24", "throw", 0}, {100, "10.9.2.0/24", "blackhole", 0},
	{100, "10.9.2.7/32", "unicast", 0}, {101, "default", "unreachable", 0}};

static bool is_number(const char *key)
{
	static const char *const names[] = {"fwmark", "fwmask", "ipproto", "tos", "invert", "goto",
		"suppress_prefix", "l3mdev", "dscp", "dscp_mask", "flowlabel", "flowlabel_mask",
		"tun_id", "suppress_ifgroup"};
	size_t i;

	for (i = 0; i < ZH_ARRAY_SIZE(names); i++)
		if (!strcmp(names[i], key))
			return true;
	return false;
}

static void add_selector(struct zh_fact_set *set, size_t n, const char *key, const char *value)
{
	if (!key)
		return;
	if (is_number(key))
		zh_fact_number(set, strtoull(value, NULL, 10), "rule.4.%zu.%s", n, key);
	else
		zh_fact_string(set, value, "rule.4.%zu.%s", n, key);
}

static void add_rule(struct zh_fact_set *set, size_t n, const struct rule *rule)
{
	zh_fact_number(set, rule->pref, "rule.4.%zu.pref", n);
	zh_fact_string(set, rule->action, "rule.4.%zu.action", n);
	if (rule->table)
		zh_fact_number(set, rule->table, "rule.4.%zu.table", n);
	add_selector(set, n, rule->key, rule->value);
	add_selector(set, n, rule->key2, rule->value2);
}

/* The given rules behind the first of the usual ones, or before it. */
static void make_facts(
	struct zh_fact_set *set, const struct rule *rules, size_t n_rules, bool ahead_of_local)
{
	size_t n = 0, i;

	*set = (struct zh_fact_set){};
	if (!ahead_of_local)
		add_rule(set, n++, &defaults[0]);
	for (i = 0; i < n_rules; i++)
		add_rule(set, n++, &rules[i]);
	for (i = !ahead_of_local; i < ZH_ARRAY_SIZE(defaults); i++)
		add_rule(set, n++, &defaults[i]);
	zh_fact_number(set, n, "rule.4.count");
	for (i = 0; i < ZH_ARRAY_SIZE(routes); i++) {
		zh_fact_string(set, routes[i].dst, "route.4.%zu.dst", i);
		zh_fact_string(set, routes[i].type, "route.4.%zu.type", i);
		zh_fact_number(set, routes[i].table, "route.4.%zu.table", i);
		zh_fact_number(set, routes[i].metric, "route.4.%zu.metric", i);
	}
	zh_fact_number(set, ZH_ARRAY_SIZE(routes), "route.4.count");
	zh_fact_number(set, 2, "route.4.table.255.routes");
	zh_fact_number(set, 2, "route.4.table.254.routes");
	zh_fact_number(set, 4, "route.4.table.100.routes");
	zh_fact_set_sort(set);
}

static char passed[512];

static void on_passed(void *arg, size_t rule, const char *why)
{
	(void)arg;
	snprintf(passed + strlen(passed), sizeof(passed) - strlen(passed), "%zu: %s; ", rule, why);
}

/* What the kernel is said to have answered. */
struct answer {
	const char *type; /* NULL: refused */
	uint32_t table;
	int refusal;
};

static struct path_rule_verdict judge(
	const struct zh_fact_set *set, struct zh_flow flow, const char *to, struct answer answer)
{
	struct zh_route route = {.type = answer.type, .table = answer.table};
	struct path_rules rules = {.facts = set,
		.flow = &flow,
		.route = &route,
		.refusal = answer.refusal,
		.passed = on_passed};
	struct path_rule_verdict verdict;

	flow.family = AF_INET;
	passed[0] = '\0';
	assert_int_equal(inet_pton(AF_INET, to, &flow.to), 1);
	path_rules_judge(&rules, &verdict);
	return verdict;
}

static void decides(struct path_rule_verdict verdict, size_t rule, uint32_t table, const char *type)
{
	if (!verdict.is_known)
		fail_msg("not known: %s", verdict.why);
	assert_true(verdict.is_found);
	assert_int_equal(verdict.rule, rule);
	assert_int_equal(verdict.table, table);
	assert_string_equal(verdict.type, type);
}

static const struct zh_flow icmp = {.protocol = IPPROTO_ICMP};

static void the_usual_rules(void **state)
{
	struct zh_fact_set set;

	(void)state;
	make_facts(&set, NULL, 0, false);
	decides(judge(&set, icmp, "127.1.2.3", (struct answer){"local", 255, 0}), 0, 255, "local");
	assert_string_equal(passed, "");
	/* As long as there is no other rule the kernel names main for the local table. */
	decides(judge(&set, icmp, "10.0.0.1", (struct answer){"local", 254, 0}), 0, 255, "local");
	decides(judge(&set, icmp, "10.0.0.9", (struct answer){"unicast", 254, 0}), 1, 254,
		"unicast");
	assert_string_equal(passed, "0: table local has no route to it; ");
	decides(judge(&set, icmp, "192.0.2.1", (struct answer){"unicast", 254, 0}), 1, 254,
		"unicast");
	/* Broadcast routes are not listed: the kernel's word is enough. */
	decides(judge(&set, icmp, "10.0.0.255", (struct answer){"broadcast", 255, 0}), 0, 255,
		"broadcast");
	zh_fact_set_done(&set);
}

/* Report A: ping goes nowhere, and a question without a protocol says that all is well. */
static void a_protocol_ahead_of_local(void **state)
{
	static const struct rule rule = {100, "blackhole", 0, "ipproto", "1"};
	struct zh_flow plain = {}, udp = {.protocol = IPPROTO_UDP};
	struct zh_fact_set set;

	(void)state;
	make_facts(&set, &rule, 1, true);
	decides(judge(&set, icmp, "127.0.0.1", (struct answer){NULL, 0, EINVAL}), 0, 0,
		"blackhole");
	decides(judge(&set, udp, "127.0.0.1", (struct answer){"local", 255, 0}), 1, 255, "local");
	assert_string_equal(passed, "0: other protocol; ");
	decides(judge(&set, plain, "127.0.0.1", (struct answer){"local", 255, 0}), 1, 255, "local");
	zh_fact_set_done(&set);
}

static const struct {
	struct rule rule;
	struct zh_flow flow;
	bool applies;
	const char *why;
} selectors[] = {
	{{50, "blackhole", 0, "fwmark", "16", "fwmask", "255"}, {.mark = 0x110}, true, NULL},
	{{50, "blackhole", 0, "fwmark", "16", "fwmask", "255"}, {.mark = 0x11}, false,
		"other mark"},
	{{50, "blackhole", 0, "fwmark", "16", "fwmask", "255"}, {}, false, "other mark"},
	{{50, "blackhole", 0, "uid", "1000-1009"}, {.has_uid = true, .uid = 1009}, true, NULL},
	{{50, "blackhole", 0, "uid", "1000-1009"}, {.has_uid = true, .uid = 1010}, false,
		"other user"},
	{{50, "blackhole", 0, "uid", "0-4294967294"}, {.iif = 1}, false,
		"no user: it came in by a device"},
	{{50, "blackhole", 0, "dport", "53"}, {.to_port = 53}, true, NULL},
	{{50, "blackhole", 0, "dport", "50-60"}, {.to_port = 61}, false, "other port"},
	{{50, "blackhole", 0, "sport", "1024-65535"}, {.to_port = 61}, false,
		"only certain source ports"},
	{{50, "blackhole", 0, "sport", "1024-65535"}, {.from_port = 1024}, true, NULL},
	{{50, "blackhole", 0, "to", "127.0.0.0/8"}, {}, true, NULL},
	{{50, "blackhole", 0, "to", "127.0.0.2/32"}, {}, false, "other destination"},
	{{50, "blackhole", 0, "to", "126.0.0.0/7"}, {}, true, NULL},
	{{50, "blackhole", 0, "to", "128.0.0.0/1"}, {}, false, "other destination"},
	{{50, "blackhole", 0, "from", "0.0.0.0/1"}, {}, false, "no source address is chosen yet"},
	{{50, "blackhole", 0, "from", "10.0.0.0/24"},
		{.has_from = true, .from.s6_addr = {10, 0, 0, 1}}, true, NULL},
	{{50, "blackhole", 0, "from", "10.0.0.0/24"},
		{.has_from = true, .from.s6_addr = {10, 0, 1, 1}}, false, "other source"},
	{{50, "blackhole", 0, "ipproto", "17", "dport", "53"}, {.protocol = 17, .to_port = 53},
		true, NULL},
	{{50, "blackhole", 0, "ipproto", "17", "dport", "53"}, {.protocol = 6, .to_port = 53},
		false, "other protocol"},
	{{50, "blackhole", 0, "ipproto", "17", "invert", "1"}, {.protocol = 6}, true, NULL},
	{{50, "blackhole", 0, "ipproto", "17", "invert", "1"}, {.protocol = 17}, false,
		"it applies to everything else"},
	{{50, "blackhole", 0, "iif", "lo"}, {}, true, NULL},
	{{50, "blackhole", 0, "iif", "nosuch0"}, {}, false, "came in by another device"},
	{{50, "blackhole", 0, "oif", "lo"}, {.oif = 1}, true, NULL},
	{{50, "blackhole", 0, "oif", "lo"}, {}, false, "not bound to a device"},
	{{50, "blackhole", 0, "tos", "16"}, {}, false, "other type of service"},
	{{50, "blackhole", 0, "dscp", "4", "dscp_mask", "63"}, {}, false, "other DSCP"},
	{{50, "blackhole", 0, "dscp", "0", "dscp_mask", "63"}, {}, true, NULL},
	{{50, "blackhole", 0, "dscp", "4", "dscp_mask", "3"}, {}, true, NULL},
	{{50, "blackhole", 0, "flowlabel", "5", "flowlabel_mask", "255"}, {}, false,
		"other flow label"},
	{{50, "blackhole", 0, "sport", "0x50/0xfff0"}, {.from_port = 0x5f}, true, NULL},
	{{50, "blackhole", 0, "sport", "0x50/0xfff0"}, {.from_port = 0x60}, false,
		"other source port"},
	{{50, "blackhole", 0, "tun_id", "5"}, {}, false, "came in by no such tunnel"},
	{{50, "blackhole", 0, "l3mdev", "1"}, {}, false, "not in a VRF"},
	{{50, "prohibit", 0}, {}, true, NULL},
	{{50, "unreachable", 0}, {}, true, NULL},
	{{50, "nop", 0}, {}, false, "it does nothing"},
};

static int refusal_of(const char *action)
{
	return !strcmp(action, "prohibit")      ? EACCES
	       : !strcmp(action, "unreachable") ? ENETUNREACH
						: EINVAL;
}

static void each_selector(void **state)
{
	struct zh_fact_set set;
	char text[120];
	size_t i;

	(void)state;
	for (i = 0; i < ZH_ARRAY_SIZE(selectors); i++) {
		const struct rule *rule = &selectors[i].rule;

		make_facts(&set, rule, 1, true);
		if (selectors[i].applies) {
			decides(judge(&set, selectors[i].flow, "127.0.0.1",
					(struct answer){NULL, 0, refusal_of(rule->action)}),
				0, 0, rule->action);
		} else {
			decides(judge(&set, selectors[i].flow, "127.0.0.1",
					(struct answer){"local", 255, 0}),
				1, 255, "local");
			snprintf(text, sizeof(text), "0: %s; ", selectors[i].why);
			assert_string_equal(passed, text);
		}
		zh_fact_set_done(&set);
	}
}

static void tables_pass_on(void **state)
{
	static const struct rule rules[] = {{10, "lookup", 101, "to", "10.8.0.0/16"},
		{20, "lookup", 100}, {30, "lookup", 254, "suppress_prefix", "0"}};
	struct zh_fact_set set;

	(void)state;
	make_facts(&set, rules, ZH_ARRAY_SIZE(rules), false);
	decides(judge(&set, icmp, "10.9.3.1", (struct answer){"unicast", 100, 0}), 2, 100,
		"unicast");
	assert_string_equal(passed, "0: table local has no route to it; 1: other destination; ");
	decides(judge(&set, icmp, "10.9.2.1", (struct answer){NULL, 0, EINVAL}), 2, 100,
		"blackhole");
	decides(judge(&set, icmp, "10.9.2.7", (struct answer){"unicast", 100, 0}), 2, 100,
		"unicast");
	decides(judge(&set, icmp, "10.8.0.1", (struct answer){NULL, 0, EHOSTUNREACH}), 1, 101,
		"unreachable");
	decides(judge(&set, icmp, "10.9.1.1", (struct answer){"unicast", 254, 0}), 4, 254,
		"unicast");
	assert_string_equal(passed,
		"0: table local has no route to it; 1: other destination; 2: table 100 sends it on "
		"(a throw route); 3: table main has only a route of /0, which does not count; ");
	decides(judge(&set, icmp, "10.0.0.7", (struct answer){"unicast", 254, 0}), 3, 254,
		"unicast");
	zh_fact_set_done(&set);
}

static void jumps(void **state)
{
	static const struct rule rules[] = {
		{10, "goto", 0, "goto", "30"}, {20, "blackhole", 0}, {30, "nop", 0}};
	struct zh_fact_set set;

	(void)state;
	make_facts(&set, rules, ZH_ARRAY_SIZE(rules), true);
	decides(judge(&set, icmp, "127.0.0.1", (struct answer){"local", 255, 0}), 3, 255, "local");
	assert_string_equal(passed, "0: it goes on further down; 2: it does nothing; ");
	zh_fact_set_done(&set);
	/* One that leads nowhere does nothing. */
	make_facts(&set, rules, 2, true);
	decides(judge(&set, icmp, "127.0.0.1", (struct answer){NULL, 0, EINVAL}), 1, 0,
		"blackhole");
	zh_fact_set_done(&set);
}

static void no_route_is_an_answer(void **state)
{
	struct path_rule_verdict verdict;
	struct zh_fact_set set = {};
	size_t i;

	(void)state;
	for (i = 0; i < ZH_ARRAY_SIZE(defaults); i++)
		add_rule(&set, i, &defaults[i]);
	zh_fact_number(&set, 3, "rule.4.count");
	zh_fact_number(&set, 0, "route.4.count");
	zh_fact_set_sort(&set);
	verdict = judge(&set, icmp, "10.0.0.1", (struct answer){NULL, 0, ENETUNREACH});
	assert_true(verdict.is_known);
	assert_false(verdict.is_found);
	zh_fact_set_done(&set);
}

static void what_does_not_fit_is_not_claimed(void **state)
{
	static const struct answer answers[] = {
		{"unicast", 77, 0}, {"unicast", 255, 0}, {NULL, 0, EINVAL}, {NULL, 0, ENETUNREACH}};
	struct path_rule_verdict verdict;
	struct zh_fact_set set;
	size_t i;

	(void)state;
	make_facts(&set, NULL, 0, false);
	for (i = 0; i < ZH_ARRAY_SIZE(answers); i++) {
		verdict = judge(&set, icmp, "127.0.0.1", answers[i]);
		assert_false(verdict.is_known);
		assert_non_null(strstr(verdict.why, "local in table 255"));
	}
	zh_fact_set_done(&set);
}

/* A device that is in no VRF is no reason to look up a VRF's table; one that is leaves it open. */
static void devices_of_a_vrf(void **state)
{
	static const struct rule rule = {1000, "lookup", 0, "l3mdev", "1"};
	const struct zh_flow flow = {.oif = 1};
	struct path_rule_verdict verdict;
	struct zh_fact_set set;

	(void)state;
	make_facts(&set, &rule, 1, false);
	zh_fact_string(&set, "loopback", "link.lo.kind");
	zh_fact_set_sort(&set);
	decides(judge(&set, flow, "192.0.2.1", (struct answer){"unicast", 254, 0}), 2, 254,
		"unicast");
	assert_string_equal(passed, "0: table local has no route to it; 1: not in a VRF; ");
	zh_fact_string(&set, "red", "link.lo.master");
	zh_fact_string(&set, "vrf", "link.red.kind");
	zh_fact_set_sort(&set);
	verdict = judge(&set, flow, "192.0.2.1", (struct answer){"unicast", 254, 0});
	assert_false(verdict.is_known);
	zh_fact_set_done(&set);
}

/* Whether a group of devices is left out only the kernel's answer can tell. */
static void a_group_of_devices(void **state)
{
	static const struct rule rules[] = {
		{10, "lookup", 254, "suppress_ifgroup", "1"}, {11, "lookup", 101}};
	struct zh_fact_set set;

	(void)state;
	make_facts(&set, rules, 2, false);
	decides(judge(&set, icmp, "192.0.2.1", (struct answer){"unicast", 254, 0}), 1, 254,
		"unicast");
	assert_false(
		judge(&set, icmp, "192.0.2.1", (struct answer){NULL, 0, EHOSTUNREACH}).is_known);
	zh_fact_set_done(&set);
}

/* A better route may be among those that were not listed. */
static void a_cut_table_decides_only_with_the_kernel(void **state)
{
	struct path_rule_verdict verdict;
	struct zh_fact_set set;

	(void)state;
	make_facts(&set, NULL, 0, false);
	zh_fact_number(&set, 5000, "route.4.table.254.routes");
	zh_fact_set_sort(&set);
	decides(judge(&set, icmp, "192.0.2.1", (struct answer){"unicast", 254, 0}), 1, 254,
		"unicast");
	verdict = judge(&set, icmp, "192.0.2.1", (struct answer){"unicast", 77, 0});
	assert_false(verdict.is_known);
	zh_fact_set_done(&set);
	set = (struct zh_fact_set){};
	zh_fact_unavailable(&set, "no", "rule.4");
	zh_fact_set_sort(&set);
	verdict = judge(&set, icmp, "192.0.2.1", (struct answer){"unicast", 254, 0});
	assert_false(verdict.is_known);
	assert_true(verdict.why[0]);
	zh_fact_set_done(&set);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_usual_rules),
		cmocka_unit_test(a_protocol_ahead_of_local),
		cmocka_unit_test(each_selector),
		cmocka_unit_test(tables_pass_on),
		cmocka_unit_test(jumps),
		cmocka_unit_test(no_route_is_an_answer),
		cmocka_unit_test(what_does_not_fit_is_not_claimed),
		cmocka_unit_test(devices_of_a_vrf),
		cmocka_unit_test(a_group_of_devices),
		cmocka_unit_test(a_cut_table_decides_only_with_the_kernel),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
