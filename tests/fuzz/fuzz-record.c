/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Fuzz target of the record reader: any bytes give an error with a sentence, or a record that can
 * be walked along all its indices and saved and loaded again.
 */
#include <assert.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/util.h"
#include "record/record.h"
#include "stats/histogram.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static char path[] = "/tmp/zh-fuzz-record-XXXXXX";
static int fd = -1;

static void clean_up(void)
{
	unlink(path);
}

static uint64_t walk_bench(const struct zh_bench_data *bench)
{
	struct zh_histogram *histogram = zh_histogram_new();
	uint64_t sum = 0;
	size_t i, k;

	assert(histogram);
	for (i = 0; i < bench->n_rounds; i++) {
		const struct zh_bench_round *round = &bench->rounds[i];

		sum += strlen(bench->cells[round->cell].transport);
		for (k = 0; k < round->n_losses; k++)
			sum += strlen(bench->losses[round->first_loss + k].counter);
		zh_bench_round_histogram(bench, round, histogram);
	}
	for (i = 0; i < bench->n_tools; i++)
		sum += bench->cells[bench->tools[i].cell].size_bytes;
	sum += histogram->n + zh_histogram_quantile(histogram, 0.5);
	zh_histogram_free(histogram);
	return sum;
}

/* Touches everything that an index points to, so that a sanitizer sees a wrong one. */
static uint64_t walk(const struct zh_record *record)
{
	uint64_t sum = 0;
	size_t i, k;

	for (i = 0; i < record->n_phases; i++)
		for (k = 0; k < record->phases[i].n; k++)
			sum += record->samples[record->phases[i].first + k].seq;
	for (i = 0; i < record->n_samples; i++) {
		const struct zh_sample *sample = &record->samples[i];

		sum += record->phases[sample->phase].gap_ns;
		for (k = 0; k < sample->n_stamps; k++)
			sum += record->stamps[sample->stamps + k].ns;
		for (k = 0; k < sample->n_events; k++)
			sum += strlen(record->events[sample->events + k].comm);
	}
	sum += walk_bench(&record->bench);
	for (i = 0; i < record->before.n; i++)
		sum += zh_fact_find(&record->before, record->before.facts[i].key)->number;
	return sum;
}

static void save_and_load(const struct zh_record *record)
{
	struct zh_record *again = NULL;

	assert(zh_record_save(record, path, NULL) == 0);
	assert(zh_record_load(path, &again, NULL) == 0);
	assert(walk(record) == walk(again));
	zh_record_free(again);
	close(fd); /* The path is another file now. */
	fd = -1;
}

static void open_file(void)
{
	if (fd >= 0)
		return;
	unlink(path);
	memcpy(path + sizeof(path) - 7, "XXXXXX", 6);
	fd = mkstemp(path);
	assert(fd >= 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct zh_record *record = NULL;
	struct zh_err err = {};
	static bool is_set_up;
	int r;

	if (!is_set_up)
		atexit(clean_up);
	is_set_up = true;
	open_file();
	if (ftruncate(fd, 0) < 0 || pwrite(fd, data, size, 0) != (ssize_t)size)
		abort();
	r = zh_record_load(path, &record, &err);
	if (r < 0) {
		assert(!record && err.code == r && err.text[0]);
		return 0;
	}
	save_and_load(record);
	zh_record_free(record);
	return 0;
}
