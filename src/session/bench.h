/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A benchmark run: cells in rounds, interleaved in random order so that a drifting machine favours
 * none, each round right behind its floor; other programs take part in the same interleaving.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "bench/bench.h"
#include "record/record.h"

/* Another program that measures the same cells: one file each in session/bench/tools/. */
struct zh_bench_peer_tool {
	const char *name;    /* "sockperf" */
	const char *summary; /* what it measures, and how its figures are converted */
	/* Whether it can measure the cell; NULL, or the reason why not (static). */
	const char *(*refuses)(const struct zh_bench_cell *cell);
	/* Runs it once for about duration_ns, both of its ends placed as the cell says. 0 and the
	 * figures; negative with err. */
	int (*run)(const struct zh_bench_cell *cell, uint64_t duration_ns,
		struct zh_bench_tool *ret, struct zh_err *err);
};
extern const struct zh_bench_peer_tool *const zh_bench_peer_tool_registry[];

struct zh_session_bench {
	/* Those whose why_not is set are only recorded. */
	const struct zh_bench_cell *cells;
	size_t n_cells;
	uint32_t rounds;
	uint64_t budget_ns;   /* for everything but other programs: sets the length of a round */
	uint64_t duration_ns; /* of a round, when not 0: instead of the budget */
	/* Streams end after so many bytes, when not 0; at the latest after duration_ns, or 1.2 s
	 * when that is 0. */
	uint64_t bytes;
	uint64_t seed; /* of the order; 0: from the clock */
	bool no_floor;
	int netns_fd, peer_netns_fd; /* -1: the calling thread's */
	const char *address;         /* of the peer in its namespace; NULL: 127.0.0.1 */
	/* NULL-terminated, or NULL. Run right beside each round of ours, in random order. */
	const struct zh_bench_peer_tool *const *tools;
	bool (*stop)(void *arg);
	void (*progress)(void *arg, size_t done, size_t total);
	void *arg;
};

/*
 * 0 with the record: cells that could not be measured say so in why_not; interrupted runs hold what
 * was measured until then. Negative with err: no cell could be measured at all.
 */
int zh_session_bench(
	const struct zh_session_bench *config, struct zh_record **ret, struct zh_err *err);
