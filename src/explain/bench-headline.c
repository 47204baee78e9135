/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The answer in one line: for each mode the best of its most telling group (ping-pong: the smallest
 * message, streams: the largest, paced: the highest rate). Only ranked cells are claimed; those
 * that may not be ranked are named as such.
 */
#include <stdio.h>
#include <string.h>

#include "base/units.h"
#include "base/util.h"
#include "explain/bench-parts.h"

#define OTHERS_MAX 3
#define UNRANKED_NAMED 2

static const struct {
	const char *one, *many, *thing;
} words[ZH_BENCH_MODE_MAX] = {
	[ZH_BENCH_PINGPONG] = {"is the fastest ping-pong",
		"are the fastest ping-pongs, too close to tell apart", "ping-pong"},
	[ZH_BENCH_STREAM] = {"moves most", "move most, too close to tell apart", "stream"},
	[ZH_BENCH_RATE] = {"answers fastest when paced",
		"answer fastest when paced, too close to tell apart", "paced cell"},
};

struct group {
	const struct zh_bench_analysis *analysis;
	const struct zh_bench_cell *like; /* a cell of it; NULL: the mode was not asked for */
	unsigned int dims;                /* in which its cells differ */
	const struct zh_bench_figures *best;
	size_t n_best, n_ranked, n_measured;
};

/* Whether cell a is of a more telling group than b. */
static bool tells_more(const struct zh_bench_figures *a, const struct zh_bench_figures *b)
{
	if (!a->rank != !b->rank)
		return a->rank > 0;
	if (a->cell->gap_ns != b->cell->gap_ns)
		return a->cell->gap_ns < b->cell->gap_ns;
	if (a->cell->mode == ZH_BENCH_STREAM)
		return a->cell->size_bytes > b->cell->size_bytes;
	return a->cell->size_bytes < b->cell->size_bytes;
}

static bool is_in(const struct group *group, const struct zh_bench_figures *f)
{
	return zh_bench_is_same_group(group->like, f->cell);
}

static bool is_better(const struct zh_bench_figures *a, const struct zh_bench_figures *b)
{
	uint64_t x = zh_bench_figure(a), y = zh_bench_figure(b);

	return zh_bench_has_rtt(a->cell) ? x < y : x > y;
}

static void find_group(
	const struct zh_bench_analysis *analysis, enum zh_bench_mode mode, struct group *group)
{
	const struct zh_bench_figures *most = NULL, *f;
	size_t i;

	*group = (struct group){.analysis = analysis};
	for (i = 0; i < analysis->n_cells; i++) {
		f = &analysis->cells[i];
		if (f->cell->mode == mode && (!most || tells_more(f, most)))
			most = f;
	}
	if (!most)
		return;
	group->like = most->cell;
	for (i = 0; i < analysis->n_cells; i++) {
		f = &analysis->cells[i];
		if (!is_in(group, f))
			continue;
		group->dims |= zh_bench_differences(group->like, f->cell);
		group->n_measured += f->rounds > 0;
		group->n_ranked += f->rank > 0;
		group->n_best += f->rank == 1;
		if (f->rank == 1 && (!group->best || is_better(f, group->best)))
			group->best = f;
	}
}

static void add_figure(struct zh_buf *line, const struct zh_bench_figures *f, bool is_first)
{
	char text[32];

	if (zh_bench_has_rtt(f->cell))
		zh_buf_addf(line, "%s%s", zh_format_ns(text, sizeof(text), f->p50_ns),
			is_first ? " p50" : "");
	else
		zh_buf_addf(line, "%s/s", zh_format_bytes(text, sizeof(text), f->bytes_per_s));
}

static void add_name(
	struct zh_buf *line, const struct group *group, const struct zh_bench_figures *f)
{
	char name[ZH_BENCH_NAME_MAX];

	zh_buf_adds(line, zh_bench_name(name, sizeof(name), f->cell, group->dims));
}

