/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Other programs beside ours. Each of their figures is compared with ours of the same cell and
 * round, which ran next to it: the median of these ratios holds where the figures themselves drift.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/util.h"
#include "explain/bench-parts.h"

/* One program in one cell: the figures of both in its rounds. */
struct pairing {
	const struct zh_bench_tool *first; /* of its rows */
	const struct zh_bench_figures *ours;
	uint64_t mean_ns, p50_ns, p99_ns, max_ns, bytes_per_s; /* medians; 0: it does not say */
	double mean_ratio, p50_ratio, throughput_ratio;        /* theirs over ours; 0: none */
	size_t rounds;                                         /* in which it gave a figure */
	const char *why_not;
};

static bool is_same(const struct zh_bench_tool *a, const struct zh_bench_tool *b)
{
	return a->cell == b->cell && !strcmp(a->tool, b->tool);
}

static bool is_first(const struct zh_bench_data *bench, size_t index)
{
	size_t i;

	for (i = 0; i < index; i++)
		if (is_same(&bench->tools[i], &bench->tools[index]))
			return false;
	return true;
}

/* Our round next to the program's; NULL: there is none. */
static const struct zh_bench_round *our_round(
	const struct zh_bench_figures *ours, const struct zh_bench_tool *tool)
{
	size_t i;

	for (i = 0; i < ours->rounds; i++)
		if (ours->list[i]->round == tool->round)
			return ours->list[i];
	return NULL;
}

enum figure { MEAN, P50, P99, MAX, THROUGHPUT };

static uint64_t their_figure(const struct zh_bench_tool *tool, enum figure figure)
{
	const uint64_t figures[] = {
		tool->mean_ns, tool->p50_ns, tool->p99_ns, tool->max_ns, tool->bytes_per_s};

	return figures[figure];
}

static double our_figure(
	const struct zh_bench_data *bench, const struct zh_bench_round *round, enum figure figure)
{
	if (figure == P50)
		return (double)zh_bench_round_quantile(bench, round, 0.5);
	if (figure == THROUGHPUT)
		return (double)round->bytes * 1e9 / (double)round->elapsed_ns;
	return (double)round->sum_ns / (double)round->messages;
}

/* The values of a figure in all its rounds; as ratios to ours when `bench` is given. */
static double median_of(const struct zh_bench_data *tools, const struct pairing *p,
	enum figure figure, const struct zh_bench_data *bench, double *scratch)
{
	size_t i, n = 0;

	for (i = 0; i < tools->n_tools; i++) {
		const struct zh_bench_tool *tool = &tools->tools[i];
		const struct zh_bench_round *round;
		uint64_t theirs = their_figure(tool, figure);

		if (!is_same(tool, p->first) || !theirs)
			continue;
		if (!bench) {
			scratch[n++] = (double)theirs;
			continue;
		}
		round = our_round(p->ours, tool);
		if (round && our_figure(bench, round, figure) > 0)
			scratch[n++] = (double)theirs / our_figure(bench, round, figure);
	}
	return zh_bench_median(scratch, n);
}

static struct pairing pair_up(const struct zh_bench_analysis *analysis,
	const struct zh_bench_data *bench, size_t index, double *scratch)
{
	struct pairing p = {
		.first = &bench->tools[index], .ours = &analysis->cells[bench->tools[index].cell]};
	uint64_t *const medians[] = {&p.mean_ns, &p.p50_ns, &p.p99_ns, &p.max_ns, &p.bytes_per_s};
	size_t i;

	for (i = 0; i < ZH_ARRAY_SIZE(medians); i++)
		*medians[i] =
			(uint64_t)llround(median_of(bench, &p, (enum figure)i, NULL, scratch));
	p.mean_ratio = median_of(bench, &p, MEAN, bench, scratch);
	p.p50_ratio = median_of(bench, &p, P50, bench, scratch);
	p.throughput_ratio = median_of(bench, &p, THROUGHPUT, bench, scratch);
	for (i = index; i < bench->n_tools; i++) {
		const struct zh_bench_tool *tool = &bench->tools[i];

		if (!is_same(tool, p.first))
			continue;
		p.rounds += tool->mean_ns || tool->p50_ns || tool->bytes_per_s;
		if (!p.why_not && *tool->why_not)
			p.why_not = tool->why_not;
	}
	return p;
}

