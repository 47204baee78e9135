/* SPDX-License-Identifier: BSD-2-Clause */
#include "stats/trial.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/util.h"
#include "stats/random.h"

#define SIMULATED 200

static const struct zh_trial_figure latency[] = {
	{.name = "p50", .is_ratio = true, .decides = true, .margin = 0.03},
	{.name = "p99", .is_ratio = true, .decides = true, .margin = 0.1},
};

#define P50 0
#define P99 1

/*
 * A machine as ours are: an effect on each figure, a drift that wanders from block to block, noise
 * whose tail is heavy, and now and then a stall of the host that spoils a block.
 */
struct machine {
	struct zh_random random;
	double level, noise; /* noise: times the usual */
};

static double normal(struct zh_random *random)
{
	double sum = -6;

	for (int i = 0; i < 12; i++)
		sum += zh_random_unit(random);
	return sum;
}

static void measure(struct machine *m, double p50_effect, double p99_effect, double *ret)
{
	double stall = zh_random_unit(&m->random) < 0.03 ? 2 * zh_random_unit(&m->random) : 0;

	m->level += 0.02 * m->noise * normal(&m->random);
	ret[P50] = log(20000) + m->level + p50_effect + 0.02 * m->noise * normal(&m->random) +
		   stall / 10;
	ret[P99] = log(60000) + m->level + p99_effect + 0.15 * m->noise * fabs(normal(&m->random)) +
		   stall;
}

static struct zh_trial_quad run_quad(struct machine *m, double p50_effect, double p99_effect)
{
	struct zh_trial_quad quad = {};
	double sum[2][2] = {}, first_a[2] = {}, block[2];
	bool outer = zh_random_next(&m->random) & 1, has_first = false;

	for (int i = 0; i < 4; i++) {
		bool is_b = (i == 0 || i == 3) == outer;

		measure(m, is_b ? p50_effect : 0, is_b ? p99_effect : 0, block);
		for (int f = 0; f < 2; f++) {
			sum[is_b][f] += block[f] / 2;
			if (is_b)
				continue;
			quad.noise[f] = block[f] - first_a[f];
			if (!has_first)
				first_a[f] = block[f];
		}
		has_first |= !is_b;
	}
	for (int f = 0; f < 2; f++)
		quad.difference[f] = sum[1][f] - sum[0][f];
	return quad;
}

/* An experiment as a session runs it: looks until one of them is final. */
static struct zh_trial_result simulate(
	uint64_t seed, double noise, double p50_effect, double p99_effect, size_t *ret_quads)
{
	struct machine machine = {.random = {seed}, .noise = noise};
	struct zh_trial_quad quads[ZH_TRIAL_QUADS];
	struct zh_trial_result result = {};
	size_t n = 0;

	for (unsigned int k = 0; !result.is_final; k++) {
		while (n < zh_trial_look(k))
			quads[n++] = run_quad(&machine, p50_effect, p99_effect);
		assert_true(zh_trial_judge(latency, ZH_ARRAY_SIZE(latency), quads, n, k, &result));
	}
	*ret_quads = n;
	return result;
}

/* On a quiet machine equality is seen at once; on a noisy one the experiment goes on to later
 * looks, each of them another chance to be wrong. */
static void equal_arms_are_rarely_called_different(void **state)
{
	static const double noises[] = {1, 4};
	unsigned int wrong = 0, equal[2] = {};
	size_t n, quads[2] = {};

	(void)state;
	for (uint64_t seed = 1; seed <= SIMULATED; seed++) {
		bool noisy = seed % 5 == 0;
		struct zh_trial_result result = simulate(seed * 7919, noises[noisy], 0, 0, &n);

		wrong += result.verdict == ZH_TRIAL_HELPS || result.verdict == ZH_TRIAL_HARMS ||
			 result.verdict == ZH_TRIAL_MIXED;
		equal[noisy] += result.verdict == ZH_TRIAL_NO_EFFECT;
		quads[noisy] += n;
	}
	assert_in_range(wrong, 0, SIMULATED / 20);
	assert_in_range(equal[0], SIMULATED / 2, SIMULATED);
	assert_true(quads[1] * 4 > 2 * quads[0]); /* of a quarter as many */
}

static void effects_are_found_with_their_direction(void **state)
{
	unsigned int helped = 0, harmed = 0, tail = 0;
	size_t n, quads = 0;

	(void)state;
	for (uint64_t seed = 1; seed <= 40; seed++) {
		struct zh_trial_result result = simulate(seed * 104729, 1, log(0.5), log(0.5), &n);

		helped += result.verdict == ZH_TRIAL_HELPS;
		quads += n;
		assert_true(result.effect[P50].interval.estimate > 0.45 &&
			    result.effect[P50].interval.estimate < 0.55);
		harmed += simulate(seed * 15485863, 1, log(1.3), log(1.3), &n).verdict ==
			  ZH_TRIAL_HARMS;
		/* Only the tail is better. */
		tail += simulate(seed * 32452843, 1, 0, log(0.5), &n).verdict == ZH_TRIAL_HELPS;
	}
	assert_in_range(helped, 38, 40);
	assert_in_range(quads, 40 * zh_trial_look(0), 40 * zh_trial_look(1)); /* ends early */
	assert_in_range(harmed, 38, 40);
	assert_in_range(tail, 38, 40);
}

