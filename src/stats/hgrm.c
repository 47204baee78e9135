/* SPDX-License-Identifier: BSD-2-Clause */
#include "stats/hgrm.h"

#include <inttypes.h>
#include <math.h>

#include "base/util.h"

#define TICKS 5 /* steps to each halving of the distance to 100 % */
/* In HdrHistogram's words: ranges of powers of two, and divisions of the first of them. */
#define BUCKETS 54
#define SUB_BUCKETS 2048

/* Level 1 - 2^-half * (1 - tick / (2 * TICKS)): tick 0 is where the half begins. */
struct level {
	unsigned int half, tick;
};

/* 1 - level, which is exact where the level itself would have to be rounded. */
static double distance(const struct level *level)
{
	return ldexp(1 - level->tick / (2.0 * TICKS), -(int)level->half);
}

/*
 * Whether `seen` of n values reach the level: (n - seen) / n <= distance. In whole numbers, since
 * 3 of 10 must reach 30 %. No overflow: half only grows while levels are reached, which keeps
 * (n - seen) * 2^half below 2 n.
 */
static bool is_reached(const struct level *level, uint64_t seen, uint64_t n)
{
	unsigned __int128 missing = n - seen;

	return ((missing * TICKS) << (level->half + 1)) <=
	       (unsigned __int128)n * (2 * TICKS - level->tick);
}

static void next_level(struct level *level)
{
	if (++level->tick < TICKS)
		return;
	level->tick = 0;
	level->half++;
}

static double standard_deviation(const struct zh_histogram *histogram)
{
	double mean = histogram->sum / (double)histogram->n, sum = 0;
	uint64_t low, high;
	size_t i;

	for (i = 0; i < ZH_HISTOGRAM_BUCKETS; i++) {
		double from_mean;

		if (!histogram->counts[i])
			continue;
		zh_histogram_range(i, &low, &high);
		from_mean = (double)low + (double)(high - low) / 2 - mean;
		sum += from_mean * from_mean * (double)histogram->counts[i];
	}
	return sqrt(sum / (double)histogram->n);
}

/* The lines of one bucket: one a level that it reaches. The last bucket reaches all of them, and
 * ends the table with 100 %. */
static void write_bucket(
	struct zh_buf *out, struct level *level, double value, uint64_t seen, uint64_t n)
{
	while (is_reached(level, seen, n)) {
		zh_buf_addf(out, "%12.3f %2.12f %10" PRIu64 " %14.2f\n", value, 1 - distance(level),
			seen, 1 / distance(level));
		next_level(level);
		if (seen == n) {
			zh_buf_addf(out, "%12.3f %2.12f %10" PRIu64 "\n", value, 1.0, seen);
			return;
		}
	}
}

static void write_footer(struct zh_buf *out, const struct zh_histogram *histogram, double unit)
{
	bool any = histogram->n > 0;

	zh_buf_addf(out, "#[Mean    = %12.3f, StdDeviation   = %12.3f]\n",
		any ? histogram->sum / (double)histogram->n / unit : 0,
		any ? standard_deviation(histogram) / unit : 0);
	zh_buf_addf(out, "#[Max     = %12.3f, Total count    = %12" PRIu64 "]\n",
		(double)histogram->max / unit, histogram->n);
	zh_buf_addf(out, "#[Buckets = %12d, SubBuckets     = %12d]\n", BUCKETS, SUB_BUCKETS);
}

void zh_histogram_write_hgrm(const struct zh_histogram *histogram, double unit, struct zh_buf *out)
{
	struct level level = {0, 0};
	uint64_t seen = 0, low, high;
	size_t i;

	zh_buf_addf(out, "%12s %14s %10s %14s\n\n", "Value", "Percentile", "TotalCount",
		"1/(1-Percentile)");
	for (i = 0; i < ZH_HISTOGRAM_BUCKETS; i++) {
		if (!histogram->counts[i])
			continue;
		seen += histogram->counts[i];
		zh_histogram_range(i, &low, &high);
		write_bucket(out, &level, (double)ZH_MIN(high, histogram->max) / unit, seen,
			histogram->n);
	}
	write_footer(out, histogram, unit);
}
