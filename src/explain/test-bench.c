/* SPDX-License-Identifier: BSD-2-Clause */
/* Figures of cells, doubts and ranks. */
#include "explain/bench.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/util.h"
#include "explain/bench-parts.h"
#include "explain/test-bench-build.h"

#define MS (1000 * US)

static void assert_near(double value, double expected)
{
	if (fabs(value - expected) > 0.002 * fabs(expected))
		fail_msg("%g is not %g", value, expected);
}

/* Rounds of 10, 20 and 30 us beside floors of 10, 10 and 20: medians of figures and of the paired
 * ratios (1, 2, 1.5), not a ratio of medians (2). */
static void figures_are_medians_of_rounds(void **state)
{
	struct zh_record *record = bench_new();
	uint32_t cell = bench_cell(record,
		(struct zh_bench_cell){
			.transport = "tcp", .placement = ZH_PLACE_CROSS_CPU, .size_bytes = 1});
	static const struct bench_round rounds[] = {{10 * US, 10 * US, 3 * US, 1 * US, 1, 1, 0, {}},
		{20 * US, 10 * US, 5 * US, 2 * US, 1, 2, 0, {}},
		{30 * US, 20 * US, 4 * US, 9 * US, 2, 2, 0, {}}};
	struct zh_bench_analysis *analysis;
	const struct zh_bench_figures *f;
	size_t i;

	(void)state;
	for (i = 0; i < ZH_ARRAY_SIZE(rounds); i++)
		bench_round(record, cell, rounds[i], NULL, 0);
	analysis = bench_analyse(record);
	f = &analysis->cells[0];
	assert_int_equal(f->rounds, 3);
	assert_int_equal(f->messages, 3000);
	assert_int_equal(f->histogram->n, 3000);
	assert_near((double)f->p50_ns, 20000);
	assert_near((double)f->p90_ns, 22000);
	/* One of 100 is three times as long: rank 990 of a round is none of them. */
	assert_near((double)f->p99_ns, 22000);
	assert_near((double)f->p999_ns, 90000);
	assert_int_equal(f->p9999_ns, 0); /* 3000 answers do not reach so far */
	assert_int_equal(f->min_ns, 10000);
	assert_int_equal(f->max_ns, 90000);
	/* Of 100: 75 at 1, 24 at 1.1, one at 3 times the RTT. */
	assert_near((double)f->mean_ns, 20000 * 1.044);
	assert_near(f->floor_ratio, 1.5 * 1.044);
	assert_near(f->floor_p50_ratio, 1.5);
	assert_near((double)f->floor_p50_ns, 10000);
	assert_near(f->cpu_ns_per_msg, 4000);
	assert_near(f->peer_cpu_ns_per_msg, 2000);
	assert_near(f->switches_per_msg, 3);
	assert_near(f->spread, 1);
	assert_int_equal(f->doubts, ZH_DOUBT_UNSTABLE);
	assert_int_equal(f->rank, 0);
	zh_bench_analysis_free(analysis);
	zh_record_free(record);
}

static void streams_have_throughput(void **state)
{
	struct zh_record *record = bench_new();
	struct zh_bench_analysis *analysis;
	const struct zh_bench_figures *f;

	(void)state;
	bench_stream(record, "tcp", 65536,
		(struct bench_round){.rtt_ns = 20 * US, .floor_ns = 18 * US, .cpu_ns = 19 * US});
	analysis = bench_analyse(record);
	f = &analysis->cells[0];
	assert_null(f->histogram);
	assert_near((double)f->bytes_per_s, 65536.0 / 20e-6);
	assert_near((double)f->floor_bytes_per_s, 65536.0 / 18e-6);
	assert_near(f->floor_ratio, 0.9);
	assert_near(f->spread, 0.01);
	assert_int_equal(f->p50_ns + f->mean_ns + f->max_ns, 0);
	assert_int_equal(f->rank, 1);
	zh_bench_analysis_free(analysis);
	zh_record_free(record);
}

/* A stall in one paced round of three is in p99; that is what open-loop rounds are for. */
static void paced_tails_are_of_all_rounds(void **state)
{
	struct zh_record *record = bench_new();
	const struct zh_bench_cell cell = {
		.transport = "tcp", .mode = ZH_BENCH_RATE, .gap_ns = MS, .size_bytes = 1};
	struct zh_bench_analysis *analysis;
	int i;

	(void)state;
	bench_cell(record, cell);
	for (i = 0; i < 3; i++)
		bench_round(record, 0,
			(struct bench_round){
				.rtt_ns = i == 1 ? 10 * MS : 50 * US, .n = i == 1 ? 80 : 1000},
			NULL, 0);
	analysis = bench_analyse(record);
	assert_near((double)analysis->cells[0].p50_ns, 50000);
	assert_near((double)analysis->cells[0].p99_ns, 10e6);
	zh_bench_analysis_free(analysis);
	zh_record_free(record);
}

