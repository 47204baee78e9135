/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The heat map: transports and sizes down, placements and buffers across. Each figure is shaded by
 * its ratio to the best of the same size, in any row; what may not be ranked has a question mark.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/units.h"
#include "base/util.h"
#include "explain/bench-parts.h"

#define COLUMNS_MAX 6        /* of times across a page, beside transport and size */
#define STREAM_COLUMNS_MAX 5 /* of throughputs, which are wider */
#define FIXED 2              /* those */

static const struct {
	double ratio; /* at most so many times as bad as the best */
	const char *shade;
} shades[] = {{1.1, "█"}, {1.5, "▓"}, {2.5, "▒"}, {5, "░"}, {1e300, "·"}};

static const char legend[] = "█ within 1.1 times the best of its size, ▓ 1.5, ▒ 2.5, ░ 5, · worse; "
			     "? not ranked. --json has all figures of each cell.";

/* What makes a column, and what a row. */
#define ACROSS ((unsigned int)(ZH_DIM_PLACEMENT | ZH_DIM_BUF))

struct matrix {
	const struct zh_bench_analysis *analysis;
	enum zh_bench_mode mode;
	unsigned int dims;                    /* in which the mode's cells differ */
	const struct zh_bench_figures **rows; /* one cell of each, in drawing order */
	const struct zh_bench_figures **columns;
	size_t n_rows, n_columns;
};

static bool is_same_row(const struct zh_bench_cell *a, const struct zh_bench_cell *b)
{
	return !strcmp(a->transport, b->transport) && !(zh_bench_differences(a, b) & ~ACROSS);
}

static bool is_same_column(const struct zh_bench_cell *a, const struct zh_bench_cell *b)
{
	return !(zh_bench_differences(a, b) & ACROSS);
}

/* Adds the cell unless one like it is there. */
static void add_distinct(const struct zh_bench_figures **list, size_t *n,
	const struct zh_bench_figures *f,
	bool (*is_same)(const struct zh_bench_cell *, const struct zh_bench_cell *))
{
	size_t i;

	for (i = 0; i < *n; i++)
		if (is_same(list[i]->cell, f->cell))
			return;
	list[(*n)++] = f;
}

static int by_size(const void *a, const void *b)
{
	const struct zh_bench_figures *x = *(const struct zh_bench_figures *const *)a;
	const struct zh_bench_figures *y = *(const struct zh_bench_figures *const *)b;

	if (x->cell->size_bytes != y->cell->size_bytes)
		return x->cell->size_bytes < y->cell->size_bytes ? -1 : 1;
	return x->index < y->index ? -1 : 1;
}

static int by_placement(const void *a, const void *b)
{
	const struct zh_bench_figures *x = *(const struct zh_bench_figures *const *)a;
	const struct zh_bench_figures *y = *(const struct zh_bench_figures *const *)b;

	if (x->cell->placement != y->cell->placement)
		return x->cell->placement < y->cell->placement ? -1 : 1;
	if (x->cell->buf_bytes != y->cell->buf_bytes)
		return x->cell->buf_bytes < y->cell->buf_bytes ? -1 : 1;
	return x->index < y->index ? -1 : 1;
}

static bool lay_out(struct matrix *m)
{
	size_t i;

	m->rows = calloc(m->analysis->n_cells + 1, sizeof(m->rows[0]));
	m->columns = calloc(m->analysis->n_cells + 1, sizeof(m->columns[0]));
	if (!m->rows || !m->columns)
		return false;
	for (i = 0; i < m->analysis->n_cells; i++) {
		const struct zh_bench_figures *f = &m->analysis->cells[i];

		if (f->cell->mode != m->mode || !f->rounds)
			continue;
		add_distinct(m->rows, &m->n_rows, f, is_same_row);
		add_distinct(m->columns, &m->n_columns, f, is_same_column);
	}
	qsort(m->rows, m->n_rows, sizeof(m->rows[0]), by_size);
	qsort(m->columns, m->n_columns, sizeof(m->columns[0]), by_placement);
	return m->n_rows > 0;
}

static const struct zh_bench_figures *cell_at(
	const struct matrix *m, const struct zh_bench_cell *row, const struct zh_bench_cell *column)
{
	size_t i;

	for (i = 0; i < m->analysis->n_cells; i++) {
		const struct zh_bench_figures *f = &m->analysis->cells[i];

		if (f->cell->mode == m->mode && f->rounds && zh_bench_has_figure(f) &&
			is_same_row(f->cell, row) && is_same_column(f->cell, column))
			return f;
	}
	return NULL;
}

/* The best ranked figure of the same size (and rate); 0: none. */
static double best_of(const struct matrix *m, const struct zh_bench_cell *like)
{
	double best = 0;
	size_t i;

	for (i = 0; i < m->analysis->n_cells; i++) {
		const struct zh_bench_figures *f = &m->analysis->cells[i];
		double figure = (double)zh_bench_figure(f);

		if (f->rank && zh_bench_is_same_group(f->cell, like) &&
			(best == 0 || (figure < best) == zh_bench_has_rtt(like)))
			best = figure;
	}
	return best;
}

