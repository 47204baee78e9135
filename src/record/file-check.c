/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the rest of the program relies on without looking: that every index of a record points into
 * its array. Bounds of single numbers are in the tables of file-schema.c.
 */
#include "record/file.h"

static bool is_range(uint64_t first, uint64_t n, size_t size)
{
	return first + n <= size;
}

static const char *check_sample(const struct zh_record *record, const struct zh_sample *sample)
{
	if (sample->phase >= record->n_phases)
		return "a sample of a phase that does not exist";
	/* An empty range may have any start: nobody looks there. */
	if (sample->n_stamps && !is_range(sample->stamps, sample->n_stamps, record->n_stamps))
		return "a sample with stamps that do not exist";
	if (sample->n_events && !is_range(sample->events, sample->n_events, record->n_events))
		return "a sample with events that do not exist";
	if (sample->recv_ns != 0 && sample->recv_ns < sample->send_ns)
		return "a sample answered before it was sent";
	return NULL;
}

/*
 * Ranges of rounds follow each other, as they were appended. Otherwise a small file could have many
 * rounds that each point to all rows, and take hours to read.
 */
static bool is_next_range(uint64_t *end, uint64_t first, uint64_t n, size_t size)
{
	if (!n)
		return true;
	if (first < *end || !is_range(first, n, size))
		return false;
	*end = first + n;
	return true;
}

/* A histogram: ascending values, and a total that can be added up. */
static bool are_buckets(const struct zh_bench_bucket *buckets, size_t n)
{
	uint64_t total = 0;
	size_t i;

	for (i = 0; i < n; i++)
		if ((i && buckets[i].value_ns <= buckets[i - 1].value_ns) ||
			__builtin_add_overflow(total, buckets[i].count, &total))
			return false;
	return true;
}

static const char *check_bench(const struct zh_bench_data *bench)
{
	uint64_t buckets_end = 0, losses_end = 0;
	size_t i;

	for (i = 0; i < bench->n_rounds; i++) {
		const struct zh_bench_round *round = &bench->rounds[i];

		if (round->cell >= bench->n_cells)
			return "a round of a bench cell that does not exist";
		if (!is_next_range(
			    &buckets_end, round->first_bucket, round->n_buckets, bench->n_buckets))
			return "a round with buckets that do not exist or belong to another";
		if (round->n_buckets &&
			!are_buckets(bench->buckets + round->first_bucket, round->n_buckets))
			return "a round with a histogram that is none";
		if (!is_next_range(
			    &losses_end, round->first_loss, round->n_losses, bench->n_losses))
			return "a round with losses that do not exist or belong to another";
	}
	for (i = 0; i < bench->n_tools; i++)
		if (bench->tools[i].cell >= bench->n_cells)
			return "another program's figures of a bench cell that does not exist";
	return NULL;
}

const char *zh_file_check(const struct zh_record *record)
{
	const char *wrong = NULL;
	size_t i;

	for (i = 0; i < record->n_phases; i++)
		if (!is_range(record->phases[i].first, record->phases[i].n, record->n_samples))
			return "a phase with samples that do not exist";
	for (i = 0; !wrong && i < record->n_samples; i++)
		wrong = check_sample(record, &record->samples[i]);
	return wrong ? wrong : check_bench(&record->bench);
}
