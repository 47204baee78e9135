/* SPDX-License-Identifier: BSD-2-Clause */
#include "stats/trial.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/util.h"
#include "stats/random.h"

#define SEED 0x747269616cull
#define EXACT_QUADS 12 /* all 2^n sign patterns up to here */
#define FLIPS 20000    /* random ones above */
#define RESAMPLES 1000 /* of the bootstrap */
#define Z_975 1.959963984540054

/*
 * With 8 quads the smallest possible p is 2 / 256 = 0.0078: an effect that shows in every quad ends
 * the experiment at the first look.
 */
static const struct {
	size_t quads;
	double spend;
} looks[] = {{8, 0.01}, {12, 0.008}, {16, 0.008}, {24, 0.008}, {36, 0.008}, {54, 0.008}};

size_t zh_trial_look(unsigned int k)
{
	return k < ZH_ARRAY_SIZE(looks) ? looks[k].quads : 0;
}

double zh_trial_spend(unsigned int k)
{
	return k < ZH_ARRAY_SIZE(looks) ? looks[k].spend : 0;
}

const char *zh_trial_verdict_name(enum zh_trial_verdict verdict)
{
	static const char *const names[] = {[ZH_TRIAL_INCONCLUSIVE] = "inconclusive",
		[ZH_TRIAL_HELPS] = "helps",
		[ZH_TRIAL_HARMS] = "harms",
		[ZH_TRIAL_NO_EFFECT] = "no effect",
		[ZH_TRIAL_MIXED] = "inconclusive"};

	return names[verdict];
}

static int compare_doubles(const void *left, const void *right)
{
	double a = *(const double *)left, b = *(const double *)right;

	return (a > b) - (a < b);
}

static double quantile(double *values, size_t n, double q)
{
	size_t rank;

	if (!n)
		return NAN;
	qsort(values, n, sizeof(*values), compare_doubles);
	rank = (size_t)ceil(q * (double)n);
	return values[rank ? ZH_MIN(rank, n) - 1 : 0];
}

/* The k-th smallest (from 0), with all smaller ones before it (Hoare's selection, 1961). */
static double nth(double *values, size_t n, size_t k)
{
	size_t low = 0, high = n - 1;

	while (low < high) {
		double pivot = values[low + (high - low) / 2];
		size_t i = low, j = high;

		for (;; i++, j--) {
			double swap;

			while (values[i] < pivot)
				i++;
			while (values[j] > pivot)
				j--;
			if (i >= j)
				break;
			swap = values[i];
			values[i] = values[j];
			values[j] = swap;
		}
		if (k <= j)
			high = j;
		else
			low = j + 1;
	}
	return values[k];
}

static double median(double *values, size_t n)
{
	double upper = nth(values, n, n / 2), lower = values[0];

	if (n % 2)
		return upper;
	for (size_t i = 0; i < n / 2; i++)
		lower = fmax(lower, values[i]);
	return (lower + upper) / 2;
}

/* Median of the averages of all pairs, each value with itself too. `walsh` holds n (n + 1) / 2. */
static double hodges_lehmann(const double *values, size_t n, double *walsh)
{
	size_t m = 0;

	for (size_t i = 0; i < n; i++)
		for (size_t k = i; k < n; k++)
			walsh[m++] = (values[i] + values[k]) / 2;
	return median(walsh, m);
}

/* Student's t quantile from the normal one (Abramowitz and Stegun 26.7.5, two terms). */
static double t_975(double degrees)
{
	double z = Z_975, z3 = z * z * z;

	return z + (z3 + z) / (4 * degrees) +
	       (5 * z3 * z * z + 16 * z3 + 3 * z) / (96 * degrees * degrees);
}

/* Resampling n values gives a spread that is too small by sqrt((n - 1) / n), and tails as if it
 * were known: the quantiles taken lie further out. */
static double expanded_tail(size_t n)
{
	double nd = (double)n;

	return erfc(sqrt(nd / (nd - 1)) * t_975(nd - 1) / M_SQRT2) / 2;
}

