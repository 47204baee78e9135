/* SPDX-License-Identifier: BSD-2-Clause */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
// clang-format off
#include <cmocka.h>
// clang-format on

#include "base/util.h"
#include "session/bench/internal.h"
#include "stats/random.h"

#define MS ZH_NSEC_PER_MSEC

/* Each round has every cell once; different seeds give different orders, the same seed the same. */
static void every_round_has_every_cell(void **state)
{
	static const uint32_t cells[] = {3, 5, 8, 13, 21, 34};
	const size_t n = ZH_ARRAY_SIZE(cells);
	struct zh_random a = {1}, b = {1}, c = {2};
	zh_autofree struct bench_job *first = bench_order(cells, n, 4, &a);
	zh_autofree struct bench_job *again = bench_order(cells, n, 4, &b);
	zh_autofree struct bench_job *other = bench_order(cells, n, 4, &c);
	size_t i, k, found;

	(void)state;
	assert_non_null(first);
	assert_non_null(again);
	assert_non_null(other);
	for (i = 0; i < 4 * n; i++) {
		assert_int_equal(first[i].round, i / n);
		for (k = i / n * n, found = 0; k < (i / n + 1) * n; k++)
			found += first[k].cell == cells[i % n];
		assert_int_equal(found, 1);
		assert_int_equal(first[i].cell, again[i].cell);
	}
	assert_memory_not_equal(first, other, 4 * n * sizeof(*first));
}

/* All places are equally likely: of 4 numbers each is first in about a quarter of the shuffles. */
static void shuffles_are_fair(void **state)
{
	struct zh_random random = {42};
	unsigned int first[4] = {0}, i;
	uint32_t order[4];

	(void)state;
	for (i = 0; i < 4000; i++) {
		bench_shuffle(order, 4, &random);
		first[order[0]]++;
	}
	for (i = 0; i < 4; i++)
		assert_in_range(first[i], 850, 1150);
}

static uint64_t whole(const struct bench_lengths *lengths)
{
	return lengths->warmup_ns + lengths->floor_ns + lengths->duration_ns;
}

static void lengths_fill_the_budget(void **state)
{
	struct zh_session_bench config = {.budget_ns = 9000 * MS};
	struct bench_lengths lengths = bench_lengths_find(&config, 45, false);

	(void)state;
	assert_in_range(whole(&lengths), 180 * MS, 200 * MS);
	assert_true(lengths.duration_ns > lengths.floor_ns);
	assert_in_range(lengths.warmup_ns, 90 * MS, 100 * MS);
	config.no_floor = true;
	lengths = bench_lengths_find(&config, 45, false);
	assert_int_equal(lengths.floor_ns, 0);
	assert_in_range(whole(&lengths), 180 * MS, 200 * MS);
}

static void lengths_are_bounded(void **state)
{
	struct zh_session_bench config = {.budget_ns = 1};
	struct bench_lengths lengths = bench_lengths_find(&config, 1000, false);

	(void)state;
	assert_true(lengths.duration_ns >= 20 * MS);
	config.budget_ns = UINT64_MAX / 16;
	lengths = bench_lengths_find(&config, 0, false);
	assert_true(lengths.duration_ns <= 10000 * MS);
	assert_true(lengths.floor_ns <= 350 * MS);
}

static void an_asked_duration_is_kept(void **state)
{
	struct zh_session_bench config = {.budget_ns = 100 * MS, .duration_ns = 4500 * MS};
	struct bench_lengths lengths = bench_lengths_find(&config, 3, false);

	(void)state;
	assert_int_equal(lengths.duration_ns, 4500 * MS);
	lengths = bench_lengths_find(&config, 3, true);
	assert_int_equal(lengths.duration_ns, 4500 * MS);
	config.duration_ns = 0;
	lengths = bench_lengths_find(&config, 3, true);
	assert_in_range(lengths.duration_ns, 1000 * MS, 1500 * MS);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_round_has_every_cell),
		cmocka_unit_test(shuffles_are_fair),
		cmocka_unit_test(lengths_fill_the_budget),
		cmocka_unit_test(lengths_are_bounded),
		cmocka_unit_test(an_asked_duration_is_kept),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
