/* SPDX-License-Identifier: BSD-2-Clause */
#include "stats/summary.h"

#include <math.h>
#include <stdlib.h>

static int compare(const void *left, const void *right)
{
	uint64_t a = *(const uint64_t *)left, b = *(const uint64_t *)right;

	return (a > b) - (a < b);
}

void zh_stats_sort(uint64_t *values, size_t n)
{
	if (n > 1)
		qsort(values, n, sizeof(*values), compare);
}

uint64_t zh_stats_quantile(const uint64_t *sorted, size_t n, double q)
{
	double rank;

	if (n == 0)
		return 0;
	/* The tiny subtraction keeps a product such as 0.07 * 100 from rounding up to rank 8. */
	rank = ceil(q * (double)n - 1e-9 * (double)n);
	if (rank < 1)
		return sorted[0];
	if (rank >= (double)n)
		return sorted[n - 1];
	return sorted[(size_t)rank - 1];
}

uint64_t zh_stats_median(uint64_t *values, size_t n)
{
	zh_stats_sort(values, n);
	return zh_stats_quantile(values, n, 0.5);
}

uint64_t zh_stats_mad(const uint64_t *values, size_t n, uint64_t centre, uint64_t *scratch)
{
	size_t i;

	for (i = 0; i < n; i++)
		scratch[i] = values[i] > centre ? values[i] - centre : centre - values[i];
	return zh_stats_median(scratch, n);
}

struct zh_moments zh_stats_moments(const uint64_t *values, size_t n)
{
	struct zh_moments m = {0, 0};
	double sum = 0;
	size_t i;

	for (i = 0; i < n; i++) {
		double step = (double)values[i] - m.mean;

		m.mean += step / (double)(i + 1);
		sum += step * ((double)values[i] - m.mean);
	}
	if (n > 1)
		m.stddev = sqrt(sum / (double)(n - 1));
	return m;
}
