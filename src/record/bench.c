/* SPDX-License-Identifier: BSD-2-Clause */
#include "record/bench.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/util.h"
#include "record/record.h"
#include "stats/histogram.h"

/*
 * Room for `more` elements behind the n of an array, whose pointer is at `pointer`; NULL when out
 * of memory or above `max`, with the array as it was. Rounds are rare and realloc() grows large
 * blocks in place: no spare room is kept.
 */
static void *grow(void *pointer, size_t n, size_t more, size_t max, size_t element_bytes)
{
	char *elements;

	if (more > max || n > max - more)
		return NULL;
	memcpy(&elements, pointer, sizeof(elements));
	elements = realloc(elements, (n + more) * element_bytes);
	if (!elements)
		return NULL;
	memcpy(pointer, &elements, sizeof(elements));
	return elements + n * element_bytes;
}

void zh_bench_data_done(struct zh_bench_data *bench)
{
	free(bench->cells);
	free(bench->rounds);
	free(bench->buckets);
	free(bench->losses);
	free(bench->tools);
	*bench = (struct zh_bench_data){};
}

bool zh_record_bench_cell(struct zh_record *record, const struct zh_bench_cell *cell)
{
	struct zh_bench_data *bench = &record->bench;
	struct zh_bench_cell *copy =
		grow(&bench->cells, bench->n_cells, 1, ZH_BENCH_CELLS_MAX, sizeof(*cell));

	if (!copy)
		return false;
	*copy = *cell;
	bench->n_cells++;
	return true;
}

bool zh_record_bench_tool(struct zh_record *record, const struct zh_bench_tool *tool)
{
	struct zh_bench_data *bench = &record->bench;
	struct zh_bench_tool *copy =
		grow(&bench->tools, bench->n_tools, 1, ZH_BENCH_TOOLS_MAX, sizeof(*tool));

	if (!copy)
		return false;
	*copy = *tool;
	bench->n_tools++;
	return true;
}

static size_t count_occupied(const struct zh_histogram *histogram)
{
	size_t i, n = 0;

	for (i = 0; histogram && i < ZH_HISTOGRAM_BUCKETS; i++)
		n += histogram->counts[i] != 0;
	return n;
}

static void fill_buckets(struct zh_bench_bucket *buckets, const struct zh_histogram *histogram)
{
	uint64_t low, high;
	size_t i;

	for (i = 0; i < ZH_HISTOGRAM_BUCKETS; i++) {
		if (!histogram->counts[i])
			continue;
		zh_histogram_range(i, &low, &high);
		*buckets++ = (struct zh_bench_bucket){high, histogram->counts[i]};
	}
}

bool zh_record_bench_round(struct zh_record *record, const struct zh_bench_round *round,
	const struct zh_histogram *histogram, const struct zh_bench_loss *losses, size_t n_losses)
{
	struct zh_bench_data *bench = &record->bench;
	size_t n_buckets = count_occupied(histogram);
	struct zh_bench_bucket *bucket_rows = NULL;
	struct zh_bench_loss *loss_rows = NULL;
	struct zh_bench_round *copy;

	copy = grow(&bench->rounds, bench->n_rounds, 1, ZH_BENCH_ROUNDS_MAX, sizeof(*round));
	if (n_buckets)
		bucket_rows = grow(&bench->buckets, bench->n_buckets, n_buckets,
			ZH_BENCH_BUCKETS_MAX, sizeof(*bucket_rows));
	if (n_losses)
		loss_rows = grow(&bench->losses, bench->n_losses, n_losses, ZH_BENCH_LOSS_ROWS_MAX,
			sizeof(*losses));
	if (!copy || (n_buckets && !bucket_rows) || (n_losses && !loss_rows))
		return false;
	*copy = *round;
	copy->first_bucket = (uint32_t)bench->n_buckets;
	copy->n_buckets = (uint32_t)n_buckets;
	copy->first_loss = (uint32_t)bench->n_losses;
	copy->n_losses = (uint32_t)n_losses;
	if (n_buckets)
		fill_buckets(bucket_rows, histogram);
	if (n_losses)
		memcpy(loss_rows, losses, n_losses * sizeof(*losses));
	bench->n_rounds++;
	bench->n_buckets += n_buckets;
	bench->n_losses += n_losses;
	return true;
}

void zh_bench_round_histogram(const struct zh_bench_data *bench, const struct zh_bench_round *round,
	struct zh_histogram *into)
{
	uint64_t n = 0;
	size_t i;

	for (i = 0; i < round->n_buckets; i++) {
		const struct zh_bench_bucket *bucket = &bench->buckets[round->first_bucket + i];

		into->counts[zh_histogram_bucket(bucket->value_ns)] += bucket->count;
		n += bucket->count;
	}
	if (!n)
		return;
	into->n += n;
	into->sum += (double)round->sum_ns;
	into->min = ZH_MIN(into->min, round->min_ns);
	into->max = ZH_MAX(into->max, round->max_ns);
}

uint64_t zh_bench_round_quantile(
	const struct zh_bench_data *bench, const struct zh_bench_round *round, double q)
{
	const struct zh_bench_bucket *buckets = bench->buckets + round->first_bucket;
	uint64_t n = 0, seen = 0;
	double rank;
	size_t i;

	if (!round->n_buckets)
		return 0;
	for (i = 0; i < round->n_buckets; i++)
		n += buckets[i].count;
	rank = ceil(q * (double)n - 1e-9 * (double)n);
	for (i = 0; i < round->n_buckets; i++) {
		seen += buckets[i].count;
		if (seen && (double)seen >= rank)
			return ZH_MIN(buckets[i].value_ns, round->max_ns);
	}
	return round->max_ns;
}
