/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The figures for people: one table a mode, best first, with columns only for what differs between
 * its cells; what they have in common stands in the title.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/util.h"
#include "explain/bench-parts.h"

#define COLUMNS_MAX 16

static const char *const titles[ZH_BENCH_MODE_MAX] = {
	[ZH_BENCH_PINGPONG] = "Ping-pong, round trip",
	[ZH_BENCH_STREAM] = "One way, throughput",
	[ZH_BENCH_RATE] = "Paced, round trip from the intended send",
};

/* A table that is made: its columns, and the cells of the row at hand. */
struct table {
	struct zh_column columns[COLUMNS_MAX];
	struct zh_cell cells[COLUMNS_MAX];
	size_t n;
	char settings[ZH_BENCH_NAME_MAX], flags[ZH_BENCH_NAME_MAX];
};

static void add(struct table *table, const char *heading, struct zh_cell cell)
{
	table->columns[table->n] = (struct zh_column){NULL, heading};
	table->cells[table->n++] = cell;
}

static struct zh_cell ns_or_null(uint64_t ns)
{
	return ns ? zh_ns(ns) : zh_null();
}

static struct zh_cell real_or_null(double value)
{
	return value > 0 ? zh_real(value) : zh_null();
}

static struct zh_cell bytes_per_s_or_null(uint64_t value)
{
	return value ? zh_bytes_per_s(value) : zh_null();
}

static void add_who(struct table *table, const struct zh_bench_figures *f, unsigned int dims)
{
	unsigned int others = dims & ~(unsigned int)ZH_DIM_PLACEMENT;

	add(table, "#", f->rank ? zh_count(f->rank) : zh_null());
	add(table, "transport", zh_string(f->cell->transport));
	if (dims & ZH_DIM_PLACEMENT)
		add(table, "placement", zh_string(zh_bench_placement_name(f->cell->placement)));
	if (others)
		add(table, "settings",
			zh_string(zh_bench_settings(
				table->settings, sizeof(table->settings), f->cell, others)));
}

static void add_flags(struct table *table, const struct zh_bench_figures *f)
{
	size_t len = 0, i;

	table->flags[0] = '\0';
	for (i = 0; i < ZH_DOUBTS && len < sizeof(table->flags); i++)
		if (f->doubts & 1u << i)
			len += (size_t)snprintf(table->flags + len, sizeof(table->flags) - len,
				"%s%s", len ? ", " : "", zh_bench_doubts[i].flag);
	add(table, "flags", zh_string(table->flags));
}

/* Fills a row; the columns come out the same for all cells of a mode. */
typedef void fill_row(struct table *table, const struct zh_bench_figures *f, unsigned int dims);

/* So much tells the cells apart that less of their figures fits on a page. */
static bool is_wide(unsigned int dims)
{
	return (dims & ZH_DIM_PLACEMENT) && dims != ZH_DIM_PLACEMENT;
}

static void fill_rtt(struct table *table, const struct zh_bench_figures *f, unsigned int dims)
{
	add_who(table, f, dims);
	if (!is_wide(dims)) {
		add(table, "min", ns_or_null(f->min_ns));
		add(table, "mean", ns_or_null(f->mean_ns));
	}
	add(table, "p50", ns_or_null(f->p50_ns));
	add(table, "p99", ns_or_null(f->p99_ns));
	add(table, "p99.9", ns_or_null(f->p999_ns));
	add(table, "max", ns_or_null(f->max_ns));
	add(table, "x floor", real_or_null(f->floor_ratio));
}

static void fill_stream(struct table *table, const struct zh_bench_figures *f, unsigned int dims)
{
	add_who(table, f, dims);
	add(table, "throughput", bytes_per_s_or_null(f->bytes_per_s));
	add(table, "floor", bytes_per_s_or_null(f->floor_bytes_per_s));
	add(table, "x floor", real_or_null(f->floor_ratio));
}

static void fill_cost(struct table *table, const struct zh_bench_figures *f, unsigned int dims)
{
	add_who(table, f, dims);
	add(table, "spread", f->spread >= 0 ? zh_share(f->spread) : zh_null());
	if (zh_bench_has_rtt(f->cell) && !is_wide(dims))
		add(table, "floor p50", ns_or_null(f->floor_p50_ns));
	add(table, "CPU", zh_ns((uint64_t)llround(f->cpu_ns_per_msg)));
	add(table, "peer CPU", zh_ns((uint64_t)llround(f->peer_cpu_ns_per_msg)));
	add(table, "switches", zh_real(round(100 * zh_bench_switches(f)) / 100));
	add_flags(table, f);
}

