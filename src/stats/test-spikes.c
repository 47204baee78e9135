/* SPDX-License-Identifier: BSD-2-Clause */
#include "stats/spikes.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/util.h"
#include "stats/random.h"

#define N 1000

static size_t count_spikes(const uint64_t *values, size_t n)
{
	uint64_t threshold = zh_stats_spike_threshold(values, n);
	size_t i, count = 0;

	for (i = 0; i < n; i++)
		count += values[i] > threshold;
	return count;
}

/* Quiet loopback: a few hundred ns of noise, and host ticks of 38 us. */
static void quiet_path_has_none(void **state)
{
	struct zh_random random = {1};
	uint64_t values[N];
	size_t i;

	(void)state;
	for (i = 0; i < N; i++)
		values[i] = 8000 + zh_random_below(&random, 400) + (i % 17 ? 0 : 38000);
	assert_int_equal(count_spikes(values, N), 0);
}

/* Log-normal latency, sigma 0.5: heavy tail, but p99.9 is only about 4.7 times the median. */
static void heavy_tail_is_no_spike(void **state)
{
	struct zh_random random = {2};
	uint64_t values[N];
	size_t i;

	(void)state;
	for (i = 0; i < N; i++) {
		double u = zh_random_unit(&random) + 1e-12, v = zh_random_unit(&random);
		double normal = sqrt(-2 * log(u)) * cos(2 * M_PI * v);

		values[i] = (uint64_t)(200000 * exp(0.5 * normal));
	}
	assert_true(count_spikes(values, N) <= N / 100);
}

static void tenth_of_samples_is_found(void **state)
{
	struct zh_random random = {3};
	uint64_t values[N];
	size_t i;

	(void)state;
	for (i = 0; i < N; i++)
		values[i] = 30000 + zh_random_below(&random, 170000) +
			    (i % 10 ? 0 : 10000000 + zh_random_below(&random, 12000000));
	assert_int_equal(count_spikes(values, N), N / 10);
}

static void edges(void **state)
{
	uint64_t one = UINT64_MAX;

	(void)state;
	assert_true(zh_stats_spike_threshold(NULL, 0) == UINT64_MAX);
	assert_true(zh_stats_spike_threshold(&one, 1) == UINT64_MAX);
	one = 10;
	assert_int_equal(zh_stats_spike_threshold(&one, 1), 10 + ZH_SPIKE_FLOOR_NS);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(quiet_path_has_none),
		cmocka_unit_test(heavy_tail_is_no_spike),
		cmocka_unit_test(tenth_of_samples_is_found),
		cmocka_unit_test(edges),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
