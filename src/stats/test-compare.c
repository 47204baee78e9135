/* SPDX-License-Identifier: BSD-2-Clause */
#include "stats/compare.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/util.h"
#include "stats/random.h"
#include "stats/summary.h"

#define N 200

static void fill(uint64_t *values, size_t n, uint64_t base, uint64_t spread, uint64_t seed)
{
	struct zh_random random = {seed};
	size_t i;

	for (i = 0; i < n; i++)
		values[i] = base + zh_random_below(&random, spread);
	zh_stats_sort(values, n);
}

static void mann_whitney_closed_form(void **state)
{
	static const uint64_t a[] = {1, 3, 5, 7}, b[] = {2, 4, 6, 8}, same[] = {5, 5, 5, 5};
	struct zh_mann_whitney r = zh_stats_mann_whitney(a, 4, b, 4);

	(void)state;
	assert_true(r.u == 10); /* 1 + 2 + 3 + 4 pairs with a < b */
	assert_true(fabs(r.superiority - 10.0 / 16) < 1e-12);
	/* variance 4 * 4 * 9 / 12 = 12; z = (2 - 0.5) / sqrt(12) */
	assert_true(fabs(r.p_value - erfc(1.5 / sqrt(12) / M_SQRT2)) < 1e-12);
	r = zh_stats_mann_whitney(same, 4, same, 4);
	assert_true(r.p_value == 1 && r.superiority == 0.5);
	assert_true(zh_stats_mann_whitney(a, 0, b, 4).p_value == 1);
}

static void mann_whitney_detects_and_is_calibrated(void **state)
{
	uint64_t a[N], b[N];
	unsigned int seed, false_alarms = 0;

	(void)state;
	fill(a, N, 1000, 1000, 1);
	fill(b, N, 1300, 1000, 2);
	assert_true(zh_stats_mann_whitney(a, N, b, N).p_value < 1e-6);
	for (seed = 0; seed < 1000; seed++) {
		fill(a, 50, 1000, 40, 2 * seed + 11);
		fill(b, 50, 1000, 40, 2 * seed + 12);
		false_alarms += zh_stats_mann_whitney(a, 50, b, 50).p_value < 0.05;
	}
	assert_in_range(false_alarms, 25, 80); /* 50 expected, deviation 7 */
}

/* The median of all differences, found the slow way. */
static int64_t shift_by_sorting(const uint64_t *a, size_t n_a, const uint64_t *b, size_t n_b)
{
	uint64_t all[64 * 64];
	size_t i, k, n = 0;

	for (i = 0; i < n_a; i++)
		for (k = 0; k < n_b; k++)
			all[n++] = b[k] - a[i] + 1000000;
	return (int64_t)zh_stats_median(all, n) - 1000000;
}

static void hodges_lehmann(void **state)
{
	uint64_t a[N], b[N];
	unsigned int seed;

	(void)state;
	for (seed = 0; seed < 20; seed++) {
		fill(a, 1 + seed, 5000, 700, seed);
		fill(b, 20, 4800 + 30 * seed, 900, seed + 100);
		assert_int_equal(
			zh_stats_shift(a, 1 + seed, b, 20), shift_by_sorting(a, 1 + seed, b, 20));
	}
	fill(a, N, 1000, 500, 3);
	for (seed = 0; seed < N; seed++)
		b[seed] = a[seed] + 77;
	assert_int_equal(zh_stats_shift(a, N, b, N), 77);
	assert_int_equal(zh_stats_shift(b, N, a, N), -77);
	assert_int_equal(zh_stats_shift(a, 0, b, N), 0);
}

/* The 95 % interval of a known shift contains it in about 95 % of experiments. */
static void bootstrap_covers(void **state)
{
	unsigned int seed, covered = 0;
	uint64_t a[N], b[N];

	(void)state;
	for (seed = 0; seed < 100; seed++) {
		struct zh_interval got;

		fill(a, N, 1000, 1000, 3 * seed + 1);
		fill(b, N, 1500, 1000, 3 * seed + 2);
		assert_true(zh_stats_quantile_difference(a, N, b, N, 0.5, 0.95, 300, &got));
		assert_true(got.low <= got.estimate && got.estimate <= got.high);
		covered += got.low <= 500 && got.high >= 500;
	}
	assert_in_range(covered, 85, 100);
}

static void permutation_of_p99(void **state)
{
	uint64_t a[N], b[N];
	double p;
	size_t i;

	(void)state;
	fill(a, N, 1000, 100, 21);
	fill(b, N, 1000, 100, 22);
	assert_true(zh_stats_quantile_permutation(a, N, b, N, 0.95, 500, &p));
	assert_true(p > 0.01);
	for (i = N - 40; i < N; i++)
		b[i] += 100000; /* same median, another tail */
	assert_true(zh_stats_quantile_permutation(a, N, b, N, 0.95, 500, &p));
	assert_true(p < 0.01);
	assert_true(zh_stats_quantile_permutation(a, N, b, N, 0.5, 200, &p));
	assert_true(p > 0.01);
	assert_true(zh_stats_quantile_permutation(a, 0, b, N, 0.5, 10, &p));
	assert_true(p == 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(mann_whitney_closed_form),
		cmocka_unit_test(mann_whitney_detects_and_is_calibrated),
		cmocka_unit_test(hodges_lehmann),
		cmocka_unit_test(bootstrap_covers),
		cmocka_unit_test(permutation_of_p99),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