/* Measured cells of a mode as people read them: by size and rate, then best first. */
static int by_reading_order(const void *a, const void *b)
{
	const struct zh_bench_figures *x = *(const struct zh_bench_figures *const *)a;
	const struct zh_bench_figures *y = *(const struct zh_bench_figures *const *)b;
	uint64_t fx = zh_bench_figure(x), fy = zh_bench_figure(y);

	if (!zh_bench_is_same_group(x->cell, y->cell)) {
		if (x->cell->size_bytes != y->cell->size_bytes)
			return x->cell->size_bytes < y->cell->size_bytes ? -1 : 1;
		return x->cell->gap_ns > y->cell->gap_ns ? -1 : 1;
	}
	if (!x->rank != !y->rank)
		return x->rank ? -1 : 1;
	if (fx != fy)
		return (fx < fy) == zh_bench_has_rtt(x->cell) ? -1 : 1;
	return x->index < y->index ? -1 : 1;
}

struct selection {
	const struct zh_bench_figures **list;
	size_t n;
	unsigned int dims;
	enum zh_bench_mode mode;
};

static bool select_mode(const struct zh_bench_analysis *analysis, enum zh_bench_mode mode,
	struct selection *selection)
{
	size_t i;

	*selection = (struct selection){.mode = mode, .dims = zh_bench_dims(analysis, mode)};
	selection->list = calloc(analysis->n_cells + 1, sizeof(selection->list[0]));
	for (i = 0; selection->list && i < analysis->n_cells; i++) {
		const struct zh_bench_figures *f = &analysis->cells[i];

		if (f->cell->mode != mode || !f->rounds)
			continue;
		selection->list[selection->n++] = f;
	}
	if (selection->n)
		qsort(selection->list, selection->n, sizeof(selection->list[0]), by_reading_order);
	return selection->n > 0;
}

/* What all cells have in common and is worth saying. */
static unsigned int common_dims(const struct selection *selection)
{
	const struct zh_bench_cell *cell = selection->list[0]->cell;
	unsigned int dims = ZH_DIMS_ALL & ~selection->dims;

	if (!cell->buf_bytes)
		dims &= ~(unsigned int)ZH_DIM_BUF;
	if (!*cell->over)
		dims &= ~(unsigned int)ZH_DIM_OVER;
	if (cell->mode != ZH_BENCH_RATE)
		dims &= ~(unsigned int)ZH_DIM_GAP;
	return dims;
}

static void draw(const struct selection *selection, const char *title, bool with_common,
	fill_row *fill, struct zh_node *root)
{
	char common[ZH_BENCH_NAME_MAX], text[2 * ZH_BENCH_NAME_MAX];
	struct zh_node *node = NULL;
	size_t i;

	zh_bench_settings(common, sizeof(common), selection->list[0]->cell, common_dims(selection));
	snprintf(text, sizeof(text), "%s%s%s", title, with_common && *common ? ": " : "",
		with_common ? common : "");
	for (i = 0; i < selection->n; i++) {
		struct table table = {};

		fill(&table, selection->list[i], selection->dims);
		if (!node)
			node = zh_node_table(root, NULL, text, table.columns, table.n);
		zh_node_row(node, table.cells);
	}
}

void zh_bench_describe_tables(const struct zh_bench_analysis *analysis, struct zh_node *root)
{
	static const enum zh_bench_mode order[] = {
		ZH_BENCH_PINGPONG, ZH_BENCH_RATE, ZH_BENCH_STREAM};
	bool any = false;
	size_t i;

	for (i = 0; i < ZH_ARRAY_SIZE(order); i++) {
		struct selection selection;

		if (select_mode(analysis, order[i], &selection)) {
			draw(&selection, titles[order[i]], true,
				order[i] == ZH_BENCH_STREAM ? fill_stream : fill_rtt, root);
			draw(&selection, "What a message costs, and how sure this is", false,
				fill_cost, root);
		}
		any |= selection.n > 0;
		free(selection.list);
	}
	if (any)
		zh_node_text(root,
			"x floor: the median of each round's ratio to the bare loop right before it "
			"(times, below 1 is faster; throughput, above 1). spread: largest less "
			"smallest round, of the median. CPU and context switches are a message's.");
}
