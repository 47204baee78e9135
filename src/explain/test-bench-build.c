/* SPDX-License-Identifier: BSD-2-Clause */
#include "explain/test-bench-build.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/util.h"

struct zh_record *bench_new(void)
{
	const struct zh_record_limits none = {};
	struct zh_record *record = zh_record_new(&none);

	assert_non_null(record);
	snprintf(record->version, sizeof(record->version), "1");
	snprintf(record->command, sizeof(record->command), "bench");
	snprintf(record->host, sizeof(record->host), "node-7");
	snprintf(record->kernel, sizeof(record->kernel), "6.1.0 x86_64");
	record->start_realtime_ns = 1700000000000000000;
	record->start_ns = 1000000000;
	record->end_ns = 9000000000;
	record->n_cpus = 2;
	return record;
}

uint32_t bench_cell(struct zh_record *record, struct zh_bench_cell cell)
{
	cell.cpu = cell.placement == ZH_PLACE_FREE ? -1 : 0;
	cell.peer_cpu = cell.placement == ZH_PLACE_FREE ? -1 : cell.placement == ZH_PLACE_CROSS_CPU;
	assert_true(zh_record_bench_cell(record, &cell));
	return (uint32_t)record->bench.n_cells - 1;
}

static uint64_t times(double per_message, uint64_t n)
{
	return (uint64_t)llround(per_message * (double)n);
}

static struct zh_histogram *fill_histogram(uint64_t rtt_ns, uint64_t n)
{
	struct zh_histogram *histogram = zh_histogram_new();
	uint64_t i;

	assert_non_null(histogram);
	for (i = 0; i < n; i++)
		zh_histogram_add(histogram,
			i % 100 == 99 ? 3 * rtt_ns : rtt_ns + (i % 4 == 3 ? rtt_ns / 10 : 0));
	return histogram;
}

/* What the caller gave beside the costs of a message. */
static void overlay(struct zh_bench_round *to, const struct zh_bench_round *from)
{
	if (from->elapsed_ns)
		to->elapsed_ns = from->elapsed_ns;
	to->ended_early = from->ended_early;
	to->preempted = from->preempted;
	to->peer_preempted = from->peer_preempted;
	to->foreign_ns = from->foreign_ns;
	to->steal_ns = from->steal_ns;
	if (from->foreign_unit_ns)
		to->foreign_unit_ns = from->foreign_unit_ns;
	to->sent = from->sent;
	to->missing = from->missing;
	to->zerocopy_done = from->zerocopy_done;
	to->zerocopy_copied = from->zerocopy_copied;
}

void bench_round(struct zh_record *record, uint32_t cell, struct bench_round r,
	const struct zh_bench_loss *losses, size_t n_losses)
{
	const struct zh_bench_cell *c = &record->bench.cells[cell];
	uint64_t n = r.n ? r.n : 1000;
	struct zh_histogram *histogram = NULL;
	struct zh_bench_round round = {.cell = cell,
		.order = (uint16_t)record->bench.n_rounds,
		.messages = n,
		.bytes = n * c->size_bytes,
		.floor_messages = r.floor_ns ? n : 0,
		.floor_elapsed_ns = n * r.floor_ns,
		.floor_bytes = r.floor_ns ? n * c->size_bytes : 0,
		.cpu_ns = n * r.cpu_ns,
		.peer_cpu_ns = n * r.peer_cpu_ns,
		.switches = times(r.switches, n),
		.peer_switches = times(r.peer_switches, n),
		.foreign_unit_ns = 1};
	size_t i;

	for (i = 0; i < record->bench.n_rounds; i++)
		round.round += record->bench.rounds[i].cell == cell;
	round.elapsed_ns = n * r.rtt_ns;
	if (c->mode != ZH_BENCH_STREAM) {
		histogram = fill_histogram(r.rtt_ns, n);
		round.sum_ns = (uint64_t)histogram->sum;
		round.min_ns = histogram->min;
		round.max_ns = histogram->max;
		round.elapsed_ns = c->gap_ns ? n * c->gap_ns : round.sum_ns;
		round.floor_p50_ns = r.floor_ns;
	}
	overlay(&round, &r.also);
	assert_true(zh_record_bench_round(record, &round, histogram, losses, n_losses));
	zh_histogram_free(histogram);
}

void bench_rounds(struct zh_record *record, uint32_t cell, struct bench_round round)
{
	struct bench_round slow = round, fast = round;

	slow.rtt_ns += slow.rtt_ns / 200;
	fast.rtt_ns -= fast.rtt_ns / 200;
	bench_round(record, cell, slow, NULL, 0);
	bench_round(record, cell, round, NULL, 0);
	bench_round(record, cell, fast, NULL, 0);
}

uint32_t bench_pingpong(struct zh_record *record, const char *transport,
	enum zh_bench_placement placement, struct bench_round round)
{
	struct zh_bench_cell cell = {.placement = (uint8_t)placement, .size_bytes = 1};
	uint32_t index;

	snprintf(cell.transport, sizeof(cell.transport), "%s", transport);
	index = bench_cell(record, cell);
	bench_rounds(record, index, round);
	return index;
}

uint32_t bench_stream(struct zh_record *record, const char *transport, uint32_t size_bytes,
	struct bench_round round)
{
	struct zh_bench_cell cell = {
		.mode = ZH_BENCH_STREAM, .placement = ZH_PLACE_CROSS_CPU, .size_bytes = size_bytes};
	uint32_t index;

	snprintf(cell.transport, sizeof(cell.transport), "%s", transport);
	index = bench_cell(record, cell);
	bench_rounds(record, index, round);
	return index;
}

struct zh_bench_analysis *bench_analyse(const struct zh_record *record)
{
	struct zh_bench_analysis *analysis = NULL;
	struct zh_err err = {};

	assert_int_equal(zh_bench_analyse(record, &analysis, &err), 0);
	assert_non_null(analysis);
	return analysis;
}
