/* SPDX-License-Identifier: BSD-2-Clause */
#include "record/fact-set.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/util.h"

static void fill(struct zh_fact_set *set)
{
	zh_fact_number(set, 65536, "link.%s.mtu", "lo");
	zh_fact_number(set, 1500, "link.%s.mtu", "eth0/100");
	zh_fact_number(set, 1280, "link.%s.mtu", "eth0");
	zh_fact_string(set, "UP", "link.lo.state");
	zh_fact_unavailable(set, "no such file", "cpu.3.idle.C6.exit_ns");
	zh_fact_number(set, 1, "linkage");
	zh_fact_number(set, 2, "link");
	zh_fact_number(set, 7, "link.lo.mtu.extra");
	zh_fact_set_sort(set);
}

static void values_keep_their_types(void **state)
{
	struct zh_fact_set set = {};
	uint64_t value = 42;

	(void)state;
	fill(&set);
	assert_true(zh_fact_get(&set, &value, "link.%s.mtu", "lo"));
	assert_int_equal(value, 65536);
	value = 42;
	assert_false(zh_fact_get(&set, &value, "link.lo.state"));
	assert_false(zh_fact_get(&set, &value, "cpu.%d.idle.C6.exit_ns", 3));
	assert_false(zh_fact_get(&set, &value, "link.l"));
	assert_false(zh_fact_get(&set, &value, "zzz"));
	assert_int_equal(value, 42);
	assert_string_equal(zh_fact_text(&set, "link.%s.state", "lo"), "UP");
	assert_null(zh_fact_text(&set, "link.lo.mtu"));
	assert_null(zh_fact_text(&set, "cpu.3.idle.C6.exit_ns"));
	assert_int_equal(zh_fact_find(&set, "cpu.3.idle.C6.exit_ns")->type, ZH_FACT_UNAVAILABLE);
	assert_string_equal(zh_fact_find(&set, "cpu.3.idle.C6.exit_ns")->text, "no such file");
	zh_fact_set_done(&set);
	zh_fact_set_done(NULL);
}

/* Many keys, each added three times in different orders; the last value has to stay. */
static void last_one_wins(void **state)
{
	struct zh_fact_set set = {};
	uint64_t value;
	int i, round;

	(void)state;
	for (round = 0; round < 3; round++)
		for (i = 0; i < 2000; i++)
			zh_fact_number(&set, (uint64_t)(round * 10000 + i * 7 % 2000), "k.%d",
				i * 7 % 2000);
	zh_fact_set_sort(&set);
	assert_int_equal(set.n, 2000);
	for (i = 0; i < 2000; i++) {
		assert_true(zh_fact_get(&set, &value, "k.%d", i));
		assert_int_equal(value, 20000 + i);
	}
	for (i = 1; i < 2000; i++)
		assert_true(strcmp(set.facts[i - 1].key, set.facts[i].key) < 0);
	zh_fact_string(&set, "late", "k.5");
	zh_fact_set_sort(&set);
	assert_int_equal(set.n, 2000);
	assert_string_equal(zh_fact_text(&set, "k.5"), "late");
	zh_fact_set_done(&set);
}

/* Writes the keys that match, joined by spaces. */
static char *matching(const struct zh_fact_set *set, const char *pattern, char *buf, size_t size)
{
	const struct zh_fact *fact;
	size_t pos = 0, len = 0;

	buf[0] = '\0';
	while ((fact = zh_fact_next(set, pattern, &pos)))
		len += (size_t)snprintf(buf + len, size - len, "%s%s", len ? " " : "", fact->key);
	assert_null(zh_fact_next(set, pattern, &pos));
	return buf;
}

static void patterns_match_part_by_part(void **state)
{
	static const struct {
		const char *pattern, *keys;
	} cases[] = {
		{"link.*.mtu", "link.eth0.mtu link.eth0/100.mtu link.lo.mtu"},
		{"link.lo.*", "link.lo.mtu link.lo.state"},
		{"*.lo.mtu", "link.lo.mtu"},
		{"cpu.*.idle.*.exit_ns", "cpu.3.idle.C6.exit_ns"},
		{"*", "link linkage"},
		{"link", "link"},
		{"link.*", ""},
		{"link.*.mtu.*", "link.lo.mtu.extra"},
		{"link.*.mtu.extra.*", ""},
		{"link.*.m*", ""},
		{"zzz.*", ""},
		{"", ""},
	};
	struct zh_fact_set set = {}, empty = {};
	char buf[200];
	size_t i;

	(void)state;
	fill(&set);
	for (i = 0; i < ZH_ARRAY_SIZE(cases); i++)
		assert_string_equal(
			matching(&set, cases[i].pattern, buf, sizeof(buf)), cases[i].keys);
	assert_string_equal(matching(&empty, "*", buf, sizeof(buf)), "");
	zh_fact_set_done(&set);
}

