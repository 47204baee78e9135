/* SPDX-License-Identifier: BSD-2-Clause */
#include "stats/period.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/util.h"
#include "stats/random.h"

#define COSINES 1024 /* a table: 0.3 % error, the same in the data and in every round */
#define CANDIDATES 64
#define LOWEST 0.6
#define HIGHEST 1.5
#define SEED 0x7a65726f686f70ull
#define GIVE_UP 30 /* rounds as regular as the data, from which on p cannot become small */

struct work {
	const double *times;
	size_t n;
	size_t chosen[ZH_PERIOD_SPIKES_MAX];
	double gaps[ZH_PERIOD_SPIKES_MAX], sorted[ZH_PERIOD_SPIKES_MAX];
	size_t n_gaps;
	bool *taken;
	float cosine[COSINES];
	double best; /* candidate with the largest statistic */
};

static int compare_doubles(const void *left, const void *right)
{
	double a = *(const double *)left, b = *(const double *)right;

	return (a > b) - (a < b);
}

static int compare_sizes(const void *left, const void *right)
{
	size_t a = *(const size_t *)left, b = *(const size_t *)right;

	return (a > b) - (a < b);
}

/* Gaps between the chosen samples, runs of neighbours merged. */
static void find_gaps(struct work *w, size_t n_chosen)
{
	size_t i, first = w->chosen[0];

	w->n_gaps = 0;
	for (i = 1; i < n_chosen; i++) {
		if (w->chosen[i] == w->chosen[i - 1] + 1)
			continue;
		w->gaps[w->n_gaps++] = w->times[w->chosen[i]] - w->times[first];
		first = w->chosen[i];
	}
}

static double mean_cosine(const struct work *w, double period)
{
	double sum = 0;
	size_t i;

	for (i = 0; i < w->n_gaps; i++) {
		double turns = w->gaps[i] / period;

		sum += (double)w->cosine[(size_t)((turns - floor(turns)) * COSINES) % COSINES];
	}
	return sum / (double)w->n_gaps;
}

/* The largest mean cosine; -1 when there are too few gaps. */
static double regularity(struct work *w)
{
	double median, best = -1, value;
	int i;

	if (w->n_gaps + 1 < ZH_PERIOD_SPIKES_MIN)
		return -1;
	memcpy(w->sorted, w->gaps, w->n_gaps * sizeof(double));
	qsort(w->sorted, w->n_gaps, sizeof(double), compare_doubles);
	median = w->sorted[w->n_gaps / 2];
	if (median <= 0)
		return -1;
	for (i = 0; i < CANDIDATES; i++) {
		double period = median * LOWEST * pow(HIGHEST / LOWEST, i / (CANDIDATES - 1.0));

		value = mean_cosine(w, period);
		if (value > best) {
			best = value;
			w->best = period;
		}
	}
	return best;
}

static void draw(struct work *w, size_t n_chosen, struct zh_random *random)
{
	size_t i;

	for (i = 0; i < n_chosen; i++) {
		do {
			w->chosen[i] = zh_random_below(random, w->n);
		} while (w->taken[w->chosen[i]]);
		w->taken[w->chosen[i]] = true;
	}
	for (i = 0; i < n_chosen; i++)
		w->taken[w->chosen[i]] = false;
	qsort(w->chosen, n_chosen, sizeof(size_t), compare_sizes);
}

/* All time between the first and the last spike, over the number of periods in it. */
static double refine(const struct work *w)
{
	double time = 0, periods = 0;
	size_t i;

	for (i = 0; i < w->n_gaps; i++) {
		double k = round(w->gaps[i] / w->best);

		if (k < 1)
			continue;
		time += w->gaps[i];
		periods += k;
	}
	return periods > 0 ? time / periods : w->best;
}

static void fill_cosines(struct work *w)
{
	size_t i;

	for (i = 0; i < COSINES; i++)
		w->cosine[i] = (float)cos(2 * M_PI * ((double)i + 0.5) / COSINES);
}

static void test(struct work *w, size_t n_chosen, struct zh_period *ret)
{
	struct zh_random random = {SEED};
	unsigned int rounds, as_regular = 0;
	double observed;

	find_gaps(w, n_chosen);
	observed = regularity(w);
	if (observed <= 0)
		return;
	ret->period = refine(w);
	for (rounds = 0; rounds < ZH_PERIOD_ROUNDS && as_regular < GIVE_UP; rounds++) {
		draw(w, n_chosen, &random);
		find_gaps(w, n_chosen);
		as_regular += regularity(w) >= observed - 1e-12;
	}
	ret->p_value = (1.0 + as_regular) / (1.0 + rounds);
}

bool zh_stats_period(const double *times, const bool *spike, size_t n, struct zh_period *ret)
{
	struct work w = {.times = times};
	size_t n_chosen = 0;

	*ret = (struct zh_period){.p_value = 1};
	for (w.n = 0; w.n < n && n_chosen < ZH_PERIOD_SPIKES_MAX; w.n++)
		if (spike[w.n])
			w.chosen[n_chosen++] = w.n;
	/* Without the cap all samples count, those behind the last spike too. */
	if (n_chosen < ZH_PERIOD_SPIKES_MAX)
		w.n = n;
	/* When most samples are spikes there is no pattern of spikes to speak of. */
	if (n_chosen < ZH_PERIOD_SPIKES_MIN || 2 * n_chosen > w.n)
		return true;
	w.taken = calloc(w.n, sizeof(*w.taken));
	if (!w.taken)
		return false;
	fill_cosines(&w);
	test(&w, n_chosen, ret);
	free(w.taken);
	return true;
}
