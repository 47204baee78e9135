/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Latency at a given rate, in an open loop: message i is due at start + i * gap, whether or not
 * earlier ones have been answered, and its latency counts from then. A peer that stalls is charged
 * with every message that was due meanwhile, not with the one that happened to be under way
 * (coordinated omission, as Gil Tene calls it).
 */
#pragma once

#include "bench/internal.h"

/* A message carries the time at which it was due, so that nothing has to be kept for those under
 * way. */
#define ZH_BENCH_RATE_SIZE_MIN 8

/*
 * The maker's side for `ns`; the peer echoes. Fills start, elapsed (of sending: sent / elapsed is
 * the rate that was reached), sent, messages, bytes and the histogram of ret. 0, also when
 * cut short (link->ended); negative with err: nothing was sent.
 */
int zh_bench_rate_near(
	struct zh_bench_link *link, uint64_t ns, struct zh_bench_result *ret, struct zh_err *err);