static void intervals_cover_the_truth(void **state)
{
	unsigned int covered = 0, runs = 300;

	(void)state;
	for (uint64_t seed = 1; seed <= runs; seed++) {
		struct machine machine = {.random = {seed * 49979687}, .noise = 1};
		struct zh_trial_quad quads[12];
		struct zh_trial_result result;

		for (size_t i = 0; i < ZH_ARRAY_SIZE(quads); i++)
			quads[i] = run_quad(&machine, log(0.8), 0);
		assert_true(zh_trial_judge(latency, 2, quads, ZH_ARRAY_SIZE(quads), 1, &result));
		covered += result.effect[P50].interval.low <= 0.8 &&
			   result.effect[P50].interval.high >= 0.8;
	}
	assert_in_range(covered, runs * 91 / 100, runs); /* 95 % stated, deviation 1.3 % */
}

static struct zh_trial_quad of(double p50, double p99)
{
	return (struct zh_trial_quad){.difference = {p50, p99}, .noise = {0.01, 0.02}};
}

static void exact_values(void **state)
{
	struct zh_trial_quad quads[8];
	struct zh_trial_result result;

	(void)state;
	for (size_t i = 0; i < 8; i++)
		quads[i] = of(-0.5 - 0.01 * (double)i, NAN);
	assert_true(zh_trial_judge(latency, 2, quads, 8, 0, &result));
	/* All signs alike: 2 of 256 patterns are as far out. */
	assert_true(fabs(result.effect[P50].p_value - 2.0 / 256) < 1e-12);
	assert_true(fabs(result.effect[P50].interval.estimate - exp(-0.535)) < 1e-9);
	assert_true(fabs(result.effect[P50].noise_floor - expm1(0.01)) < 1e-9);
	assert_int_equal(result.verdict, ZH_TRIAL_HELPS);
	assert_true(result.is_final);
	assert_int_equal(result.effect[P99].n, 0);
	assert_true(result.effect[P99].p_value == 1 && result.effect[P99].direction == 0);
}

static void too_few_quads_and_conflicts(void **state)
{
	struct zh_trial_quad quads[54];
	struct zh_trial_result result;

	(void)state;
	for (size_t i = 0; i < 54; i++)
		quads[i] = of(-0.5 - 0.001 * (double)i, 0.6 + 0.001 * (double)i);
	assert_true(zh_trial_judge(latency, 2, quads, 7, 0, &result));
	assert_int_equal(result.verdict, ZH_TRIAL_INCONCLUSIVE);
	assert_false(result.is_final);
	assert_true(zh_trial_judge(latency, 2, quads, 0, 0, &result));
	assert_true(zh_trial_judge(latency, 2, quads, 8, 0, &result));
	assert_int_equal(result.verdict, ZH_TRIAL_MIXED);
	/* Noise as large as the margin: the last look ends it, and says how many it would take. */
	for (size_t i = 0; i < 54; i++)
		quads[i] = of(i % 2 ? 0.3 : -0.3, i % 3 ? 0.3 : -0.5);
	assert_true(zh_trial_judge(latency, 2, quads, 54, 5, &result));
	assert_int_equal(result.verdict, ZH_TRIAL_INCONCLUSIVE);
	assert_true(result.is_final);
	assert_in_range(result.more_quads, 54, 100000);
}

static void more_is_better_and_differences(void **state)
{
	static const struct zh_trial_figure figures[] = {
		{.name = "rate",
			.is_ratio = true,
			.decides = true,
			.more_is_better = true,
			.margin = 0.03},
		{.name = "lost", .decides = true, .margin = 0.001},
	};
	struct zh_trial_quad quads[8];
	struct zh_trial_result result;

	(void)state;
	for (size_t i = 0; i < 8; i++)
		quads[i] = of(0.2 + 0.01 * (double)i, 0);
	assert_true(zh_trial_judge(figures, 2, quads, 8, 0, &result));
	assert_int_equal(result.verdict, ZH_TRIAL_HELPS);
	assert_true(result.effect[1].is_equal);
	for (size_t i = 0; i < 8; i++)
		quads[i] = of(0, 0.1 + 0.001 * (double)i);
	assert_true(zh_trial_judge(figures, 2, quads, 8, 0, &result));
	assert_int_equal(result.verdict, ZH_TRIAL_HARMS);
	assert_true(fabs(result.effect[1].interval.estimate - 0.1035) < 1e-9);
}

static void looks_spend_no_more_than_stated(void **state)
{
	double sum = 0;
	unsigned int k;

	(void)state;
	for (k = 0; zh_trial_look(k); k++) {
		sum += zh_trial_spend(k);
		assert_true(zh_trial_look(k) <= ZH_TRIAL_QUADS);
		assert_true(zh_trial_look(k + 1) == 0 || zh_trial_look(k + 1) > zh_trial_look(k));
	}
	assert_true(sum <= ZH_TRIAL_ALPHA + 1e-12);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(exact_values),
		cmocka_unit_test(too_few_quads_and_conflicts),
		cmocka_unit_test(more_is_better_and_differences),
		cmocka_unit_test(looks_spend_no_more_than_stated),
		cmocka_unit_test(intervals_cover_the_truth),
		cmocka_unit_test(effects_are_found_with_their_direction),
		cmocka_unit_test(equal_arms_are_rarely_called_different),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
