/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Parts of zerohop bench: from options to cells and places, and what else it writes.
 */
#pragma once

#include "base/units.h"
#include "cmd/command.h"
#include "cmd/lists.h"
#include "explain/bench.h"
#include "lab/lab.h"
#include "session/bench.h"

#define CMD_BENCH_TOOLS_MAX 8

struct bench_options {
	struct zh_common common;
	const char *modes, *sizes, *bufs, *placements, *rate; /* lists, as written; NULL: not */
	const char *rates, *tools, *over, *peer_netns, *address, *hgrm;
	uint64_t bytes, for_ns, budget_ns, rounds, busy_poll_ns, seed;
	struct zh_cpuset cpus;
	bool spin, zerocopy, no_floor, matrix;
};

/* The cells of a run. */
struct bench_plan {
	struct zh_bench_cell *cells; /* owned */
	size_t n_cells;
	uint64_t bytes; /* a stream's; 0: as long as its round */
	uint64_t budget_ns;
};

/*
 * From options and words (transports) to cells. Combinations that make no sense on this machine
 * are cells with a reason. 0, or an exit status with err set: a wrong value, or no cell at all.
 */
int cmd_bench_plan(const struct bench_options *options, int n_words, char **words,
	struct bench_plan *ret, struct zh_err *err);
void cmd_bench_plan_freep(struct bench_plan *plan);

/* Where the two ends are: a topology of the lab, or namespaces of the user's. */
struct bench_places {
	const struct zh_topology *topology; /* NULL: none was built */
	struct zh_lab_ns ns;
	const char *address;
};
/* 0, or an exit status with err set. */
int cmd_bench_places_open(
	const struct bench_options *options, struct bench_places *ret, struct zh_err *err);
void cmd_bench_places_close(struct bench_places *places);

/* --placement, when it was given; what stands in ret otherwise stays. 0 or -EINVAL. */
int cmd_bench_placements(
	const struct bench_options *options, struct cmd_list *ret, struct zh_err *err);
/* Whether there are two CPUs to place the sides on. */
bool cmd_bench_can_cross(void);

/* --hgrm: whether the files can be written, and writing them; one a cell with a histogram. 0, or an
 * exit status with err set. */
int cmd_bench_hgrm_check(const char *prefix, struct zh_err *err);
int cmd_bench_hgrm_write(
	const char *prefix, const struct zh_bench_analysis *analysis, struct zh_err *err);

/* --rates: the whole run. An exit status. */
int cmd_bench_rates(
	const struct bench_options *options, int n_words, char **words, struct zh_err *err);