static const char *shade_of(const struct zh_bench_figures *f, double best)
{
	double figure = (double)zh_bench_figure(f), ratio;
	size_t i = 0;

	if (!f->rank || best <= 0)
		return "?";
	ratio = zh_bench_has_rtt(f->cell) ? figure / best : best / figure;
	while (ratio > shades[i].ratio)
		i++;
	return shades[i].shade;
}

static void write_cell(char *buf, size_t size, const struct zh_bench_figures *f, double best)
{
	char figure[24];

	if (!f) {
		snprintf(buf, size, "-");
		return;
	}
	if (zh_bench_has_rtt(f->cell))
		zh_format_ns(figure, sizeof(figure), f->p50_ns);
	else
		zh_format_bytes(figure, sizeof(figure), f->bytes_per_s);
	snprintf(buf, size, "%s%s %s", figure, zh_bench_has_rtt(f->cell) ? "" : "/s",
		shade_of(f, best));
}

/* "same-cpu 64k" */
static void write_heading(
	char *buf, size_t size, const struct matrix *m, const struct zh_bench_cell *cell)
{
	char bytes[24] = "default";

	if (cell->buf_bytes)
		zh_bench_size_text(bytes, sizeof(bytes), cell->buf_bytes);
	snprintf(buf, size, "%s%s%s", zh_bench_placement_name(cell->placement),
		m->dims & ZH_DIM_BUF ? " " : "", m->dims & ZH_DIM_BUF ? bytes : "");
}

/* The columns from `first` on, as many as fit on a page. */
static void draw_part(
	const struct matrix *m, const char *title, size_t first, size_t n, struct zh_node *root)
{
	char headings[COLUMNS_MAX][ZH_BENCH_NAME_MAX], texts[COLUMNS_MAX][64];
	char name[ZH_BENCH_NAME_MAX], size[24];
	struct zh_column columns[FIXED + COLUMNS_MAX] = {{NULL, "size"}, {NULL, "transport"}};
	struct zh_cell cells[FIXED + COLUMNS_MAX];
	struct zh_node *table;
	size_t i, k;

	for (k = 0; k < n; k++) {
		write_heading(headings[k], sizeof(headings[k]), m, m->columns[first + k]->cell);
		columns[FIXED + k] = (struct zh_column){NULL, headings[k]};
	}
	table = zh_node_table(root, NULL, title, columns, FIXED + n);
	for (i = 0; i < m->n_rows; i++) {
		const struct zh_bench_cell *row = m->rows[i]->cell;
		double best = best_of(m, row);

		cells[0] = zh_string(zh_bench_size_text(size, sizeof(size), row->size_bytes));
		cells[1] = zh_string(zh_bench_name(
			name, sizeof(name), row, m->dims & ~(ACROSS | (unsigned int)ZH_DIM_SIZE)));
		for (k = 0; k < n; k++) {
			write_cell(texts[k], sizeof(texts[k]),
				cell_at(m, row, m->columns[first + k]->cell), best);
			cells[FIXED + k] = zh_string(texts[k]);
		}
		zh_node_row(table, cells);
	}
}

/* How many columns from `first` on make a part of the map: as many as fit on a page, but rather
 * whole placements. */
static size_t part_of(const struct matrix *m, size_t first)
{
	size_t max = m->mode == ZH_BENCH_STREAM ? STREAM_COLUMNS_MAX : COLUMNS_MAX, n;

	if (m->n_columns - first <= max)
		return m->n_columns - first;
	for (n = max; n > 0; n--)
		if (m->columns[first + n - 1]->cell->placement !=
			m->columns[first + n]->cell->placement)
			return n;
	return max;
}

void zh_bench_describe_map(const struct zh_bench_analysis *analysis, struct zh_node *root)
{
	static const char *const titles[ZH_BENCH_MODE_MAX] = {
		[ZH_BENCH_PINGPONG] = "Ping-pong, p50",
		[ZH_BENCH_STREAM] = "One way, throughput",
		[ZH_BENCH_RATE] = "Paced, p50",
	};
	bool any = false;
	size_t mode, first;

	for (mode = 0; mode < ZH_BENCH_MODE_MAX; mode++) {
		struct matrix m = {.analysis = analysis,
			.mode = (enum zh_bench_mode)mode,
			.dims = zh_bench_dims(analysis, (enum zh_bench_mode)mode)};

		if (lay_out(&m)) {
			any = true;
			for (first = 0; first < m.n_columns; first += part_of(&m, first))
				draw_part(&m, titles[mode], first, part_of(&m, first), root);
		}
		free(m.rows);
		free(m.columns);
	}
	if (any)
		zh_node_text(root, legend);
}