static unsigned int doubts_of(struct zh_bench_cell cell, struct bench_round round)
{
	struct zh_record *record = bench_new();
	struct zh_bench_analysis *analysis;
	unsigned int doubts;

	cell.size_bytes = 1;
	snprintf(cell.transport, sizeof(cell.transport), "tcp");
	bench_rounds(record, bench_cell(record, cell), round);
	analysis = bench_analyse(record);
	doubts = analysis->cells[0].doubts;
	assert_int_equal(!(doubts & ZH_DOUBTS_UNRANKED), analysis->cells[0].rank);
	zh_bench_analysis_free(analysis);
	zh_record_free(record);
	return doubts;
}

/* 1000 messages of 10 us: rounds of 10.44 ms. */
#define ROUND(...) ((struct bench_round){.rtt_ns = 10 * US, .also = {__VA_ARGS__}})

static void doubts_have_thresholds(void **state)
{
	const struct zh_bench_cell one = {.placement = ZH_PLACE_SAME_CPU};
	const struct zh_bench_cell two = {.placement = ZH_PLACE_CROSS_CPU};

	(void)state;
	assert_int_equal(doubts_of(two, ROUND()), 0);
	/* 10 % of one CPU are 1.04 ms a round, of two CPUs 2.09 ms. */
	assert_int_equal(doubts_of(one, ROUND(.foreign_ns = 900 * US)), 0);
	assert_int_equal(doubts_of(one, ROUND(.foreign_ns = 1200 * US)), ZH_DOUBT_FOREIGN);
	assert_int_equal(doubts_of(two, ROUND(.foreign_ns = 1200 * US)), 0);
	assert_int_equal(doubts_of(two, ROUND(.foreign_ns = 2500 * US)), ZH_DOUBT_FOREIGN);
	/* The two of them preempt each other on one CPU; on two it is somebody else. */
	assert_int_equal(doubts_of(two, ROUND(.preempted = 8)), 0);
	assert_int_equal(
		doubts_of(two, ROUND(.preempted = 8, .peer_preempted = 8)), ZH_DOUBT_PREEMPTED);
	assert_int_equal(doubts_of(one, ROUND(.preempted = 900)), 0);
	assert_int_equal(doubts_of(two, ROUND(.ended_early = 1)), ZH_DOUBT_SHORT);
	assert_int_equal(
		doubts_of(two, (struct bench_round){.rtt_ns = 10 * US, .n = 16}), ZH_DOUBT_SHORT);
	assert_int_equal(doubts_of(two, (struct bench_round){.rtt_ns = 10 * US, .n = 17}), 0);
}

/* Ticks of 10 ms in rounds of 10 ms decide nothing; in rounds of a second they do. */
static void coarse_counters_are_not_believed(void **state)
{
	const struct zh_bench_cell two = {.placement = ZH_PLACE_CROSS_CPU};
	struct bench_round second = {.rtt_ns = 10 * US, .n = 100000};

	(void)state;
	assert_int_equal(doubts_of(two, ROUND(.foreign_unit_ns = 10 * MS, .foreign_ns = 0)),
		ZH_DOUBT_UNKNOWN);
	assert_int_equal(doubts_of(two, ROUND(.foreign_unit_ns = 10 * MS, .foreign_ns = 5 * MS)),
		ZH_DOUBT_UNKNOWN);
	assert_int_equal(doubts_of(two, ROUND(.foreign_unit_ns = 10 * MS, .foreign_ns = 20 * MS)),
		ZH_DOUBT_FOREIGN);
	/* Of 2.09 s a round: 10 ms are 0.5 %, 50 ms 2.4 %, 260 ms 12 %. */
	second.also.foreign_unit_ns = 10 * MS;
	second.also.foreign_ns = 200 * MS;
	assert_int_equal(doubts_of(two, second), 0);
	second.also.foreign_ns = 260 * MS;
	assert_int_equal(doubts_of(two, second), ZH_DOUBT_FOREIGN);
	second.also.foreign_ns = 0;
	second.also.steal_ns = 10 * MS;
	assert_int_equal(doubts_of(two, second), 0);
	second.also.steal_ns = 50 * MS;
	assert_int_equal(doubts_of(two, second), ZH_DOUBT_STEAL);
	assert_int_equal(doubts_of(two, ROUND(.steal_ns = 10 * MS)), ZH_DOUBT_STEAL);
	assert_int_equal(doubts_of(two, ROUND(.steal_ns = 3 * MS)), 0);
}

