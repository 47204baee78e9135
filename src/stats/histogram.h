/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Log-linear histogram of uint64_t values with three significant digits, in the layout that is
 * known as HDR histogram: constant memory, constant time a value, mergeable.
 *
 * Layout: values below 2^11 have a bucket each. Above, every power-of-two range [2^k, 2^(k+1)) is
 * cut into 2^10 buckets of equal width 2^(k-10).
 *
 * Error bound: a value v >= 2^11 lies in a range with 2^k <= v, in a bucket of width 2^(k-10).
 * zh_histogram_quantile() returns the highest value of the bucket, so it exceeds the true value by
 * less than the width: error < 2^(k-10) <= v * 2^-10 < 0.001 v. Below 2^11 it is exact. Hence three
 * significant digits, one-sided: reported quantiles are never too small and at most 0.098 % too
 * large. Minimum, maximum, count and sum are exact.
 *
 * Memory: 2^11 + (64 - 11) * 2^10 buckets of 8 bytes, 450 KB; no allocation after creation.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#define ZH_HISTOGRAM_BUCKETS (2048u + 53u * 1024u)

struct zh_histogram {
	uint64_t counts[ZH_HISTOGRAM_BUCKETS];
	uint64_t n, min, max;
	double sum;
};

/* NULL only when out of memory. */
struct zh_histogram *zh_histogram_new(void);
struct zh_histogram *zh_histogram_free(struct zh_histogram *histogram);

/* Makes it empty again. */
void zh_histogram_clear(struct zh_histogram *histogram);
void zh_histogram_add(struct zh_histogram *histogram, uint64_t value);
void zh_histogram_merge(struct zh_histogram *into, const struct zh_histogram *from);

/* As zh_stats_quantile(), within the bound above; never above the maximum. 0 when empty. */
uint64_t zh_histogram_quantile(const struct zh_histogram *histogram, double q);

#define ZH_HISTOGRAM_LINEAR_BITS 11

/* The bucket of a value. Inline, for loops that count with every message. */
static inline size_t zh_histogram_bucket(uint64_t value)
{
	const unsigned int linear_bits = ZH_HISTOGRAM_LINEAR_BITS, sub_bits = linear_bits - 1;
	unsigned int k;

	if (value < 1u << linear_bits)
		return (size_t)value;
	k = 63 - (unsigned int)__builtin_clzll(value);
	return ((size_t)1 << linear_bits) + ((size_t)(k - linear_bits) << sub_bits) +
	       (size_t)(value >> (k - sub_bits)) - ((size_t)1 << sub_bits);
}

/*
 * Completes a histogram whose buckets were counted up by hand,
 * `counts[zh_histogram_bucket(value)]++`, with what those n values have in common. So a loop
 * touches one line of memory a value, and keeps the rest in registers.
 */
void zh_histogram_add_counted(
	struct zh_histogram *histogram, uint64_t n, uint64_t min, uint64_t max, double sum);

/* The values a bucket stands for: [*ret_low, *ret_high]. */
void zh_histogram_range(size_t bucket, uint64_t *ret_low, uint64_t *ret_high);

/*
 * Coarse bins for people: cuts [min, max] of ascending values into at most `max_bins` bins with
 * edges 1, 2 or 5 times a power of ten (1-2-5 series), so that bin widths grow with the values.
 * edges has room for max_bins + 1. Bin i counts edges[i] <= v < edges[i+1]; returns the number of
 * bins, 0 when n is 0.
 */
size_t zh_stats_bins(
	const uint64_t *sorted, size_t n, uint64_t *edges, uint64_t *counts, size_t max_bins);
