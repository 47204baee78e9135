/* SPDX-License-Identifier: BSD-2-Clause */
#include "stats/histogram.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/util.h"
#include "stats/random.h"
#include "stats/summary.h"

/* Every bucket's range maps back to it, ranges are contiguous, and the whole domain is covered. */
static void buckets_partition(void **state)
{
	uint64_t low, high, next = 0;
	size_t i;

	(void)state;
	for (i = 0; i < ZH_HISTOGRAM_BUCKETS; i++) {
		zh_histogram_range(i, &low, &high);
		assert_true(low == next);
		assert_int_equal(zh_histogram_bucket(low), i);
		assert_int_equal(zh_histogram_bucket(high), i);
		assert_true(high - low < low / 1000 + 1); /* the bound of the header */
		next = high + 1;
	}
	assert_true(high == UINT64_MAX);
}

static void quantiles_within_bound(void **state)
{
	static uint64_t values[20000];
	static const double qs[] = {0, 0.001, 0.1, 0.5, 0.9, 0.99, 0.999, 1};
	struct zh_histogram *h = zh_histogram_new();
	struct zh_random random = {9};
	size_t i;

	(void)state;
	assert_non_null(h);
	assert_int_equal(zh_histogram_quantile(h, 0.5), 0);
	for (i = 0; i < ZH_ARRAY_SIZE(values); i++) {
		values[i] = zh_random_next(&random) >> (zh_random_below(&random, 60) + 4);
		zh_histogram_add(h, values[i]);
	}
	zh_stats_sort(values, ZH_ARRAY_SIZE(values));
	for (i = 0; i < ZH_ARRAY_SIZE(qs); i++) {
		uint64_t exact = zh_stats_quantile(values, ZH_ARRAY_SIZE(values), qs[i]);
		uint64_t got = zh_histogram_quantile(h, qs[i]);

		assert_true(got >= exact);
		assert_true((double)(got - exact) <= 0.001 * (double)exact);
	}
	assert_true(h->max == values[ZH_ARRAY_SIZE(values) - 1] && h->min == values[0]);
	zh_histogram_free(h);
}

static void merging_equals_adding(void **state)
{
	struct zh_histogram *a = zh_histogram_new(), *b = zh_histogram_new();
	uint64_t i;

	(void)state;
	for (i = 1; i <= 1009; i++)
		zh_histogram_add(i % 2 ? a : b, i * 1000);
	zh_histogram_merge(a, b);
	assert_int_equal(a->n, 1009);
	assert_int_equal(a->min, 1000);
	assert_int_equal(a->max, 1009000);
	assert_true(zh_histogram_quantile(a, 0.5) >= 505000);
	assert_true(zh_histogram_quantile(a, 0.5) <= 505505);
	zh_histogram_free(a);
	zh_histogram_free(b);
}

static void check_bins(const uint64_t *values, size_t n, size_t max)
{
	uint64_t edges[33], counts[32], sum = 0;
	size_t bins, i, k = 0;

	bins = zh_stats_bins(values, n, edges, counts, max);
	assert_true(bins >= 1 && bins <= max);
	for (i = 0; i < bins; i++) {
		uint64_t in_bin = 0;

		assert_true(edges[i] < edges[i + 1]);
		for (; k < n && values[k] < edges[i + 1]; k++) {
			assert_true(values[k] >= edges[i]);
			in_bin++;
		}
		assert_int_equal(in_bin, counts[i]);
		sum += counts[i];
	}
	assert_int_equal(sum, n);
}

static void bins_hold_every_value(void **state)
{
	static const uint64_t few[] = {0, 3, 9, 10, 19, 20, 49, 50, 99, 100, 5000000};
	static const uint64_t high[] = {7000, 7001, 22000, 4000000000ull};
	static const uint64_t one[] = {8123};

	(void)state;
	check_bins(few, ZH_ARRAY_SIZE(few), 32);
	check_bins(few, ZH_ARRAY_SIZE(few), 3);
	check_bins(high, ZH_ARRAY_SIZE(high), 32);
	check_bins(one, 1, 32);
	check_bins(one, 1, 1);
	assert_int_equal(zh_stats_bins(few, 0, NULL, NULL, 10), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(buckets_partition),
		cmocka_unit_test(quantiles_within_bound),
		cmocka_unit_test(merging_equals_adding),
		cmocka_unit_test(bins_hold_every_value),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