static const struct zh_column all_columns[] = {
	{"tool", "program"},
	{"version", "version"},
	{NULL, "cell"},
	{"transport", NULL},
	{"mode", NULL},
	{"size", NULL},
	{"buf", NULL},
	{"placement", NULL},
	{"rounds", NULL},
	{"mean_ns", "mean"},
	{"p50_ns", "p50"},
	{"p99_ns", "p99"},
	{"max_ns", NULL},
	{"throughput_bytes_per_s", "throughput"},
	{"mean_ratio", "x mean"},
	{"p50_ratio", "x p50"},
	{"throughput_ratio", "x rate"},
	{"why_not", NULL},
};

static struct zh_cell ns_or(uint64_t ns, const char *why_not)
{
	if (ns)
		return zh_ns(ns);
	return why_not ? zh_unavailable(why_not) : zh_null();
}

static struct zh_cell ratio_or_null(double ratio)
{
	return ratio > 0 ? zh_real(ratio) : zh_null();
}

static void add_row(
	struct zh_node *table, const struct zh_bench_analysis *analysis, const struct pairing *p)
{
	const struct zh_bench_cell *c = p->ours->cell;
	/* Why a program gave nothing stands with the figure that the cell is about. */
	const char *why = p->rounds ? NULL : p->why_not;
	bool has_rtt = zh_bench_has_rtt(c);
	char name[ZH_BENCH_NAME_MAX];
	const struct zh_cell cells[ZH_ARRAY_SIZE(all_columns)] = {
		zh_string(p->first->tool),
		*p->first->version ? zh_string(p->first->version) : zh_null(),
		zh_string(zh_bench_full_name(name, sizeof(name), analysis, c)),
		zh_string(c->transport),
		zh_string(zh_bench_mode_name(c->mode)),
		zh_bytes(c->size_bytes),
		c->buf_bytes ? zh_bytes(c->buf_bytes) : zh_null(),
		zh_string(zh_bench_placement_name(c->placement)),
		zh_count(p->rounds),
		ns_or(p->mean_ns, has_rtt ? why : NULL),
		ns_or(p->p50_ns, NULL),
		ns_or(p->p99_ns, NULL),
		ns_or(p->max_ns, NULL),
		p->bytes_per_s    ? zh_bytes_per_s(p->bytes_per_s)
		: has_rtt || !why ? zh_null()
				  : zh_unavailable(why),
		ratio_or_null(p->mean_ratio),
		ratio_or_null(p->p50_ratio),
		ratio_or_null(p->throughput_ratio),
		p->why_not ? zh_string(p->why_not) : zh_null(),
	};

	zh_node_row(table, cells);
}

static bool is_of_streams(const char *key)
{
	return key && !strncmp(key, "throughput", strlen("throughput"));
}

static bool is_of_rtts(const char *key)
{
	return key &&
	       (!strncmp(key, "mean", 4) || !strncmp(key, "p50", 3) || !strcmp(key, "p99_ns"));
}

/* People see no columns that would be empty. */
static void choose_columns(const struct zh_bench_data *bench, struct zh_column *columns)
{
	bool any_rtt = false, any_stream = false;
	size_t i;

	for (i = 0; i < bench->n_tools; i++) {
		bool has_rtt = zh_bench_has_rtt(&bench->cells[bench->tools[i].cell]);

		any_rtt |= has_rtt;
		any_stream |= !has_rtt;
	}
	memcpy(columns, all_columns, sizeof(all_columns));
	for (i = 0; i < ZH_ARRAY_SIZE(all_columns); i++)
		if ((!any_stream && is_of_streams(columns[i].key)) ||
			(!any_rtt && is_of_rtts(columns[i].key)))
			columns[i].heading = NULL;
}

void zh_bench_describe_tools(const struct zh_bench_analysis *analysis,
	const struct zh_record *record, struct zh_node *root)
{
	const struct zh_bench_data *bench = &record->bench;
	zh_autofree double *scratch = calloc(bench->n_tools + 1, sizeof(scratch[0]));
	struct zh_column columns[ZH_ARRAY_SIZE(all_columns)];
	struct zh_node *table;
	size_t i;

	choose_columns(bench, columns);
	table = zh_node_table(root, "tools",
		bench->n_tools ? "Other programs, in the same interleaving (x: theirs to ours)"
			       : NULL,
		columns, ZH_ARRAY_SIZE(columns));
	for (i = 0; scratch && i < bench->n_tools; i++) {
		struct pairing pairing;

		if (!is_first(bench, i))
			continue;
		pairing = pair_up(analysis, bench, i, scratch);
		add_row(table, analysis, &pairing);
	}
}
