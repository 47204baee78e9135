/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A histogram as text in HdrHistogram's percentile format (.hgrm), which its plotter and other
 * programs read: a line for each percentile level (value, percentile, total count, and
 * 1 / (1 - percentile)), denser towards 1, and a footer of comments.
 *
 * Levels: 5 steps to each halving of the distance to 100 %, as HdrHistogram's default: 0, 10, 20,
 * 30, 40, 50, 55, ... Values are the highest of a bucket, but never above the maximum; mean and
 * maximum in the footer are exact, the standard deviation is of the buckets' centres.
 */
#pragma once

#include "base/buf.h"
#include "stats/histogram.h"

/* Values are divided by `unit` and printed with three decimals: 1000 makes ns us. */
void zh_histogram_write_hgrm(const struct zh_histogram *histogram, double unit, struct zh_buf *out);
