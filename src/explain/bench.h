/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What a benchmark record says: figures of each cell over its rounds, how sure, and who is faster.
 * Pure, like everything in explain.
 *
 * A cell's figure is the median over its rounds, its spread the range of the rounds' figures. Two
 * cells are ranked only when the difference of their figures exceeds both spreads. A cell is
 * flagged, and takes no rank, when the machine did not belong to it or its rounds contradict each
 * other.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "record/record.h"
#include "report/doc.h"
#include "stats/histogram.h"

enum zh_bench_doubt {
	ZH_DOUBT_FOREIGN = 1 << 0,   /* other processes used more than 10 % of the cell's CPUs */
	ZH_DOUBT_STEAL = 1 << 1,     /* the host took more than 1 % */
	ZH_DOUBT_PREEMPTED = 1 << 2, /* many involuntary switches */
	ZH_DOUBT_SHORT = 1 << 3,     /* too few messages, or ended early */
	ZH_DOUBT_UNSTABLE = 1 << 4,  /* the rounds' figures are too far apart */
	ZH_DOUBT_UNKNOWN = 1 << 5,   /* foreign CPU time could not be measured (well enough) */
	ZH_DOUBT_LOST = 1 << 6,      /* datagrams are missing without a counter */
	ZH_DOUBT_LATE = 1 << 7,      /* the asked rate was not reached */
};
#define ZH_DOUBTS 8
/* Cells with one of these take no rank. */
#define ZH_DOUBTS_UNRANKED                                                                         \
	(ZH_DOUBT_FOREIGN | ZH_DOUBT_STEAL | ZH_DOUBT_PREEMPTED | ZH_DOUBT_SHORT |                 \
		ZH_DOUBT_UNSTABLE)

struct zh_bench_doubt_info {
	const char *flag;    /* "foreign", as in JSON */
	const char *meaning; /* a sentence without a stop */
};
/* Entry i is of doubt 1 << i. */
extern const struct zh_bench_doubt_info zh_bench_doubts[ZH_DOUBTS];

struct zh_bench_figures {
	const struct zh_bench_cell *cell;
	uint32_t index;  /* of the cell in the record */
	uint32_t rounds; /* measured; 0: there is nothing but cell->why_not */
	/* The measured ones, then those without an answer: n_list in all. In the analysis. */
	const struct zh_bench_round *const *list;
	uint32_t n_list;
	/* Of all rounds; NULL for streams and cells that were not measured. Owned by the analysis.
	 */
	struct zh_histogram *histogram;
	uint64_t messages; /* of all rounds, as are sent and missing */
	/*
	 * Medians over the rounds. p99.9 and p99.99 are of all rounds together, a paced cell's p90
	 * and p99 too, since a stall in one round is what they are asked for. The maximum is of all
	 * rounds, the minimum the smallest. A quantile q is 0 where fewer than 1 / (1 - q) messages
	 * were answered: that would be the maximum under another name.
	 */
	uint64_t min_ns, mean_ns, p50_ns, p90_ns, p99_ns, p999_ns, p9999_ns, max_ns;
	uint64_t bytes_per_s;
	double floor_ratio, floor_p50_ratio; /* to the bare loop (time: 1.0 is as fast; streams:
						throughput over the floor's); 0: no floor */
	uint64_t floor_mean_ns, floor_p50_ns, floor_bytes_per_s; /* medians; 0: no floor */
	double cpu_ns_per_msg, peer_cpu_ns_per_msg;
	double switches_per_msg;  /* both sides, voluntary */
	double preempted_per_msg; /* both sides, involuntary */
	double spread;            /* (largest - smallest round) / median, of p50 or throughput;
				     < 0: a single round has none */
	/* of the CPU time of the cell's CPUs; < 0: not known */
	double foreign_share, steal_share;
	uint64_t sent, missing;
	unsigned int doubts; /* enum zh_bench_doubt */
	/* 1 is best among cells of the same mode, size and rate; cells that cannot be told apart
	 * share one; 0: no rank is claimed */
	uint32_t rank;
};

struct zh_bench_analysis {
	struct zh_bench_figures *cells; /* as in the record */
	size_t n_cells;
	const struct zh_bench_round **rounds; /* by cell */
};

/* Whether the record is of a benchmark. The analysis points into the record. */
bool zh_bench_is(const struct zh_record *record);
int zh_bench_analyse(
	const struct zh_record *record, struct zh_bench_analysis **ret, struct zh_err *err);
struct zh_bench_analysis *zh_bench_analysis_free(struct zh_bench_analysis *analysis);

/*
 * Headline, `run`, `results`, `why` (cells differ), `tools` (other programs), `not_measured`; for
 * people also losses, and the figures as tables, one a mode, or as a heat map: transports and sizes
 * down, buffers and placements across.
 */
enum zh_bench_view { ZH_BENCH_TABLES, ZH_BENCH_HEAT_MAP };
void zh_bench_describe(const struct zh_bench_analysis *analysis, const struct zh_record *record,
	enum zh_bench_view view, struct zh_node *root);