static bool estimate(const double *values, size_t n, struct zh_interval *ret)
{
	zh_autofree double *walsh = calloc(n * (n + 1) / 2 + 1, sizeof(double));
	zh_autofree double *found = calloc(RESAMPLES, sizeof(double));
	struct zh_random random = {SEED};
	double sample[ZH_TRIAL_QUADS], tail;

	*ret = (struct zh_interval){NAN, -INFINITY, INFINITY};
	if (!walsh || !found)
		return false;
	if (n)
		ret->estimate = hodges_lehmann(values, n, walsh);
	if (n < 3)
		return true;
	for (size_t i = 0; i < RESAMPLES; i++) {
		for (size_t k = 0; k < n; k++)
			sample[k] = values[zh_random_below(&random, n)];
		found[i] = hodges_lehmann(sample, n, walsh);
	}
	tail = expanded_tail(n);
	ret->low = quantile(found, RESAMPLES, tail);
	ret->high = quantile(found, RESAMPLES, 1 - tail);
	return true;
}

/* Signed ranks of one figure, in the quads' order: 0 where it has no value, or no difference. */
struct ranks {
	double rank[ZH_TRIAL_QUADS]; /* with the sign of the difference */
	double norm;                 /* square root of the sum of squares; 0: all are 0 */
};

static void rank(const struct zh_trial_quad *quads, size_t n, size_t figure, struct ranks *ret)
{
	double sum = 0;

	for (size_t i = 0; i < n; i++) {
		double d = quads[i].difference[figure], below = 0, ties = 0;

		ret->rank[i] = 0;
		if (isnan(d) || d == 0)
			continue;
		for (size_t k = 0; k < n; k++) {
			double other = fabs(quads[k].difference[figure]);

			below += other > 0 && other < fabs(d);
			ties += other == fabs(d);
		}
		ret->rank[i] = copysign(below + (ties + 1) / 2, d);
		sum += ret->rank[i] * ret->rank[i];
	}
	ret->norm = sqrt(sum);
}

/* |sum of signed ranks| in standard deviations, with the signs of the quads in `flips` turned. */
static double statistic(const struct ranks *ranks, size_t n, uint64_t flips)
{
	double sum = 0;

	if (ranks->norm == 0)
		return 0;
	for (size_t i = 0; i < n; i++)
		sum += flips >> i & 1 ? -ranks->rank[i] : ranks->rank[i];
	return fabs(sum) / ranks->norm;
}

struct test {
	struct ranks ranks[ZH_TRIAL_FIGURES];
	double observed[ZH_TRIAL_FIGURES];
	unsigned int as_large[ZH_TRIAL_FIGURES];
};

/* Counts the figures for which this pattern of signs is at least as far out as what was seen. */
static void count_flip(struct test *test, const struct zh_trial_figure *figures, size_t n_figures,
	size_t n, uint64_t flips)
{
	double each[ZH_TRIAL_FIGURES], most = 0;

	for (size_t f = 0; f < n_figures; f++) {
		each[f] = statistic(&test->ranks[f], n, flips);
		if (figures[f].decides)
			most = fmax(most, each[f]);
	}
	for (size_t f = 0; f < n_figures; f++)
		test->as_large[f] +=
			(figures[f].decides ? most : each[f]) >= test->observed[f] - 1e-9;
}

static void permute(const struct zh_trial_figure *figures, size_t n_figures,
	const struct zh_trial_quad *quads, size_t n, struct zh_trial_effect *effects)
{
	struct zh_random random = {SEED};
	struct test test = {};
	unsigned int patterns = n <= EXACT_QUADS ? 1u << n : FLIPS;
	double own = n <= EXACT_QUADS ? 0 : 1; /* the pattern that was seen is one of them */

	for (size_t f = 0; f < n_figures; f++) {
		rank(quads, n, f, &test.ranks[f]);
		test.observed[f] = statistic(&test.ranks[f], n, 0);
	}
	for (unsigned int i = 0; i < patterns; i++)
		count_flip(&test, figures, n_figures, n,
			n <= EXACT_QUADS ? i : zh_random_next(&random));
	for (size_t f = 0; f < n_figures; f++)
		effects[f].p_value = (own + test.as_large[f]) / (own + patterns);
}

