/* SPDX-License-Identifier: BSD-2-Clause */
#include "lab/score.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include "lab/internal.h"

/* One entry of the schedule: the n-th run of a row. */
struct entry {
	struct zh_score_row *row;
	unsigned int n;
	uint64_t seed;
};

static struct zh_score_row *new_rows(const struct zh_score_config *config, bool control, size_t n)
{
	struct zh_score_row *rows = calloc(n, sizeof(*rows));
	size_t used = 0;

	for (size_t i = 0; rows && zh_fault_registry[i]; i++) {
		const struct zh_fault *fault = zh_fault_registry[i];

		if (config->fault && strcmp(config->fault, fault->id))
			continue;
		rows[used] = (struct zh_score_row){.fault = fault,
			.control = control,
			.attributed_share = -1,
			.unexplained_share = -1,
			.attributed = calloc(config->n, sizeof(double)),
			.unexplained = calloc(config->n, sizeof(double))};
		used++;
	}
	return rows;
}

static bool rows_complete(const struct zh_score_row *rows, size_t n)
{
	for (size_t i = 0; rows && i < n; i++)
		if (!rows[i].attributed || !rows[i].unexplained)
			return false;
	return rows || !n;
}

static size_t count_faults(const struct zh_score_config *config)
{
	size_t n = 0;

	if (config->fault)
		return zh_fault_find(config->fault) ? 1 : 0;
	while (zh_fault_registry[n])
		n++;
	return n;
}

static int new_score(
	const struct zh_score_config *config, struct zh_score **ret, struct zh_err *err)
{
	struct zh_score *score = calloc(1, sizeof(*score));
	size_t n = count_faults(config);

	if (!n) {
		free(score);
		return zh_err_set(err, -EINVAL, "there is no fault '%.100s'", config->fault);
	}
	if (score) {
		score->seed = config->seed;
		score->faults = new_rows(config, false, n);
		score->n_faults = n;
		score->n_controls = config->controls ? n : 0;
		score->controls = config->controls ? new_rows(config, true, n) : NULL;
	}
	if (!score || !rows_complete(score->faults, n) ||
		!rows_complete(score->controls, score->n_controls)) {
		zh_score_free(score);
		return zh_err_set(err, -ENOMEM, "out of memory");
	}
	*ret = score;
	return 0;
}

static void free_rows(struct zh_score_row *rows, size_t n)
{
	for (size_t i = 0; rows && i < n; i++) {
		free(rows[i].attributed);
		free(rows[i].unexplained);
	}
	free(rows);
}

struct zh_score *zh_score_free(struct zh_score *score)
{
	if (!score)
		return NULL;
	free_rows(score->faults, score->n_faults);
	free_rows(score->controls, score->n_controls);
	free(score);
	return NULL;
}

/* All runs in an order drawn from the seed, so that a drifting machine hits all alike. Each run's
 * own seed depends on fault, control and n only, so one fault can be repeated alone. */
static struct entry *make_schedule(struct zh_score *score, unsigned int n, size_t *ret_total)
{
	size_t rows = score->n_faults + score->n_controls, total = rows * n, used = 0;
	struct entry *entries = calloc(total, sizeof(*entries)), swap;
	uint64_t state = score->seed;

	for (size_t i = 0; entries && i < rows; i++) {
		struct zh_score_row *row = i < score->n_faults
						   ? &score->faults[i]
						   : &score->controls[i - score->n_faults];
		uint64_t seed = score->seed ^ (row->control ? 0x5ull << 60 : 0);

		for (const char *c = row->fault->id; *c; c++)
			seed = seed * 131 + (unsigned char)*c;
		for (unsigned int k = 0; k < n; k++)
			entries[used++] = (struct entry){row, k, lab_random(&seed)};
	}
	for (size_t i = total; entries && i > 1; i--) {
		size_t j = lab_draw(&state, 0, i - 1);

		swap = entries[i - 1];
		entries[i - 1] = entries[j];
		entries[j] = swap;
	}
	*ret_total = total;
	return entries;
}

static bool is_stopped(const struct zh_score_config *config)
{
	return config->stop && config->stop(config->arg);
}

static void run_entry(const struct zh_score_config *config, const struct entry *entry)
{
	const struct zh_score_row *row = entry->row;
	struct zh_score_result result;
	char path[PATH_MAX];

	if (config->keep_dir)
		snprintf(path, sizeof(path), "%s/%s.%s.%u.zhr", config->keep_dir, row->fault->id,
			row->control ? "control" : "fault", entry->n);
	zh_lab_run_once(
		row->fault, row->control, entry->seed, config->keep_dir ? path : NULL, &result);
	zh_score_add(entry->row, &result);
}

int zh_lab_score(const struct zh_score_config *config, struct zh_score **ret, struct zh_err *err)
{
	struct zh_score_config own = *config;
	struct zh_score *score = NULL;
	struct entry *entries;
	size_t total = 0, i;
	char what[96];
	int r;

	if (!own.seed && getrandom(&own.seed, sizeof(own.seed), 0) != sizeof(own.seed))
		own.seed = 1;
	own.seed &= INT64_MAX; /* JSON readers often have no more than 63 bits */
	r = new_score(&own, &score, err);
	if (r < 0)
		return r;
	entries = make_schedule(score, own.n, &total);
	if (!entries) {
		zh_score_free(score);
		return zh_err_set(err, -ENOMEM, "out of memory");
	}
	for (i = 0; i < total && !is_stopped(&own); i++) {
		snprintf(what, sizeof(what), "%s%s", entries[i].row->fault->id,
			entries[i].row->control ? " (control)" : "");
		if (own.progress)
			own.progress(own.arg, what, (unsigned int)i, (unsigned int)total);
		run_entry(&own, &entries[i]);
	}
	score->interrupted = i < total || is_stopped(&own);
	free(entries);
	*ret = score;
	return 0;
}
