/* SPDX-License-Identifier: BSD-2-Clause */
/* Benchmark rows in memory; their file is tested in test-file.c and test-load.c. */
#include "record/bench.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/util.h"
#include "record/record.h"
#include "stats/histogram.h"

static const struct zh_record_limits none = {};

/* Every member of a histogram survives being kept as occupied buckets. */
static void histograms_come_back(void **state)
{
	static const uint64_t values[] = {
		0, 1, 2047, 2048, 2049, 15500, 15501, 15999, 1000000007, 1ull << 40};
	static const double quantiles[] = {0, 0.01, 0.1, 0.5, 0.51, 0.8, 0.9, 0.99, 0.999, 1};
	struct zh_record *record = zh_record_new(&none);
	struct zh_histogram *kept = zh_histogram_new(), *back = zh_histogram_new();
	struct zh_bench_round round = {.min_ns = 0, .max_ns = 1ull << 40};
	size_t i, k;

	(void)state;
	assert_true(record && kept && back);
	for (i = 0; i < ZH_ARRAY_SIZE(values); i++)
		for (k = 0; k <= i; k++) {
			zh_histogram_add(kept, values[i]);
			round.sum_ns += values[i];
		}
	assert_true(zh_record_bench_round(record, &round, kept, NULL, 0));
	zh_bench_round_histogram(&record->bench, &record->bench.rounds[0], back);
	assert_memory_equal(kept, back, sizeof(*kept));
	for (i = 0; i < ZH_ARRAY_SIZE(quantiles); i++)
		assert_true(zh_bench_round_quantile(&record->bench, &record->bench.rounds[0],
				    quantiles[i]) == zh_histogram_quantile(kept, quantiles[i]));
	zh_histogram_free(kept);
	zh_histogram_free(back);
	zh_record_free(record);
}

static void rounds_own_their_ranges(void **state)
{
	struct zh_record *record = zh_record_new(&none);
	struct zh_histogram *h = zh_histogram_new(), *back = zh_histogram_new();
	const struct zh_bench_loss losses[] = {{"a", 1}, {"b", 2}};
	/* Ranges that the caller leaves behind are not believed. */
	const struct zh_bench_round round = {.min_ns = 7,
		.max_ns = 9,
		.sum_ns = 16,
		.first_bucket = 99,
		.n_buckets = 99,
		.first_loss = 99,
		.n_losses = 99};
	const struct zh_bench_data *bench;

	(void)state;
	assert_true(record && h && back);
	bench = &record->bench;
	zh_histogram_add(h, 7);
	zh_histogram_add(h, 9);
	assert_true(zh_record_bench_round(record, &round, h, losses, 2));
	assert_true(zh_record_bench_round(record, &round, NULL, NULL, 0));
	assert_true(zh_record_bench_round(record, &round, h, losses + 1, 1));
	assert_int_equal(bench->n_rounds, 3);
	assert_int_equal(bench->n_buckets, 4);
	assert_int_equal(bench->rounds[1].n_buckets + bench->rounds[1].n_losses, 0);
	assert_int_equal(bench->rounds[2].first_bucket, 2);
	assert_string_equal(bench->losses[bench->rounds[2].first_loss].counter, "b");
	zh_bench_round_histogram(bench, &bench->rounds[1], back);
	assert_int_equal(back->n, 0);
	assert_true(back->min == UINT64_MAX);
	assert_int_equal(zh_bench_round_quantile(bench, &bench->rounds[1], 0.5), 0);
	zh_bench_round_histogram(bench, &bench->rounds[0], back);
	zh_bench_round_histogram(bench, &bench->rounds[2], back);
	assert_int_equal(back->n, 4);
	assert_int_equal(zh_histogram_quantile(back, 0.5), 7);
	zh_histogram_free(h);
	zh_histogram_free(back);
	zh_record_free(record);
}

static void bounds_hold(void **state)
{
	struct zh_record *record = zh_record_new(&none);
	const struct zh_bench_cell cell = {.transport = "tcp"};
	size_t i;

	(void)state;
	for (i = 0; i < ZH_BENCH_CELLS_MAX; i++)
		assert_true(zh_record_bench_cell(record, &cell));
	assert_false(zh_record_bench_cell(record, &cell));
	assert_int_equal(record->bench.n_cells, ZH_BENCH_CELLS_MAX);
	assert_string_equal(record->bench.cells[ZH_BENCH_CELLS_MAX - 1].transport, "tcp");
	zh_record_free(record);
}

static void names(void **state)
{
	(void)state;
	assert_string_equal(zh_bench_mode_name(ZH_BENCH_PINGPONG), "pingpong");
	assert_string_equal(zh_bench_mode_name(ZH_BENCH_STREAM), "stream");
	assert_string_equal(zh_bench_mode_name(ZH_BENCH_RATE), "rate");
	assert_string_equal(zh_bench_placement_name(ZH_PLACE_SAME_CPU), "same-cpu");
	assert_string_equal(zh_bench_placement_name(ZH_PLACE_CROSS_CPU), "cross-cpu");
	assert_string_equal(zh_bench_placement_name(ZH_PLACE_FREE), "free");
	assert_string_equal(zh_bench_placement_name(ZH_PLACE_MAX), "unknown");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(histograms_come_back),
		cmocka_unit_test(rounds_own_their_ranges),
		cmocka_unit_test(bounds_hold),
		cmocka_unit_test(names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
