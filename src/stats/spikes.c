/* SPDX-License-Identifier: BSD-2-Clause */
#include "stats/spikes.h"

#include <string.h>

#include "base/util.h"
#include "stats/summary.h"

uint64_t zh_stats_spike_threshold(const uint64_t *values, size_t n)
{
	zh_autofree uint64_t *scratch = n ? malloc(n * sizeof(*scratch)) : NULL;
	uint64_t median, mad, step;

	if (!scratch)
		return UINT64_MAX;
	memcpy(scratch, values, n * sizeof(*scratch));
	median = zh_stats_median(scratch, n);
	mad = zh_stats_mad(values, n, median, scratch);
	step = (uint64_t)(ZH_SPIKE_MADS * 1.4826 * (double)mad);
	step = ZH_MAX(step, median);
	step = ZH_MAX(step, (uint64_t)ZH_SPIKE_FLOOR_NS);
	return median > UINT64_MAX - step ? UINT64_MAX : median + step;
}
