/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Ranks within a group of cells that answer the same question. "Cannot be told apart" is not
 * transitive: a and b, b and c may overlap though a and c do not. So cells are sorted by their
 * figure and the list is cut only where every cell before the cut differs from every cell behind it
 * by more than both spreads; what lies between two cuts shares a rank.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "base/util.h"
#include "explain/bench-parts.h"

/* What a single round is worth: unpaired runs on a virtual machine repeat within 35 %. */
#define SINGLE_ROUND_SPREAD 0.35

/* The largest datagrams of UDP, 65507 bytes over IPv4 and 65487 over IPv6, are as near to 64k as
 * UDP gets: where others are asked for 64k they answer the same question. */
#define LARGEST_DATAGRAM_V6 65487
#define SIZE_64K 65536

static uint32_t size_class(const struct zh_bench_cell *cell)
{
	uint32_t size = cell->size_bytes;

	return size >= LARGEST_DATAGRAM_V6 && size <= SIZE_64K ? SIZE_64K : size;
}

bool zh_bench_is_same_group(const struct zh_bench_cell *a, const struct zh_bench_cell *b)
{
	return a->mode == b->mode && size_class(a) == size_class(b) && a->gap_ns == b->gap_ns;
}

static double spread_of(const struct zh_bench_figures *f)
{
	double share = f->spread < 0 ? SINGLE_ROUND_SPREAD : f->spread;

	return share * (double)zh_bench_figure(f);
}

bool zh_bench_is_apart(const struct zh_bench_figures *a, const struct zh_bench_figures *b)
{
	double difference = fabs((double)zh_bench_figure(a) - (double)zh_bench_figure(b));

	return difference > spread_of(a) && difference > spread_of(b);
}

static bool may_rank(const struct zh_bench_figures *f)
{
	return f->rounds && zh_bench_has_figure(f) && !(f->doubts & ZH_DOUBTS_UNRANKED);
}

/* Lower is better: time, or throughput below zero. */
static double badness(const struct zh_bench_figures *f)
{
	double figure = (double)zh_bench_figure(f);

	return zh_bench_has_rtt(f->cell) ? figure : -figure;
}

#define COMPARE(a, b)                                                                              \
	do {                                                                                       \
		if ((a) != (b))                                                                    \
			return (a) < (b) ? -1 : 1;                                                 \
	} while (0)

static int by_group_and_figure(const void *a, const void *b)
{
	const struct zh_bench_figures *x = *(const struct zh_bench_figures *const *)a;
	const struct zh_bench_figures *y = *(const struct zh_bench_figures *const *)b;

	COMPARE(x->cell->mode, y->cell->mode);
	COMPARE(size_class(x->cell), size_class(y->cell));
	COMPARE(x->cell->gap_ns, y->cell->gap_ns);
	COMPARE(badness(x), badness(y));
	COMPARE(x->index, y->index);
	return 0;
}

/*
 * Ranks n sorted cells of one group. A cut before cell i is right when every figure before it plus
 * its spread is below cell i's, the best behind it, and every figure behind it less its spread is
 * above cell i - 1's, the worst before it. `low` gets the smallest figure less spread from i on.
 */
static void rank_group(struct zh_bench_figures **sorted, size_t n, double *low)
{
	double high = -INFINITY;
	uint32_t rank = 1;
	size_t i;

	low[n] = INFINITY;
	for (i = n; i > 0; i--)
		low[i - 1] = fmin(low[i], badness(sorted[i - 1]) - spread_of(sorted[i - 1]));
	for (i = 0; i < n; i++) {
		if (i && high < badness(sorted[i]) && low[i] > badness(sorted[i - 1]))
			rank = (uint32_t)i + 1;
		sorted[i]->rank = rank;
		high = fmax(high, badness(sorted[i]) + spread_of(sorted[i]));
	}
}

int zh_bench_rank(struct zh_bench_analysis *analysis)
{
	zh_autofree struct zh_bench_figures **sorted =
		calloc(analysis->n_cells + 1, sizeof(sorted[0]));
	zh_autofree double *low = calloc(analysis->n_cells + 1, sizeof(low[0]));
	size_t i, n = 0, first, end;

	if (!sorted || !low)
		return -ENOMEM;
	for (i = 0; i < analysis->n_cells; i++)
		if (may_rank(&analysis->cells[i]))
			sorted[n++] = &analysis->cells[i];
	qsort(sorted, n, sizeof(sorted[0]), by_group_and_figure);
	for (first = 0; first < n; first = end) {
		for (end = first + 1; end < n; end++)
			if (!zh_bench_is_same_group(sorted[first]->cell, sorted[end]->cell))
				break;
		rank_group(sorted + first, end - first, low);
	}
	return 0;
}
