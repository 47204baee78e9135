/* SPDX-License-Identifier: BSD-2-Clause */
/* What the parts of a benchmark's explanation share. Private to explain. */
#pragma once

#include "base/buf.h"
#include "explain/bench.h"

/* Median, of the two in the middle their mean; reorders the values. 0 when n is 0. */
double zh_bench_median(double *values, size_t n);

/* Whether RTTs were measured (ping-pong and paced), not throughput. */
static inline bool zh_bench_has_rtt(const struct zh_bench_cell *cell)
{
	return cell->mode != ZH_BENCH_STREAM;
}

/* Whether the figure that cells are compared by is there: p50, or throughput. */
static inline bool zh_bench_has_figure(const struct zh_bench_figures *f)
{
	return zh_bench_has_rtt(f->cell) ? f->p50_ns > 0 : f->bytes_per_s > 0;
}
/* That figure. */
static inline uint64_t zh_bench_figure(const struct zh_bench_figures *f)
{
	return zh_bench_has_rtt(f->cell) ? f->p50_ns : f->bytes_per_s;
}

/* All context switches a message, of both sides. On one CPU the side that is woken often preempts
 * the other: that switch is counted as involuntary, and is one of the transport's all the same. */
static inline double zh_bench_switches(const struct zh_bench_figures *f)
{
	return f->switches_per_msg + f->preempted_per_msg;
}

/* Whether both answer the same question: mode, message size and rate are equal; the largest UDP
 * datagram counts as 64k. */
bool zh_bench_is_same_group(const struct zh_bench_cell *a, const struct zh_bench_cell *b);

/* Whether the cells' figures differ by more than both spreads. */
bool zh_bench_is_apart(const struct zh_bench_figures *a, const struct zh_bench_figures *b);

/* Sets the ranks of all cells. 0, or -ENOMEM. */
int zh_bench_rank(struct zh_bench_analysis *analysis);

/* What may tell two cells apart, beside transport and mode: bits. */
enum zh_bench_dim {
	ZH_DIM_PLACEMENT = 1 << 0,
	ZH_DIM_SIZE = 1 << 1,
	ZH_DIM_BUF = 1 << 2,
	ZH_DIM_OVER = 1 << 3,
	ZH_DIM_GAP = 1 << 4,
	ZH_DIM_SPIN = 1 << 5,
	ZH_DIM_ZEROCOPY = 1 << 6,
	ZH_DIM_BUSY_POLL = 1 << 7,
};
#define ZH_DIMS_ALL 0xffu

/* The dims in which the cells differ. */
unsigned int zh_bench_differences(const struct zh_bench_cell *a, const struct zh_bench_cell *b);
/* The dims in which any two measured cells of `mode` differ. */
unsigned int zh_bench_dims(const struct zh_bench_analysis *analysis, enum zh_bench_mode mode);

/* The cell in the given dims: "cross-cpu 64k buf 1M"; returns buf. What is not set (default
 * buffers, no spinning, no device) is not written. */
char *zh_bench_settings(
	char *buf, size_t size, const struct zh_bench_cell *cell, unsigned int dims);
/* The same behind the transport's name. */
char *zh_bench_name(char *buf, size_t size, const struct zh_bench_cell *cell, unsigned int dims);
/* In all dims in which cells of its mode differ, and with the mode when there are several. */
char *zh_bench_full_name(char *buf, size_t size, const struct zh_bench_analysis *analysis,
	const struct zh_bench_cell *cell);
#define ZH_BENCH_NAME_MAX 128

/* "64", "64k", "1M": as the options take it. */
char *zh_bench_size_text(char *buf, size_t size, uint64_t bytes);

/* When the run was, and how long it took: `run`, for programs. */
void zh_bench_describe_run(const struct zh_record *record, struct zh_node *root);

/* The answer in one line. */
void zh_bench_headline(const struct zh_bench_analysis *analysis, const struct zh_record *record,
	struct zh_node *root);
/* The figures for people: tables, one a mode, with what a message costs and flags; or the map. */
void zh_bench_describe_tables(const struct zh_bench_analysis *analysis, struct zh_node *root);
void zh_bench_describe_map(const struct zh_bench_analysis *analysis, struct zh_node *root);
/* Why cells differ: sentences that follow from the figures. */
void zh_bench_describe_why(const struct zh_bench_analysis *analysis, struct zh_node *root);
/* Where datagrams went (people; JSON has it in `results`). */
void zh_bench_describe_losses(const struct zh_bench_analysis *analysis,
	const struct zh_record *record, struct zh_node *root);
/* Other programs' figures beside ours. */
void zh_bench_describe_tools(const struct zh_bench_analysis *analysis,
	const struct zh_record *record, struct zh_node *root);

/* Missing datagrams of a cell by counter, largest first; what has no counter is "unattributed".
 * Returns how many of the at most `max` were filled; the sum may exceed what is missing only when
 * the counters say so. */
size_t zh_bench_losses(const struct zh_record *record, const struct zh_bench_figures *figures,
	struct zh_bench_loss *losses, size_t max);
#define ZH_BENCH_UNATTRIBUTED "unattributed"
