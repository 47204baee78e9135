/* SPDX-License-Identifier: BSD-2-Clause */
#include "base/units.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/util.h"

static void durations(void **state)
{
	static const struct {
		const char *text;
		uint64_t ns;
	} good[] = {{"200ms", 200000000}, {"1.5s", 1500000000}, {"50us", 50000}, {"7ns", 7},
		{"2m", 120000000000}, {"0.5us", 500}, {"0s", 0}};
	static const char *const bad[] = {"", "5", "ms", "-1s", "1.2.3s", "1 s", "1e3s", "5d",
		"0x5s", "9999999999999999999s"};
	uint64_t ns;
	size_t i;

	(void)state;
	for (i = 0; i < ZH_ARRAY_SIZE(good); i++) {
		assert_int_equal(zh_parse_duration(good[i].text, &ns, NULL), 0);
		assert_int_equal(ns, good[i].ns);
	}
	for (i = 0; i < ZH_ARRAY_SIZE(bad); i++) {
		ns = 42;
		assert_true(zh_parse_duration(bad[i], &ns, NULL) < 0);
		assert_int_equal(ns, 42);
	}
}

static void sizes(void **state)
{
	uint64_t bytes;

	(void)state;
	assert_int_equal(zh_parse_size("64", &bytes, NULL), 0);
	assert_int_equal(bytes, 64);
	assert_int_equal(zh_parse_size("1.5k", &bytes, NULL), 0);
	assert_int_equal(bytes, 1536);
	assert_int_equal(zh_parse_size("1G", &bytes, NULL), 0);
	assert_int_equal(bytes, 1ull << 30);
	assert_int_equal(zh_parse_size("1T", &bytes, NULL), -EINVAL);
}

static void cpu_lists_round_trip(void **state)
{
	static const char *const lists[] = {"0", "0-3", "0-3,8", "1,3,5-7,1023"};
	static const char *const bad[] = {"", ",", "3-1", "1024", "1-", "a", "1,,2", "1,", "-1"};
	struct zh_cpuset set;
	char text[100];
	size_t i;

	(void)state;
	for (i = 0; i < ZH_ARRAY_SIZE(lists); i++) {
		assert_int_equal(zh_parse_cpulist(lists[i], &set, NULL), 0);
		assert_string_equal(zh_format_cpulist(text, sizeof(text), &set), lists[i]);
	}
	assert_int_equal(zh_cpuset_count(&set), 6);
	for (i = 0; i < ZH_ARRAY_SIZE(bad); i++)
		assert_true(zh_parse_cpulist(bad[i], &set, NULL) < 0);
}

static void times_have_three_digits(void **state)
{
	static const struct {
		uint64_t ns;
		const char *text;
	} cases[] = {{0, "0 ns"}, {999, "999 ns"}, {1000, "1.00 us"}, {6413, "6.41 us"},
		{99949, "99.9 us"}, {99951, "100 us"}, {999499, "999 us"}, {999500, "1.00 ms"},
		{12345678, "12.3 ms"}, {1500000000, "1.50 s"}};
	char text[32];
	size_t i;

	(void)state;
	for (i = 0; i < ZH_ARRAY_SIZE(cases); i++)
		assert_string_equal(zh_format_ns(text, sizeof(text), cases[i].ns), cases[i].text);
	assert_string_equal(zh_format_bytes(text, sizeof(text), 65536), "64.0 KiB");
}

static void rates_have_three_digits(void **state)
{
	static const struct {
		double rate;
		const char *text;
	} cases[] = {{0, "0"}, {0.004, "0.00"}, {0.4, "0.40"}, {9.99, "9.99"}, {9.996, "10.0"},
		{99.94, "99.9"}, {99.96, "100"}, {999.4, "999"}, {999.6, "1.00k"}, {12345, "12.3k"},
		{1450000, "1.45M"}, {2.5e9, "2.50G"}, {5e12, "5000G"}};
	char buf[32];

	(void)state;
	for (size_t i = 0; i < ZH_ARRAY_SIZE(cases); i++)
		assert_string_equal(zh_format_rate(buf, sizeof(buf), cases[i].rate), cases[i].text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(durations),
		cmocka_unit_test(sizes),
		cmocka_unit_test(cpu_lists_round_trip),
		cmocka_unit_test(times_have_three_digits),
		cmocka_unit_test(rates_have_three_digits),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
