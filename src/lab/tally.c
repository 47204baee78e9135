/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The sums of a score: results into rows, rows into figures.
 */
#include <stdlib.h>
#include <string.h>

#include "lab/score.h"

static int compare_double(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/* Keeps values sorted and returns the median; values below 0 mean "none" and are left out by the
 * caller. n counts the one just stored at the end. */
static double median(double *values, size_t n)
{
	qsort(values, n, sizeof(*values), compare_double);
	return n % 2 ? values[n / 2] : (values[n / 2 - 1] + values[n / 2]) / 2;
}

/* Counts a name; the list stays ordered by runs, the earlier first among equals. A ninth different
 * name is not listed: eight say enough. */
static void count_name(struct zh_score_row *row, const char *id)
{
	struct zh_score_name *names = row->named, swap;
	size_t i;

	for (i = 0; i < row->n_named && strcmp(names[i].id, id); i++)
		;
	if (i == ZH_SCORE_NAMED)
		return;
	if (i == row->n_named) {
		strncpy(names[i].id, id, sizeof(names[i].id) - 1);
		row->n_named++;
	}
	names[i].runs++;
	for (; i > 0 && names[i].runs > names[i - 1].runs; i--) {
		swap = names[i];
		names[i] = names[i - 1];
		names[i - 1] = swap;
	}
}

static void add_fault(struct zh_score_row *row, const struct zh_score_result *result)
{
	bool correct = result->n_findings && zh_fault_is_answer(row->fault, result->named[0].id);

	count_name(row, result->n_findings ? result->named[0].id : "");
	if (!correct)
		return;
	row->correct++;
	if (result->named[0].attributed_share >= 0) {
		row->attributed[row->n_attributed++] = result->named[0].attributed_share;
		row->attributed_share = median(row->attributed, row->n_attributed);
	}
}

static void add_control(struct zh_score_row *row, const struct zh_score_result *result)
{
	row->n_false += result->n_findings;
	for (unsigned int i = 0; i < ZH_MIN(result->n_findings, (unsigned int)ZH_SCORE_NAMED); i++)
		count_name(row, result->named[i].id);
}

void zh_score_add(struct zh_score_row *row, const struct zh_score_result *result)
{
	if (result->status < 0) {
		row->failed++;
		memcpy(row->why, result->why, sizeof(row->why));
		return;
	}
	row->runs++;
	row->disturbed += result->foreign_cpus > ZH_SCORE_DISTURBED;
	if (row->control)
		add_control(row, result);
	else
		add_fault(row, result);
	if (result->unexplained_share >= 0) {
		row->unexplained[row->n_unexplained++] = result->unexplained_share;
		row->unexplained_share = median(row->unexplained, row->n_unexplained);
	}
}

double zh_score_recall(const struct zh_score *score)
{
	unsigned int runs = 0, correct = 0;

	for (size_t i = 0; i < score->n_faults; i++) {
		runs += score->faults[i].runs;
		correct += score->faults[i].correct;
	}
	return runs ? (double)correct / runs : -1;
}

unsigned int zh_score_controls_false(const struct zh_score *score)
{
	unsigned int n = 0;

	for (size_t i = 0; i < score->n_controls; i++)
		n += score->controls[i].n_false;
	return n;
}

bool zh_score_is_perfect(const struct zh_score *score)
{
	for (size_t i = 0; i < score->n_faults; i++) {
		const struct zh_score_row *row = &score->faults[i];

		if (!row->runs || row->failed || row->correct != row->runs)
			return false;
	}
	for (size_t i = 0; i < score->n_controls; i++)
		if (!score->controls[i].runs || score->controls[i].failed)
			return false;
	return !score->interrupted && !zh_score_controls_false(score);
}
