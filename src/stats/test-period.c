/* SPDX-License-Identifier: BSD-2-Clause */
#include "stats/period.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/util.h"
#include "stats/random.h"

#define N 200

static struct zh_period find(const bool *spike, size_t n, double unit)
{
	struct zh_period found;
	double times[4 * N];
	size_t i;

	for (i = 0; i < n; i++)
		times[i] = (double)i * unit;
	assert_true(zh_stats_period(times, spike, n, &found));
	return found;
}

static void every_tenth(void **state)
{
	bool spike[N] = {false};
	struct zh_period found;
	size_t i;

	(void)state;
	for (i = 3; i < N; i += 10)
		spike[i] = true;
	found = find(spike, N, 1);
	assert_true(found.p_value <= ZH_PERIOD_ALPHA);
	assert_true(fabs(found.period - 10) < 1e-9);
	found = find(spike, N, 200e6); /* in ns */
	assert_true(found.p_value <= ZH_PERIOD_ALPHA);
	assert_true(fabs(found.period - 2e9) < 1);
}

/* Jitter of one sample either way that adds up, a fifth of the spikes missing, one stray. */
static void jitter_and_misses(void **state)
{
	unsigned int seed, detected = 0;

	(void)state;
	for (seed = 0; seed < 100; seed++) {
		struct zh_random random = {seed};
		bool spike[N] = {false};
		struct zh_period found;
		size_t at = 5;

		while (at < N) {
			if (zh_random_below(&random, 5))
				spike[at] = true;
			at += 9 + zh_random_below(&random, 3);
		}
		spike[zh_random_below(&random, N)] = true;
		found = find(spike, N, 1);
		detected += found.p_value <= ZH_PERIOD_ALPHA && fabs(found.period - 10) < 0.6;
	}
	assert_true(detected >= 90);
}

/* Random spikes of several densities: at most one sequence in a hundred is called periodic. */
static void random_is_not_periodic(void **state)
{
	unsigned int seed, false_alarms = 0;

	(void)state;
	for (seed = 0; seed < 1000; seed++) {
		struct zh_random random = {seed * 7919ull + 1};
		unsigned int one_in = 5 + seed % 16;
		bool spike[N] = {false};
		size_t i;

		for (i = 0; i < N; i++)
			spike[i] = zh_random_below(&random, one_in) == 0;
		false_alarms += find(spike, N, 1).p_value <= ZH_PERIOD_ALPHA;
	}
	assert_true(false_alarms <= 10);
}

/* Bursts at random times: neighbours count as one spike, so they are no pattern. */
static void bursts_are_not_periodic(void **state)
{
	unsigned int seed, false_alarms = 0;

	(void)state;
	for (seed = 0; seed < 200; seed++) {
		struct zh_random random = {seed * 104729ull + 5};
		bool spike[N] = {false};
		size_t i, k;

		for (i = 0; i < N; i++)
			for (k = i; k < i + 3 && k < N && !zh_random_below(&random, 20); k++)
				spike[k] = true;
		false_alarms += find(spike, N, 1).p_value <= ZH_PERIOD_ALPHA;
	}
	assert_true(false_alarms <= 4);
}

static void too_few_or_too_many(void **state)
{
	bool spike[N] = {false};
	size_t i;

	(void)state;
	assert_true(find(spike, N, 1).p_value == 1);
	for (i = 0; i < 4; i++)
		spike[i * 20] = true;
	assert_true(find(spike, N, 1).p_value == 1);
	for (i = 0; i < N; i++)
		spike[i] = true;
	assert_true(find(spike, N, 1).p_value == 1);
	assert_true(find(spike, 0, 1).p_value == 1);
}

/* More spikes than are looked at. */
static void many_spikes(void **state)
{
	bool spike[4 * N] = {false};
	size_t i;

	(void)state;
	for (i = 0; i < 4 * N; i += 3)
		spike[i] = true;
	assert_true(find(spike, 4 * N, 1).p_value <= ZH_PERIOD_ALPHA);
	assert_true(fabs(find(spike, 4 * N, 1).period - 3) < 1e-9);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_tenth),
		cmocka_unit_test(jitter_and_misses),
		cmocka_unit_test(random_is_not_periodic),
		cmocka_unit_test(bursts_are_not_periodic),
		cmocka_unit_test(too_few_or_too_many),
		cmocka_unit_test(many_spikes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