static void rates_that_are_not_reached(void **state)
{
	const struct zh_bench_cell paced = {
		.mode = ZH_BENCH_RATE, .gap_ns = MS, .placement = ZH_PLACE_FREE};

	(void)state;
	/* 1000 messages in a second, in 1.04 and in 1.2 seconds. */
	assert_int_equal(doubts_of(paced, ROUND()), 0);
	assert_int_equal(doubts_of(paced, ROUND(.elapsed_ns = 1040 * MS)), 0);
	assert_int_equal(doubts_of(paced, ROUND(.elapsed_ns = 1200 * MS)), ZH_DOUBT_LATE);
	/* Lost ones were sent. */
	assert_int_equal(doubts_of(paced, ROUND(.elapsed_ns = 1200 * MS, .sent = 1200)), 0);
}

static void lost_datagrams_need_a_counter(void **state)
{
	const struct zh_bench_loss losses[] = {{"socket drops", 5}, {"unattributed", 2}};
	struct zh_record *record = bench_new();
	struct zh_bench_analysis *analysis;
	struct zh_bench_loss found[4];

	(void)state;
	bench_cell(record, (struct zh_bench_cell){.transport = "udp", .size_bytes = 1});
	bench_cell(record, (struct zh_bench_cell){.transport = "udp", .size_bytes = 1});
	bench_round(record, 0, ROUND(.sent = 1005, .missing = 5), losses, 1);
	bench_round(record, 1, ROUND(.sent = 1007, .missing = 7), losses, 2);
	bench_round(record, 1, ROUND(.sent = 1010, .missing = 10), losses, 1);
	analysis = bench_analyse(record);
	assert_int_equal(analysis->cells[0].doubts, 0);
	assert_int_equal(analysis->cells[1].doubts, ZH_DOUBT_LOST);
	assert_int_equal(zh_bench_losses(record, &analysis->cells[0], found, 4), 1);
	assert_int_equal(zh_bench_losses(record, &analysis->cells[1], found, 4), 2);
	assert_string_equal(found[0].counter, "socket drops");
	assert_int_equal(found[0].count, 10);
	assert_string_equal(found[1].counter, ZH_BENCH_UNATTRIBUTED);
	assert_int_equal(found[1].count, 2 + 5);
	zh_bench_analysis_free(analysis);
	zh_record_free(record);
}

/* Ranks of ping-pong cells with these p50s (us) and spreads (us). */
static void assert_ranks(const double figures[][2], const uint32_t *ranks, size_t n)
{
	struct zh_record *record = bench_new();
	struct zh_bench_analysis *analysis;
	size_t i;

	for (i = 0; i < n; i++) {
		const double low = figures[i][0] - figures[i][1] / 2;
		const double at[] = {low, figures[i][0], low + figures[i][1]};
		size_t k;

		bench_cell(record, (struct zh_bench_cell){.transport = "tcp", .size_bytes = 1});
		for (k = 0; k < 3; k++)
			bench_round(record, (uint32_t)i,
				(struct bench_round){.rtt_ns = (uint64_t)(1000 * at[k])}, NULL, 0);
	}
	analysis = bench_analyse(record);
	for (i = 0; i < n; i++)
		assert_int_equal(analysis->cells[i].rank, ranks[i]);
	zh_bench_analysis_free(analysis);
	zh_record_free(record);
}

static void only_what_differs_is_ranked_apart(void **state)
{
	(void)state;
	assert_ranks((const double[][2]){{20, 1}, {10, 1}, {15, 1}}, (uint32_t[]){3, 1, 2}, 3);
	/* 10 and 12 are closer than the second's spread. */
	assert_ranks((const double[][2]){{10, 1}, {12, 3}, {20, 1}}, (uint32_t[]){1, 1, 3}, 3);
	assert_ranks((const double[][2]){{10, 3}, {12, 1}, {20, 1}}, (uint32_t[]){1, 1, 3}, 3);
	/* 10 and 14 are apart, but 12 overlaps both: no two of them may be ranked apart. */
	assert_ranks((const double[][2]){{10, 1}, {12, 3}, {14, 1}}, (uint32_t[]){1, 1, 1}, 3);
	/* One cell of rounds that contradict each other takes no rank and blurs nobody's. */
	assert_ranks((const double[][2]){{10, 1}, {12, 1}, {14, 8}}, (uint32_t[]){1, 2, 0}, 3);
}

