/* SPDX-License-Identifier: BSD-2-Clause */
/* From blocks to the differences of a quad. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/util.h"
#include "session/trial/internal.h"
#include "stats/spikes.h"
#include "stats/summary.h"

enum { P50, P99, MAX, SPIKES, LOST };

/* A loss weighs more than any delay that does not end in one: a thousandth matters. */
const struct zh_trial_figure zh_trial_round_trips[ZH_TRIAL_ROUND_TRIPS] = {
	[P50] = {.name = "p50", .is_ratio = true, .decides = true, .margin = 0.03},
	[P99] = {.name = "p99", .is_ratio = true, .decides = true, .margin = 0.1},
	[MAX] = {.name = "max", .is_ratio = true, .margin = 0.1},
	[SPIKES] = {.name = "spike-rate", .margin = 0.001},
	[LOST] = {.name = "lost", .decides = true, .margin = 0.001},
};

static size_t count_above(const uint64_t *sorted, size_t n, uint64_t threshold)
{
	size_t i = n;

	while (i && sorted[i - 1] > threshold)
		i--;
	return n - i;
}

static double share(double part, double whole)
{
	return whole > 0 ? part / whole : NAN;
}

/* A figure of some blocks taken together; a logarithm where the figure is a ratio. */
static double figure_of_round_trips(const struct zh_trial_block *const *blocks, size_t n_blocks,
	size_t f, uint64_t threshold_ns, uint64_t *scratch)
{
	size_t n = 0;
	uint64_t lost = 0;

	for (size_t i = 0; i < n_blocks; i++) {
		memcpy(scratch + n, blocks[i]->rtt_ns, blocks[i]->n * sizeof(*scratch));
		n += blocks[i]->n;
		lost += blocks[i]->lost;
	}
	zh_stats_sort(scratch, n);
	switch (f) {
	case SPIKES:
		return share((double)count_above(scratch, n, threshold_ns), (double)n);
	case LOST:
		return share((double)lost, (double)(n + lost));
	default:
		if (!n)
			return NAN;
		return log((double)ZH_MAX(1, zh_stats_quantile(scratch, n,
						     f == P50   ? 0.5
						     : f == P99 ? 0.99
								: 1)));
	}
}

static double figure_of_values(
	const struct zh_trial_block *const *blocks, size_t n_blocks, size_t f, bool is_ratio)
{
	double sum = 0;

	for (size_t i = 0; i < n_blocks; i++) {
		double value = blocks[i]->value[f];

		sum += is_ratio ? (value > 0 ? log(value) : NAN) : value;
	}
	return sum / (double)n_blocks;
}

static double figure(const struct trial *t, const struct zh_trial_block *const *blocks,
	size_t n_blocks, size_t f)
{
	const struct zh_trial_method *method = t->config->method;

	return method->has_round_trips
		       ? figure_of_round_trips(blocks, n_blocks, f, t->threshold_ns, t->scratch)
		       : figure_of_values(blocks, n_blocks, f, method->figures[f].is_ratio);
}

/* All round trips of an arm (NULL: of both), in t->scratch; returns how many. */
static size_t pool(struct trial *t, const bool *is_b)
{
	size_t n = 0;

	for (size_t i = 0; i < t->n_blocks; i++) {
		const struct zh_trial_block *block = &t->blocks[i];

		if (is_b && block->is_b != *is_b)
			continue;
		memcpy(t->scratch + n, block->rtt_ns, block->n * sizeof(*t->scratch));
		n += block->n;
	}
	zh_stats_sort(t->scratch, n);
	return n;
}

int trial_make_quads(struct trial *t, struct zh_err *err)
{
	size_t total = 0;

	for (size_t i = 0; i < t->n_blocks; i++)
		total += t->blocks[i].n;
	free(t->scratch);
	t->scratch = calloc(total + 1, sizeof(*t->scratch));
	if (!t->scratch)
		return zh_err_set(err, -ENOMEM, "out of memory");
	t->threshold_ns = UINT64_MAX;
	if (t->config->method->has_round_trips)
		t->threshold_ns = zh_stats_spike_threshold(t->scratch, pool(t, NULL));
	for (size_t q = 0; q < t->n_blocks / 4; q++) {
		const struct zh_trial_block *arm[2][2];
		size_t n[2] = {};

		for (size_t i = 4 * q; i < 4 * q + 4; i++)
			arm[t->blocks[i].is_b][n[t->blocks[i].is_b]++] = &t->blocks[i];
		for (size_t f = 0; f < t->config->method->n_figures; f++) {
			t->quads[q].difference[f] =
				figure(t, arm[1], 2, f) - figure(t, arm[0], 2, f);
			t->quads[q].noise[f] =
				figure(t, &arm[0][1], 1, f) - figure(t, &arm[0][0], 1, f);
		}
	}
	return 0;
}

static int compare_doubles(const void *left, const void *right)
{
	double a = *(const double *)left, b = *(const double *)right;

	return (a > b) - (a < b);
}

static double median_value(const struct trial *t, bool is_b, size_t f)
{
	double values[TRIAL_BLOCKS];
	size_t n = 0;

	for (size_t i = 0; i < t->n_blocks; i++)
		if (t->blocks[i].is_b == is_b && !isnan(t->blocks[i].value[f]))
			values[n++] = t->blocks[i].value[f];
	qsort(values, n, sizeof(*values), compare_doubles);
	return n ? values[n / 2] : NAN;
}

void trial_sum_up_arm(struct trial *t, bool is_b, struct zh_trial_arm *ret)
{
	const struct zh_trial_method *method = t->config->method;
	size_t n;

	*ret = (struct zh_trial_arm){};
	for (size_t i = 0; i < t->n_blocks; i++)
		if (t->blocks[i].is_b == is_b)
			ret->lost += t->blocks[i].lost;
	for (size_t f = 0; f < method->n_figures; f++)
		ret->value[f] = method->has_round_trips ? NAN : median_value(t, is_b, f);
	if (!method->has_round_trips)
		return;
	n = pool(t, &is_b);
	ret->answered = n;
	ret->p50_ns = zh_stats_quantile(t->scratch, n, 0.5);
	ret->p99_ns = zh_stats_quantile(t->scratch, n, 0.99);
	ret->max_ns = n ? t->scratch[n - 1] : 0;
	ret->spikes = count_above(t->scratch, n, t->threshold_ns);
}