static bool describe_figure(const struct zh_trial_figure *figure, size_t f,
	const struct zh_trial_quad *quads, size_t n, struct zh_trial_effect *ret)
{
	double values[ZH_TRIAL_QUADS], noise[ZH_TRIAL_QUADS];
	struct zh_interval *interval = &ret->interval;
	size_t n_noise = 0;

	for (size_t i = 0; i < n; i++) {
		if (!isnan(quads[i].difference[f]))
			values[ret->n++] = quads[i].difference[f];
		if (!isnan(quads[i].noise[f]))
			noise[n_noise++] = fabs(quads[i].noise[f]);
	}
	if (!estimate(values, ret->n, interval))
		return false;
	ret->noise_floor = quantile(noise, n_noise, 0.95);
	if (!figure->is_ratio)
		return true;
	*interval = (struct zh_interval){
		exp(interval->estimate), exp(interval->low), exp(interval->high)};
	ret->noise_floor = expm1(ret->noise_floor);
	return true;
}

/* Margins of a ratio are symmetric in its logarithm: 1 / (1 + m) to 1 + m. */
static double above(const struct zh_trial_figure *figure)
{
	return figure->is_ratio ? 1 + figure->margin : figure->margin;
}

static double below(const struct zh_trial_figure *figure)
{
	return figure->is_ratio ? 1 / (1 + figure->margin) : -figure->margin;
}

static void judge_figure(
	const struct zh_trial_figure *figure, double spend, struct zh_trial_effect *effect)
{
	const struct zh_interval *interval = &effect->interval;

	effect->is_equal = interval->low >= below(figure) && interval->high <= above(figure);
	if (effect->p_value > spend || effect->is_equal)
		return;
	if (interval->estimate > above(figure))
		effect->direction = figure->more_is_better ? 1 : -1;
	else if (interval->estimate < below(figure))
		effect->direction = figure->more_is_better ? -1 : 1;
}

static enum zh_trial_verdict sum_up(const struct zh_trial_figure *figures, size_t n_figures,
	const struct zh_trial_effect *effects)
{
	bool better = false, worse = false, equal = true;

	for (size_t f = 0; f < n_figures; f++) {
		if (!figures[f].decides)
			continue;
		better |= effects[f].direction > 0;
		worse |= effects[f].direction < 0;
		equal &= effects[f].is_equal;
	}
	if (better && worse)
		return ZH_TRIAL_MIXED;
	if (better || worse)
		return better ? ZH_TRIAL_HELPS : ZH_TRIAL_HARMS;
	return equal ? ZH_TRIAL_NO_EFFECT : ZH_TRIAL_INCONCLUSIVE;
}

/* The interval shrinks with the square root of the number of quads. */
static unsigned int more_needed(const struct zh_trial_figure *figures, size_t n_figures,
	const struct zh_trial_result *result)
{
	double most = 0;

	for (size_t f = 0; f < n_figures; f++) {
		const struct zh_trial_effect *effect = &result->effect[f];
		double low = effect->interval.low, high = effect->interval.high, half, wanted;

		if (!figures[f].decides || effect->is_equal || !isfinite(high) || !isfinite(low))
			continue;
		half = (figures[f].is_ratio ? log(high / low) : high - low) / 2;
		wanted = figures[f].is_ratio ? log1p(figures[f].margin) : figures[f].margin;
		if (half > wanted)
			most = fmax(
				most, (double)effect->n * (half / wanted * (half / wanted) - 1));
	}
	return (unsigned int)fmin(ceil(most), 1e6);
}

bool zh_trial_judge(const struct zh_trial_figure *figures, size_t n_figures,
	const struct zh_trial_quad *quads, size_t n, unsigned int k, struct zh_trial_result *ret)
{
	struct zh_trial_result result = {};

	for (size_t f = 0; f < n_figures; f++)
		if (!describe_figure(&figures[f], f, quads, n, &result.effect[f]))
			return false;
	permute(figures, n_figures, quads, n, result.effect);
	for (size_t f = 0; f < n_figures; f++)
		judge_figure(&figures[f], n < zh_trial_look(0) ? -1 : zh_trial_spend(k),
			&result.effect[f]);
	if (n >= zh_trial_look(0))
		result.verdict = sum_up(figures, n_figures, result.effect);
	result.is_final = result.verdict != ZH_TRIAL_INCONCLUSIVE || !zh_trial_look(k + 1);
	if (result.verdict == ZH_TRIAL_INCONCLUSIVE)
		result.more_quads = more_needed(figures, n_figures, &result);
	*ret = result;
	return true;
}
