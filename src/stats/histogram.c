/* SPDX-License-Identifier: BSD-2-Clause */
#include "stats/histogram.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/util.h"

#define LINEAR_BITS ZH_HISTOGRAM_LINEAR_BITS
#define LINEAR (1u << LINEAR_BITS)
#define SUB_BITS (LINEAR_BITS - 1)
#define SUB (1u << SUB_BITS)

struct zh_histogram *zh_histogram_new(void)
{
	struct zh_histogram *histogram = malloc(sizeof(*histogram));

	if (histogram)
		zh_histogram_clear(histogram);
	return histogram;
}

void zh_histogram_clear(struct zh_histogram *histogram)
{
	memset(histogram, 0, sizeof(*histogram));
	histogram->min = UINT64_MAX;
}

struct zh_histogram *zh_histogram_free(struct zh_histogram *histogram)
{
	free(histogram);
	return NULL;
}

void zh_histogram_range(size_t bucket, uint64_t *ret_low, uint64_t *ret_high)
{
	size_t above = bucket - LINEAR;
	unsigned int shift;

	if (bucket < LINEAR) {
		*ret_low = *ret_high = bucket;
		return;
	}
	shift = (unsigned int)(above / SUB) + LINEAR_BITS - SUB_BITS;
	*ret_low = (uint64_t)(SUB + above % SUB) << shift;
	*ret_high = *ret_low + ((1ull << shift) - 1);
}

void zh_histogram_add(struct zh_histogram *histogram, uint64_t value)
{
	histogram->counts[zh_histogram_bucket(value)]++;
	histogram->n++;
	histogram->sum += (double)value;
	histogram->min = ZH_MIN(histogram->min, value);
	histogram->max = ZH_MAX(histogram->max, value);
}

void zh_histogram_add_counted(
	struct zh_histogram *histogram, uint64_t n, uint64_t min, uint64_t max, double sum)
{
	if (!n)
		return;
	histogram->n += n;
	histogram->sum += sum;
	histogram->min = ZH_MIN(histogram->min, min);
	histogram->max = ZH_MAX(histogram->max, max);
}

void zh_histogram_merge(struct zh_histogram *into, const struct zh_histogram *from)
{
	size_t i;

	for (i = 0; i < ZH_HISTOGRAM_BUCKETS; i++)
		into->counts[i] += from->counts[i];
	into->n += from->n;
	into->sum += from->sum;
	into->min = ZH_MIN(into->min, from->min);
	into->max = ZH_MAX(into->max, from->max);
}

uint64_t zh_histogram_quantile(const struct zh_histogram *histogram, double q)
{
	double rank = ceil(q * (double)histogram->n - 1e-9 * (double)histogram->n);
	uint64_t seen = 0, low, high;
	size_t i;

	if (!histogram->n)
		return 0;
	if (rank < 1)
		rank = 1;
	for (i = 0; i < ZH_HISTOGRAM_BUCKETS; i++) {
		seen += histogram->counts[i];
		if ((double)seen < rank)
			continue;
		zh_histogram_range(i, &low, &high);
		return ZH_MIN(high, histogram->max);
	}
	return histogram->max;
}

/* The next number of the 1-2-5 series; saturates. */
static uint64_t next_edge(uint64_t edge, unsigned int step)
{
	static const unsigned int factor[3][2] = {{2, 1}, {5, 2}, {2, 1}};

	if (edge > UINT64_MAX / 5)
		return UINT64_MAX;
	return edge / factor[step % 3][1] * factor[step % 3][0];
}

size_t zh_stats_bins(
	const uint64_t *sorted, size_t n, uint64_t *edges, uint64_t *counts, size_t max_bins)
{
	uint64_t edge = 10, next;
	unsigned int step = 0;
	size_t bins = 0, i = 0;

	if (!n || !max_bins)
		return 0;
	if (sorted[0] < edge) {
		edges[0] = 0;
	} else {
		while ((next = next_edge(edge, step)) <= sorted[0] && next != UINT64_MAX) {
			edge = next;
			step++;
		}
		edges[0] = edge;
		edge = next_edge(edge, step++);
	}
	for (; bins < max_bins && i < n; bins++) {
		counts[bins] = 0;
		if (bins + 1 == max_bins)
			edge = sorted[n - 1] == UINT64_MAX ? UINT64_MAX : sorted[n - 1] + 1;
		edges[bins + 1] = edge;
		while (i < n && (sorted[i] < edge || edge == UINT64_MAX)) {
			counts[bins]++;
			i++;
		}
		edge = next_edge(edge, step++);
	}
	return bins;
}