static void ranks_stay_within_their_question(void **state)
{
	struct zh_record *record = bench_new();
	struct zh_bench_analysis *analysis;
	const struct zh_bench_cell cells[] = {
		{.transport = "tcp", .size_bytes = 1},
		{.transport = "tcp", .size_bytes = 65536},
		{.transport = "udp", .size_bytes = 1},
		{.transport = "tcp", .size_bytes = 1, .mode = ZH_BENCH_RATE, .gap_ns = 50 * MS},
		{.transport = "tcp", .size_bytes = 1, .mode = ZH_BENCH_RATE, .gap_ns = MS},
		{.transport = "tcp", .size_bytes = 1, .mode = ZH_BENCH_STREAM},
		{.transport = "udp", .size_bytes = 1, .mode = ZH_BENCH_STREAM},
		{.transport = "tcp", .size_bytes = 65536, .mode = ZH_BENCH_STREAM},
		{.transport = "udp", .size_bytes = 65507, .mode = ZH_BENCH_STREAM},
		{.transport = "shm", .size_bytes = 1, .why_not = "no futex"},
	};
	static const uint64_t rtts[] = {20, 40, 15, 90, 60, 2, 1, 20, 40};
	static const uint32_t ranks[] = {2, 1, 1, 1, 1, 2, 1, 1, 2, 0};
	uint32_t i;

	(void)state;
	for (i = 0; i < ZH_ARRAY_SIZE(cells); i++) {
		bench_cell(record, cells[i]);
		if (i < ZH_ARRAY_SIZE(rtts))
			bench_rounds(record, i, (struct bench_round){.rtt_ns = rtts[i] * US});
	}
	analysis = bench_analyse(record);
	for (i = 0; i < ZH_ARRAY_SIZE(cells); i++)
		assert_int_equal(analysis->cells[i].rank, ranks[i]);
	assert_int_equal(analysis->cells[9].rounds, 0);
	zh_bench_analysis_free(analysis);
	zh_record_free(record);
}

/* One round has no spread: it is worth what a single run is worth. */
static void single_rounds_are_far_apart_or_equal(void **state)
{
	struct zh_record *record = bench_new();
	struct zh_bench_analysis *analysis;
	static const uint64_t rtts[] = {10, 13, 30};
	uint32_t i;

	(void)state;
	for (i = 0; i < ZH_ARRAY_SIZE(rtts); i++) {
		bench_cell(record, (struct zh_bench_cell){.transport = "tcp", .size_bytes = 1});
		bench_round(record, i, (struct bench_round){.rtt_ns = rtts[i] * US}, NULL, 0);
	}
	analysis = bench_analyse(record);
	assert_true(analysis->cells[0].spread < 0);
	assert_int_equal(analysis->cells[0].rank, 1);
	assert_int_equal(analysis->cells[1].rank, 1);
	assert_int_equal(analysis->cells[2].rank, 3);
	zh_bench_analysis_free(analysis);
	zh_record_free(record);
}

/* A cell whose every datagram got lost has no figures, but its losses are known. */
static void nothing_answered(void **state)
{
	const struct zh_bench_loss losses[] = {{"socket drops", 40}};
	struct zh_record *record = bench_new();
	struct zh_bench_analysis *analysis;
	const struct zh_bench_round round = {
		.elapsed_ns = MS, .sent = 50, .missing = 50, .ended_early = 1};
	struct zh_bench_loss found[2];

	(void)state;
	bench_cell(record, (struct zh_bench_cell){.transport = "udp", .size_bytes = 1});
	assert_true(zh_record_bench_round(record, &round, NULL, losses, 1));
	analysis = bench_analyse(record);
	assert_int_equal(analysis->cells[0].rounds, 0);
	assert_int_equal(analysis->cells[0].missing, 50);
	assert_int_equal(zh_bench_losses(record, &analysis->cells[0], found, 2), 2);
	assert_int_equal(found[0].count + found[1].count, 50);
	zh_bench_analysis_free(analysis);
	zh_record_free(record);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(figures_are_medians_of_rounds),
		cmocka_unit_test(streams_have_throughput),
		cmocka_unit_test(paced_tails_are_of_all_rounds),
		cmocka_unit_test(doubts_have_thresholds),
		cmocka_unit_test(coarse_counters_are_not_believed),
		cmocka_unit_test(rates_that_are_not_reached),
		cmocka_unit_test(lost_datagrams_need_a_counter),
		cmocka_unit_test(only_what_differs_is_ranked_apart),
		cmocka_unit_test(ranks_stay_within_their_question),
		cmocka_unit_test(single_rounds_are_far_apart_or_equal),
		cmocka_unit_test(nothing_answered),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
