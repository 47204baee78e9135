/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Parts of a benchmark run.
 */
#pragma once

#include "session/bench.h"

/* How long the stages of one round take; ns. */
struct bench_lengths {
	uint64_t warmup_ns, floor_ns, duration_ns;
};

/* Divides the budget. `n_paced` rounds are measured for as long as their share of the budget says;
 * streams that end after a number of bytes do not count. */
struct bench_lengths bench_lengths_find(
	const struct zh_session_bench *config, uint64_t n_rounds, bool has_bytes);

/* One round of one cell; other programs run right beside it. */
struct bench_job {
	uint32_t cell;
	uint16_t round;
};

/*
 * All rounds of `n_cells` cells (numbers in `cells`): first round 0 of all cells in random order,
 * then round 1, ... So every cell is measured in every part of the run, and whoever interrupts it
 * has something of each. The caller frees; NULL when out of memory.
 */
struct zh_random;
struct bench_job *bench_order(
	const uint32_t *cells, size_t n_cells, uint32_t rounds, struct zh_random *random);
/* Shuffles n numbers 0 .. n-1 into `ret`. */
void bench_shuffle(uint32_t *ret, size_t n, struct zh_random *random);

/* Another program's turn beside a round: its figures, or why there are none, go to the record. */
struct zh_record;
void bench_tool_run(struct zh_record *record, const struct zh_session_bench *config,
	const struct zh_bench_peer_tool *tool, const struct bench_job *job);
