/* SPDX-License-Identifier: BSD-2-Clause */
/* What the benchmark's tests share: a cell with short stretches, and a round that leaves nothing.
 */
#pragma once

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

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

/* Stops the peer once, for a while, from a thread of its own. */
struct bench_pause {
	uint64_t after_ns, for_ns; /* of the measured stretch; how long */
	uint64_t from_ns, to_ns;   /* when it was stopped, for real */
	pid_t peer;
	pthread_t thread;
};
/* Runs the round with that pause in it; nothing may fail. */
void bench_case_run_paused(struct bench_case *c, struct bench_pause *pause);
/*
 * What the quantile of a paced round must be by the schedule alone: messages that were due while
 * the peer was stopped waited for its end, all others took no time. In ns. Uses the case's
 * histogram.
 */
uint64_t bench_true_quantile(const struct bench_case *c, const struct bench_pause *pause, double q);
