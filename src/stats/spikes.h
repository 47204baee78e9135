/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Which samples are spikes.
 *
 * threshold = median + max(K * 1.4826 * MAD, median, FLOOR)
 *
 * The median absolute deviation times 1.4826 equals the standard deviation of normal noise and is
 * not moved by spikes as long as they are fewer than half. Latency is not normal: its right tail
 * is heavy, so K = 10, not 3; and on a quiet path the MAD is a few hundred ns, where ten times it
 * would call harmless jitter a spike. Hence two floors: a spike at least doubles the median, and
 * adds at least FLOOR = 50 us, which is more than the 35 to 40 us that a hypervisor's timer tick
 * takes from a virtual CPU every millisecond (measured), and less than anybody feels.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#define ZH_SPIKE_MADS 10
#define ZH_SPIKE_FLOOR_NS 50000

/* Values above the result are spikes; UINT64_MAX when n is 0 or memory is out. */
uint64_t zh_stats_spike_threshold(const uint64_t *values, size_t n);
