/* SPDX-License-Identifier: BSD-2-Clause */
/* What the benchmark's tests share: a cell with short stretches, and a round that leaves nothing.
 */
#pragma once

#include <stdbool.h>

#include "bench/bench.h"

struct bench_case {
	struct zh_bench_cell cell;
	struct zh_bench_config config;
	struct zh_bench_result result;
	struct zh_err err;
};

/* Ping-pong of 64 bytes, placed freely; a peer may be silent for 1 s. The histogram is the
 * caller's. */
void bench_case_init(struct bench_case *c, const char *transport, struct zh_histogram *histogram);
void bench_case_place(struct bench_case *c, uint8_t placement);
/* Runs the round; fails the test when a descriptor, a child, a thread, another affinity, signal
 * mask or namespace is left of it. Returns what the round did. */
int bench_case_run(struct bench_case *c);
/* The same, and nothing may fail or end early; counts and times must add up. */
void bench_case_check(struct bench_case *c);
