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

const char *zh_file_check(const struct zh_record *record)
{
	const char *wrong = NULL;
	size_t i;

	for (i = 0; i < record->n_phases; i++)
		if (!is_range(record->phases[i].first, record->phases[i].n, record->n_samples))
			return "a phase with samples that do not exist";
	for (i = 0; !wrong && i < record->n_samples; i++)
		wrong = check_sample(record, &record->samples[i]);
	return wrong;
}
