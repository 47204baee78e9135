/* SPDX-License-Identifier: BSD-2-Clause */
#include "record/record.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/util.h"

#define PAGE_BYTES 4096

/*
 * Allocates n zeroed elements (n 0: one) and writes to every page, so that no page fault happens
 * while probes run. calloc() alone maps a large array to the shared zero page; the writes are
 * volatile, for a compiler may drop a memset() behind calloc().
 */
static void *new_array(size_t n, size_t element_bytes)
{
	volatile char *bytes;
	size_t i, size;

	if (__builtin_mul_overflow(n ? n : 1, element_bytes, &size))
		return NULL;
	bytes = calloc(1, size);
	if (!bytes)
		return NULL;
	for (i = 0; i < size; i += PAGE_BYTES)
		bytes[i] = 0;
	return (void *)bytes;
}

struct zh_record *zh_record_new(const struct zh_record_limits *limits)
{
	struct zh_record *record = calloc(1, sizeof(*record));

	if (!record)
		return NULL;
	record->max_phases = limits->phases;
	record->max_samples = limits->samples;
	record->max_stamps = limits->stamps;
	record->max_events = limits->events;
	record->phases = new_array(limits->phases, sizeof(*record->phases));
	record->samples = new_array(limits->samples, sizeof(*record->samples));
	record->stamps = new_array(limits->stamps, sizeof(*record->stamps));
	record->events = new_array(limits->events, sizeof(*record->events));
	record->not_measured = new_array(ZH_NOT_MEASURED_MAX, sizeof(*record->not_measured));
	record->counters = new_array(ZH_COUNTERS_MAX, sizeof(*record->counters));
	if (!record->phases || !record->samples || !record->stamps || !record->events ||
		!record->not_measured || !record->counters)
		return zh_record_free(record);
	snprintf(record->version, sizeof(record->version), "%s", ZH_VERSION);
	record->overhead_cpu_share = -1;
	return record;
}

struct zh_record *zh_record_free(struct zh_record *record)
{
	if (!record)
		return NULL;
	zh_fact_set_done(&record->before);
	zh_fact_set_done(&record->after);
	free(record->phases);
	free(record->samples);
	free(record->stamps);
	free(record->events);
	free(record->not_measured);
	free(record->counters);
	zh_bench_data_done(&record->bench);
	free(record);
	return NULL;
}

void zh_record_not_measured(struct zh_record *record, const char *what, const char *why, ...)
{
	struct zh_not_measured *entry;
	va_list ap;
	size_t i;

	for (i = 0; i < record->n_not_measured; i++)
		if (!strncmp(record->not_measured[i].what, what, sizeof(entry->what) - 1))
			return;
	if (record->n_not_measured == ZH_NOT_MEASURED_MAX)
		return;
	entry = &record->not_measured[record->n_not_measured++];
	if (record->n_not_measured == ZH_NOT_MEASURED_MAX) {
		/* The list must not look complete when it is not. */
		snprintf(entry->what, sizeof(entry->what), "more");
		snprintf(entry->why, sizeof(entry->why), "more things than this list can hold");
		return;
	}
	snprintf(entry->what, sizeof(entry->what), "%s", what);
	va_start(ap, why);
	vsnprintf(entry->why, sizeof(entry->why), why, ap);
	va_end(ap);
}

/* The counter with that name, made when missing; NULL when the list is full. */
static struct zh_counter *counter(struct zh_record *record, const char *name)
{
	struct zh_counter *found;
	size_t i;

	for (i = 0; i < record->n_counters; i++)
		if (!strncmp(record->counters[i].name, name, sizeof(found->name) - 1))
			return &record->counters[i];
	if (record->n_counters == ZH_COUNTERS_MAX)
		return NULL;
	found = &record->counters[record->n_counters++];
	snprintf(found->name, sizeof(found->name), "%s", name);
	return found;
}

void zh_record_counter(struct zh_record *record, const char *name, uint64_t value)
{
	struct zh_counter *found = counter(record, name);

	if (!found) {
		zh_record_not_measured(record, "record.counters",
			"more than %d counters; '%s' and perhaps others were dropped",
			ZH_COUNTERS_MAX, name);
		return;
	}
	if (__builtin_add_overflow(found->value, value, &found->value))
		found->value = UINT64_MAX;
}
