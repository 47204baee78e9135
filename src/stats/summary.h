/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Order statistics and moments of whole-number samples (ns, bytes, counts).
 *
 * Quantiles are of type 1 of Hyndman and Fan (1996), the inverse of the empirical distribution:
 * the smallest sample x such that at least a share q of all samples is <= x. The result is always
 * a sample that occurred: p99 of a bimodal distribution is never a value between the modes.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

/* Sorts ascending, in place. */
void zh_stats_sort(uint64_t *values, size_t n);

/* Quantile q in [0, 1] of an ascending array; 0 when n is 0. */
uint64_t zh_stats_quantile(const uint64_t *sorted, size_t n, double q);

/* Median of an unsorted array, which is reordered; 0 when n is 0. */
uint64_t zh_stats_median(uint64_t *values, size_t n);

/* Median of |value - centre|; `scratch` has room for n values. */
uint64_t zh_stats_mad(const uint64_t *values, size_t n, uint64_t centre, uint64_t *scratch);

struct zh_moments {
	double mean, stddev; /* stddev of the sample (n - 1); 0 when n < 2 */
};
/* Welford's method: no cancellation for large means. */
struct zh_moments zh_stats_moments(const uint64_t *values, size_t n);
