/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Is B different from A? Comparison of two independent samples without assuming a distribution.
 *
 * Everything random has a fixed seed: the same samples give the same answer everywhere.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct zh_mann_whitney {
	double u;       /* pairs (a, b) with a < b, ties count a half */
	double p_value; /* two-sided */
	/* P(a < b) + P(a = b) / 2: 0.5 when neither tends to be larger */
	double superiority;
};

/*
 * Mann and Whitney's U with the normal approximation, tie correction and continuity correction;
 * good from 8 values on each side. Both arrays ascending. p is 1 when either is empty or all
 * values are equal.
 */
struct zh_mann_whitney zh_stats_mann_whitney(
	const uint64_t *a, size_t n_a, const uint64_t *b, size_t n_b);

/*
 * Hodges and Lehmann's shift: the median of all differences b - a. Both arrays ascending; exact,
 * by bisection over the differences, O((n_a + n_b) * 64). 0 when either is empty.
 */
int64_t zh_stats_shift(const uint64_t *a, size_t n_a, const uint64_t *b, size_t n_b);

struct zh_interval {
	double estimate, low, high;
};

/*
 * Difference of quantile q, b minus a, with a percentile bootstrap interval of the given
 * confidence (0.95). `rounds` resamples (at least 200). Both arrays ascending, neither empty.
 * False when out of memory.
 */
bool zh_stats_quantile_difference(const uint64_t *a, size_t n_a, const uint64_t *b, size_t n_b,
	double q, double confidence, unsigned int rounds, struct zh_interval *ret);

/*
 * Permutation test of the difference of quantile q: the two-sided probability of a difference at
 * least as large if the labels A and B meant nothing. False when out of memory.
 */
bool zh_stats_quantile_permutation(const uint64_t *a, size_t n_a, const uint64_t *b, size_t n_b,
	double q, unsigned int rounds, double *ret_p);
