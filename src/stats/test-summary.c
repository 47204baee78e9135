/* SPDX-License-Identifier: BSD-2-Clause */
#include "stats/summary.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/util.h"

static void quantiles_are_samples(void **state)
{
	uint64_t values[100];
	size_t i;

	(void)state;
	for (i = 0; i < 100; i++)
		values[i] = (i * 37 + 11) % 100 + 1; /* a permutation of 1..100 */
	zh_stats_sort(values, 100);
	assert_int_equal(zh_stats_quantile(values, 100, 0), 1);
	assert_int_equal(zh_stats_quantile(values, 100, 0.01), 1);
	assert_int_equal(zh_stats_quantile(values, 100, 0.07), 7);
	assert_int_equal(zh_stats_quantile(values, 100, 0.5), 50);
	assert_int_equal(zh_stats_quantile(values, 100, 0.505), 51);
	assert_int_equal(zh_stats_quantile(values, 100, 0.99), 99);
	assert_int_equal(zh_stats_quantile(values, 100, 0.999), 100);
	assert_int_equal(zh_stats_quantile(values, 100, 1), 100);
	assert_int_equal(zh_stats_quantile(values, 0, 0.5), 0);
}

static void median_and_mad(void **state)
{
	uint64_t values[] = {7, 1, 1000000, 3, 5}, scratch[5];
	uint64_t median;

	(void)state;
	median = zh_stats_median(values, 5);
	assert_int_equal(median, 5);
	/* deviations 4 2 0 2 999995: the outlier moves neither */
	assert_int_equal(zh_stats_mad(values, 5, median, scratch), 2);
	assert_int_equal(zh_stats_mad(values, 0, 0, scratch), 0);
}

static void moments(void **state)
{
	static const uint64_t values[] = {2, 4, 4, 4, 5, 5, 7, 9};
	uint64_t large[1000];
	struct zh_moments m = zh_stats_moments(values, 8);
	size_t i;

	(void)state;
	assert_true(fabs(m.mean - 5) < 1e-12);
	assert_true(fabs(m.stddev - sqrt(32.0 / 7)) < 1e-12);
	/* 0..999 on top of a mean of 10^15: closed form sqrt(n (n + 1) / 12) */
	for (i = 0; i < 1000; i++)
		large[i] = 1000000000000000ull + i;
	m = zh_stats_moments(large, 1000);
	assert_true(fabs(m.stddev - sqrt(1000.0 * 1001 / 12)) < 1e-2);
	assert_true(zh_stats_moments(values, 1).stddev == 0);
	assert_true(zh_stats_moments(values, 0).mean == 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(quantiles_are_samples),
		cmocka_unit_test(median_and_mad),
		cmocka_unit_test(moments),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