/* All cells that share the first rank, best first in the record's order. */
static void add_winners(struct zh_buf *line, const struct group *group)
{
	size_t i, n = 0;

	add_name(line, group, group->best);
	for (i = 0; i < group->analysis->n_cells; i++) {
		const struct zh_bench_figures *f = &group->analysis->cells[i];

		if (f == group->best || f->rank != 1 || !is_in(group, f) || ++n > OTHERS_MAX)
			continue;
		zh_buf_adds(line, n + 1 == group->n_best ? " and " : ", ");
		add_name(line, group, f);
	}
	if (n > OTHERS_MAX)
		zh_buf_addf(line, " and %zu more", n - OTHERS_MAX);
}

/* The best ranked cell of each transport that does not win. */
static bool is_runner_up(const struct group *group, const struct zh_bench_figures *f)
{
	size_t i;

	if (f->rank < 2 || !is_in(group, f))
		return false;
	for (i = 0; i < group->analysis->n_cells; i++) {
		const struct zh_bench_figures *g = &group->analysis->cells[i];

		if (g == f || !g->rank || !is_in(group, g) ||
			strcmp(g->cell->transport, f->cell->transport))
			continue;
		if (g->rank == 1 || is_better(g, f) || (!is_better(f, g) && g < f))
			return false;
	}
	return true;
}

static void add_others(struct zh_buf *line, const struct group *group)
{
	size_t i, n = 0;

	for (i = 0; i < group->analysis->n_cells; i++) {
		const struct zh_bench_figures *f = &group->analysis->cells[i];

		if (!is_runner_up(group, f) || ++n > OTHERS_MAX)
			continue;
		zh_buf_adds(line, n == 1 ? " (" : ", ");
		add_name(line, group, f);
		zh_buf_addc(line, ' ');
		add_figure(line, f, false);
	}
	if (n > OTHERS_MAX)
		zh_buf_adds(line, ", ...");
	if (n)
		zh_buf_addc(line, ')');
}

/* The first reason why the cell takes no rank. */
static void add_reason(struct zh_buf *line, const struct zh_bench_figures *f)
{
	unsigned int i;

	for (i = 0; i < ZH_DOUBTS; i++)
		if (f->doubts & ZH_DOUBTS_UNRANKED & 1u << i) {
			zh_buf_addf(line, " (%s)", zh_bench_doubts[i].flag);
			return;
		}
}

static bool is_unranked(const struct group *group, const struct zh_bench_figures *f)
{
	return !f->rank && f->rounds && is_in(group, f);
}

/* "17 of 20 cells (foreign 15, unstable 4)" */
static void add_reasons(struct zh_buf *line, const struct group *group, size_t n_unranked)
{
	size_t counts[ZH_DOUBTS] = {}, i;
	unsigned int d;
	bool any = false;

	for (i = 0; i < group->analysis->n_cells; i++) {
		const struct zh_bench_figures *f = &group->analysis->cells[i];

		for (d = 0; d < ZH_DOUBTS && is_unranked(group, f); d++)
			counts[d] += (f->doubts & ZH_DOUBTS_UNRANKED & 1u << d) != 0;
	}
	zh_buf_addf(line, "%zu of %zu cells", n_unranked, group->n_measured);
	for (d = 0; d < ZH_DOUBTS; d++) {
		if (!counts[d])
			continue;
		zh_buf_addf(
			line, "%s%s %zu", any ? ", " : " (", zh_bench_doubts[d].flag, counts[d]);
		any = true;
	}
	zh_buf_adds(line, any ? ")" : "");
}

