/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Benchmark records made up for tests. A round is described by what a message costs; its histogram
 * has three quarters of the round trips at `rtt_ns`, and one of a hundred at three times that.
 */
#pragma once

#include "explain/bench.h"

#define US 1000ull

struct bench_round {
	uint64_t rtt_ns, floor_ns;      /* of streams: time of a message */
	uint64_t cpu_ns, peer_cpu_ns;   /* a message */
	double switches, peer_switches; /* a message */
	uint64_t n;                     /* messages; 0: 1000 */
	struct zh_bench_round also;     /* other members, kept where they are not 0 */
};

struct zh_record *bench_new(void);
/* Returns the cell's index; the test fails when out of memory. CPUs follow from the placement. */
uint32_t bench_cell(struct zh_record *record, struct zh_bench_cell cell);
/* The cell's next round. */
void bench_round(struct zh_record *record, uint32_t cell, struct bench_round round,
	const struct zh_bench_loss *losses, size_t n_losses);
/* Three rounds that differ by one percent. */
void bench_rounds(struct zh_record *record, uint32_t cell, struct bench_round round);
/* A cell with three rounds. */
uint32_t bench_pingpong(struct zh_record *record, const char *transport,
	enum zh_bench_placement placement, struct bench_round round);
uint32_t bench_stream(struct zh_record *record, const char *transport, uint32_t size_bytes,
	struct bench_round round);

/* Analyses, or fails the test. */
struct zh_bench_analysis *bench_analyse(const struct zh_record *record);
