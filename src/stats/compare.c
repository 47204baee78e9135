/* SPDX-License-Identifier: BSD-2-Clause */
#include "stats/compare.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/util.h"
#include "stats/random.h"
#include "stats/summary.h"

#define SEED 0x636f6d70617265ull

/* How many of an ascending array are below `value`, or (with `equal`) not above it. */
static size_t count_below(const uint64_t *sorted, size_t n, uint64_t value, bool equal)
{
	size_t low = 0, high = n;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (sorted[middle] < value || (equal && sorted[middle] == value))
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* Sum of t^3 - t over groups of equal values in both arrays together. */
static double tie_term(const uint64_t *a, size_t n_a, const uint64_t *b, size_t n_b)
{
	size_t i = 0, k = 0;
	double sum = 0;

	while (i < n_a || k < n_b) {
		uint64_t value = i == n_a ? b[k] : k == n_b ? a[i] : ZH_MIN(a[i], b[k]);
		double t = 0;

		for (; i < n_a && a[i] == value; i++)
			t++;
		for (; k < n_b && b[k] == value; k++)
			t++;
		sum += t * t * t - t;
	}
	return sum;
}

struct zh_mann_whitney zh_stats_mann_whitney(
	const uint64_t *a, size_t n_a, const uint64_t *b, size_t n_b)
{
	struct zh_mann_whitney ret = {.p_value = 1, .superiority = 0.5};
	double na = (double)n_a, nb = (double)n_b, n = na + nb, variance, off;
	size_t i;

	if (!n_a || !n_b)
		return ret;
	for (i = 0; i < n_b; i++) {
		size_t below = count_below(a, n_a, b[i], false);
		size_t upto = count_below(a, n_a, b[i], true);

		ret.u += (double)below + 0.5 * (double)(upto - below);
	}
	ret.superiority = ret.u / (na * nb);
	variance = na * nb / 12 * (n + 1 - tie_term(a, n_a, b, n_b) / (n * (n - 1)));
	if (variance <= 0)
		return ret;
	off = fmax(fabs(ret.u - na * nb / 2) - 0.5, 0);
	ret.p_value = erfc(off / sqrt(variance) / M_SQRT2);
	return ret;
}

/* How many differences b[j] - a[i] are <= d. */
static double differences_upto(
	const uint64_t *a, size_t n_a, const uint64_t *b, size_t n_b, int64_t d)
{
	size_t i, j = 0;
	double count = 0;

	for (i = 0; i < n_a; i++) {
		while (j < n_b && (__int128)b[j] - (__int128)a[i] <= d)
			j++;
		count += (double)j;
	}
	return count;
}

int64_t zh_stats_shift(const uint64_t *a, size_t n_a, const uint64_t *b, size_t n_b)
{
	int64_t low = -INT64_MAX, high = INT64_MAX;
	double half;

	if (!n_a || !n_b)
		return 0;
	half = ceil((double)n_a * (double)n_b / 2);
	while (low < high) {
		int64_t middle = low + (int64_t)(((uint64_t)high - (uint64_t)low) / 2);

		if (differences_upto(a, n_a, b, n_b, middle) >= half)
			high = middle;
		else
			low = middle + 1;
	}
	return low;
}

static double difference(uint64_t a, uint64_t b)
{
	return b >= a ? (double)(b - a) : -(double)(a - b);
}

static int compare_doubles(const void *left, const void *right)
{
	double a = *(const double *)left, b = *(const double *)right;

	return (a > b) - (a < b);
}

static uint64_t resample(
	const uint64_t *values, size_t n, double q, uint64_t *scratch, struct zh_random *random)
{
	size_t i;

	for (i = 0; i < n; i++)
		scratch[i] = values[zh_random_below(random, n)];
	zh_stats_sort(scratch, n);
	return zh_stats_quantile(scratch, n, q);
}

bool zh_stats_quantile_difference(const uint64_t *a, size_t n_a, const uint64_t *b, size_t n_b,
	double q, double confidence, unsigned int rounds, struct zh_interval *ret)
{
	zh_autofree uint64_t *scratch = calloc(ZH_MAX(n_a, n_b) + 1, sizeof(uint64_t));
	zh_autofree double *found = calloc((size_t)rounds + 1, sizeof(double));
	struct zh_random random = {SEED};
	double tail = (1 - confidence) / 2;
	unsigned int i;

	if (!scratch || !found)
		return false;
	ret->estimate = difference(zh_stats_quantile(a, n_a, q), zh_stats_quantile(b, n_b, q));
	ret->low = ret->high = ret->estimate;
	for (i = 0; i < rounds; i++) {
		uint64_t from_a = resample(a, n_a, q, scratch, &random);

		found[i] = difference(from_a, resample(b, n_b, q, scratch, &random));
	}
	if (!rounds)
		return true;
	qsort(found, rounds, sizeof(double), compare_doubles);
	ret->low = found[(size_t)floor(tail * (rounds - 1))];
	ret->high = found[(size_t)ceil((1 - tail) * (rounds - 1))];
	return true;
}

/* Splits the pool at random into n_a and the rest; the absolute difference of quantiles. */
static double shuffled_difference(
	uint64_t *pool, uint64_t *scratch, size_t n, size_t n_a, double q, struct zh_random *random)
{
	size_t i, k;
	uint64_t swap, from_a;

	for (i = 0; i < n_a; i++) {
		k = i + zh_random_below(random, n - i);
		swap = pool[i];
		pool[i] = pool[k];
		pool[k] = swap;
	}
	memcpy(scratch, pool, n * sizeof(*scratch));
	zh_stats_sort(scratch, n_a);
	zh_stats_sort(scratch + n_a, n - n_a);
	from_a = zh_stats_quantile(scratch, n_a, q);
	return fabs(difference(from_a, zh_stats_quantile(scratch + n_a, n - n_a, q)));
}

bool zh_stats_quantile_permutation(const uint64_t *a, size_t n_a, const uint64_t *b, size_t n_b,
	double q, unsigned int rounds, double *ret_p)
{
	size_t n = n_a + n_b;
	zh_autofree uint64_t *pool = calloc(n + 1, sizeof(uint64_t));
	zh_autofree uint64_t *scratch = calloc(n + 1, sizeof(uint64_t));
	struct zh_random random = {SEED};
	unsigned int i, as_large = 0;
	double observed;

	if (!pool || !scratch)
		return false;
	*ret_p = 1;
	if (!n_a || !n_b)
		return true;
	observed = fabs(difference(zh_stats_quantile(a, n_a, q), zh_stats_quantile(b, n_b, q)));
	memcpy(pool, a, n_a * sizeof(*pool));
	memcpy(pool + n_a, b, n_b * sizeof(*pool));
	for (i = 0; i < rounds; i++)
		as_large += shuffled_difference(pool, scratch, n, n_a, q, &random) >= observed;
	*ret_p = (1.0 + as_large) / (1.0 + rounds);
	return true;
}
