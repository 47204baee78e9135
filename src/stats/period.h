/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Do spikes come at regular intervals, or could it be chance?
 *
 * Statistic: for a candidate period P, the mean of cos(2 pi g / P) over the gaps g between spikes;
 * the largest over 64 candidates from 0.6 to 1.5 times the median gap. It is 1 when every gap is a
 * multiple of P, so a missed spike does no harm, and since only gaps enter, jitter that adds up
 * over time does none either (a test of phases against a fixed clock would lose it).
 *
 * Significance: the same statistic for spikes put on the same number of samples drawn at random
 * from the same times, up to ROUNDS times with a fixed seed: an exact permutation test, whatever
 * the times are, and trying many periods is accounted for because every round tries them, too.
 * p = (1 + rounds at least as regular) / (1 + rounds). Adjacent spiky samples count as one spike,
 * in the data and in every round, so a stall that hits several samples in a row is no pattern.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define ZH_PERIOD_SPIKES_MIN 5
#define ZH_PERIOD_SPIKES_MAX 200 /* the first ones are used */
#define ZH_PERIOD_ROUNDS 1999
#define ZH_PERIOD_ALPHA 0.005 /* call it a period at or below this p */

struct zh_period {
	double period;  /* in the unit of `times`; meaningful when p_value <= ZH_PERIOD_ALPHA */
	double p_value; /* 1 when there are too few spikes to tell */
};

/*
 * `times`: when the n samples were taken, ascending (or their numbers 0..n-1); `spike`: which of
 * them are spikes. False when out of memory.
 */
bool zh_stats_period(const double *times, const bool *spike, size_t n, struct zh_period *ret);