/* Measured cells that take no rank: by name, or when they are many how many for which reason. */
static void add_unranked(struct zh_buf *line, const struct group *group)
{
	size_t n_unranked = group->n_measured - group->n_ranked, i, n = 0;

	if (!n_unranked)
		return;
	zh_buf_adds(line, group->best ? "; not ranked: " : ": ");
	if (n_unranked > UNRANKED_NAMED) {
		add_reasons(line, group, n_unranked);
		return;
	}
	for (i = 0; i < group->analysis->n_cells; i++) {
		const struct zh_bench_figures *f = &group->analysis->cells[i];

		if (!is_unranked(group, f))
			continue;
		zh_buf_adds(line, n++ ? ", " : "");
		add_name(line, group, f);
		add_reason(line, f);
	}
}

/* A cell alone: its figure, and no claim. */
static void add_alone(struct zh_buf *line, const struct group *group)
{
	size_t i;

	for (i = 0; i < group->analysis->n_cells; i++) {
		const struct zh_bench_figures *f = &group->analysis->cells[i];

		if (!f->rounds || !zh_bench_has_figure(f) || !is_in(group, f))
			continue;
		add_name(line, group, f);
		zh_buf_addf(line, " %s: ", words[group->like->mode].thing);
		add_figure(line, f, true);
		add_reason(line, f);
	}
}

/* Whether a cell that takes no rank has the better figure. */
static bool looks_beaten(const struct group *group)
{
	size_t i;

	for (i = 0; i < group->analysis->n_cells; i++) {
		const struct zh_bench_figures *f = &group->analysis->cells[i];

		if (is_unranked(group, f) && zh_bench_has_figure(f) && is_better(f, group->best))
			return true;
	}
	return false;
}

/* Of several sizes and rates, the one that the answer is for. */
static void add_question(struct zh_buf *line, const struct group *group)
{
	char text[ZH_BENCH_NAME_MAX];

	zh_bench_settings(text, sizeof(text), group->best->cell,
		zh_bench_dims(group->analysis, group->like->mode) & (ZH_DIM_SIZE | ZH_DIM_GAP));
	zh_buf_addf(line, "%s%s: ", *text ? " with " : "", text);
}

static void add_winner(struct zh_buf *line, const struct group *group)
{
	enum zh_bench_mode mode = group->like->mode;

	if (looks_beaten(group))
		zh_buf_adds(line, "of what can be ranked, ");
	add_winners(line, group);
	if (group->n_ranked == 1)
		zh_buf_addf(line, " %s", words[mode].thing);
	else if (group->n_best == group->n_ranked)
		zh_buf_adds(line, " cannot be told apart");
	else
		zh_buf_addf(line, " %s", group->n_best > 1 ? words[mode].many : words[mode].one);
	add_question(line, group);
	add_figure(line, group->best, true);
	add_others(line, group);
	add_unranked(line, group);
}

static void add_group(struct zh_buf *line, const struct group *group)
{
	const char *thing = words[group->like->mode].thing;

	if (line->len)
		zh_buf_adds(line, "; ");
	if (group->n_measured == 1) {
		add_alone(line, group);
	} else if (group->best) {
		add_winner(line, group);
	} else if (group->n_measured) {
		zh_buf_addf(line, "no %s can be ranked", thing);
		add_unranked(line, group);
	} else {
		zh_buf_addf(line, "no %s could be measured%s%s", thing,
			*group->like->why_not ? ": " : "", group->like->why_not);
	}
}

void zh_bench_headline(const struct zh_bench_analysis *analysis, const struct zh_record *record,
	struct zh_node *root)
{
	static const enum zh_bench_mode order[] = {
		ZH_BENCH_PINGPONG, ZH_BENCH_RATE, ZH_BENCH_STREAM};
	zh_autobuf line = {};
	size_t i;

	for (i = 0; i < ZH_ARRAY_SIZE(order); i++) {
		struct group group;

		find_group(analysis, order[i], &group);
		if (group.like)
			add_group(&line, &group);
	}
	if (record->interrupted)
		zh_buf_adds(&line, " (interrupted: of what was measured until then)");
	zh_node_headline(root, "answer", line.text ? line.text : "");
}