static void parts_give_names_back(void **state)
{
	struct zh_fact_set set = {};
	const struct zh_fact *fact;
	char buf[32], small[4];

	(void)state;
	fill(&set);
	fact = zh_fact_find(&set, "link.eth0/100.mtu");
	assert_string_equal(zh_fact_part(buf, sizeof(buf), fact, "link.*.mtu", 0), "eth0.100");
	assert_string_equal(zh_fact_part(buf, sizeof(buf), fact, "link.*.mtu", 1), "");
	assert_string_equal(zh_fact_part(buf, sizeof(buf), fact, "link.*.*", 1), "mtu");
	assert_string_equal(zh_fact_part(small, sizeof(small), fact, "link.*.mtu", 0), "eth");
	fact = zh_fact_find(&set, "cpu.3.idle.C6.exit_ns");
	assert_string_equal(zh_fact_part(buf, sizeof(buf), fact, "cpu.*.idle.*.exit_ns", 0), "3");
	assert_string_equal(zh_fact_part(buf, sizeof(buf), fact, "cpu.*.idle.*.exit_ns", 1), "C6");
	zh_fact_set_done(&set);
}

static void deltas(void **state)
{
	struct zh_fact_set before = {}, after = {};
	uint64_t value = 42;

	(void)state;
	zh_fact_number(&before, 10, "softnet.cpu.0.dropped");
	zh_fact_number(&before, 20, "softnet.cpu.1.dropped");
	zh_fact_unavailable(&before, "offline", "softnet.cpu.2.dropped");
	zh_fact_number(&before, 9, "reset");
	zh_fact_number(&after, 11, "softnet.cpu.0.dropped");
	zh_fact_number(&after, 25, "softnet.cpu.1.dropped");
	zh_fact_number(&after, 900, "softnet.cpu.2.dropped");
	zh_fact_number(&after, 900, "softnet.cpu.3.dropped");
	zh_fact_number(&after, 1, "reset");
	zh_fact_set_sort(&before);
	zh_fact_set_sort(&after);
	assert_true(zh_fact_delta(&before, &after, &value, "softnet.cpu.%d.dropped", 1));
	assert_int_equal(value, 5);
	assert_true(zh_fact_delta(&before, &after, &value, "reset"));
	assert_int_equal(value, 0);
	value = 42;
	assert_false(zh_fact_delta(&before, &after, &value, "softnet.cpu.2.dropped"));
	assert_false(zh_fact_delta(&before, &after, &value, "softnet.cpu.3.dropped"));
	assert_false(zh_fact_delta_sum(&before, &after, "nothing.*", &value));
	assert_false(zh_fact_delta_sum(&before, &after, "softnet.cpu.3.*", &value));
	assert_int_equal(value, 42);
	/* CPUs that were not there on both sides do not count. */
	assert_true(zh_fact_delta_sum(&before, &after, "softnet.cpu.*.dropped", &value));
	assert_int_equal(value, 6);
	zh_fact_set_done(&before);
	zh_fact_set_done(&after);
}

static void taken_out_by_prefix(void **state)
{
	struct zh_fact_set set = {};

	(void)state;
	zh_fact_number(&set, 1, "a.1.x");
	zh_fact_string(&set, "text", "a.10.x");
	zh_fact_number(&set, 3, "b.1");
	zh_fact_set_sort(&set);
	zh_fact_set_remove(&set, "a.1.");
	assert_null(zh_fact_find(&set, "a.1.x"));
	assert_non_null(zh_fact_find(&set, "a.10.x"));
	assert_non_null(zh_fact_find(&set, "b.1"));
	zh_fact_number(&set, 4, "a.1.x");
	zh_fact_set_sort(&set);
	assert_int_equal(zh_fact_find(&set, "a.1.x")->number, 4);
	zh_fact_set_remove(&set, "");
	assert_int_equal(set.n, 0);
	zh_fact_set_done(&set);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(values_keep_their_types),
		cmocka_unit_test(last_one_wins),
		cmocka_unit_test(patterns_match_part_by_part),
		cmocka_unit_test(parts_give_names_back),
		cmocka_unit_test(deltas),
		cmocka_unit_test(taken_out_by_prefix),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
