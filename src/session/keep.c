/* SPDX-License-Identifier: BSD-2-Clause */
#include "session/keep.h"

#include <string.h>

#include "base/util.h"
#include "stats/summary.h"

#define FIRST_KEPT 24        /* usual samples at the start of a phase */
#define ONE_IN 32            /* usual samples later on */
#define SLOW_MARGIN_NS 20000 /* a sample is slow above 1.5 medians plus this */
#define LATE_NS 200000       /* a send later than this is worth explaining */
#define MEDIAN_EVERY 16

void keep_start(struct keep *keep)
{
	*keep = (struct keep){};
}

static uint64_t median_of_recent(const struct keep *keep)
{
	uint64_t sorted[KEEP_WINDOW];
	uint32_t n = ZH_MIN(keep->n, (uint32_t)KEEP_WINDOW);

	memcpy(sorted, keep->recent_ns, n * sizeof(sorted[0]));
	return zh_stats_median(sorted, n);
}

bool keep_sample(struct keep *keep, const struct zh_sample *sample)
{
	uint64_t rtt = zh_sample_rtt(sample);
	bool usual = keep->seen < FIRST_KEPT || keep->seen % ONE_IN == 0;

	keep->seen++;
	if (!zh_sample_answered(sample) || zh_sample_lateness(sample) > LATE_NS)
		return true;
	keep->recent_ns[keep->n++ % KEEP_WINDOW] = rtt;
	if (keep->n % MEDIAN_EVERY == 0)
		keep->median_ns = median_of_recent(keep);
	return usual ||
	       (keep->median_ns && rtt > keep->median_ns + keep->median_ns / 2 + SLOW_MARGIN_NS);
}
