/* SPDX-License-Identifier: BSD-2-Clause */
/* A benchmark as parts of a document; `results` is for programs, people get tables. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/util.h"
#include "explain/bench-parts.h"

#define LOSSES_MAX 64 /* counters a cell */

void zh_bench_describe_run(const struct zh_record *record, struct zh_node *root)
{
	struct zh_node *run = zh_node_object(root, "run", NULL);
	uint64_t took = record->end_ns > record->start_ns ? record->end_ns - record->start_ns : 0;

	zh_node_value(run, "started_unix_ns", NULL, zh_count(record->start_realtime_ns));
	zh_node_value(run, "took_ns", NULL, zh_ns(took));
	zh_node_value(run, "interrupted", NULL, zh_bool(record->interrupted));
}

static struct zh_cell ns_or_null(uint64_t ns)
{
	return ns ? zh_ns(ns) : zh_null();
}

static struct zh_cell real_or_null(double value)
{
	return value > 0 ? zh_real(value) : zh_null();
}

static struct zh_cell share_or_null(double share)
{
	return share >= 0 ? zh_share(share) : zh_null();
}

static struct zh_cell cpu_or_null(int16_t cpu)
{
	return cpu >= 0 ? zh_count((uint64_t)cpu) : zh_null();
}

static struct zh_cell bytes_or_null(uint64_t bytes)
{
	return bytes ? zh_bytes(bytes) : zh_null();
}

static struct zh_cell text_or_null(const char *text)
{
	return *text ? zh_string(text) : zh_null();
}

static const struct zh_column result_columns[] = {
	{"transport", NULL},
	{"mode", NULL},
	{"size", NULL},
	{"buf", NULL},
	{"placement", NULL},
	{"over", NULL},
	{"gap_ns", NULL},
	{"spin", NULL},
	{"zerocopy", NULL},
	{"busy_poll_us", NULL},
	{"cpu", NULL},
	{"peer_cpu", NULL},
	{"congestion", NULL},
	{"sndbuf_bytes", NULL},
	{"rcvbuf_bytes", NULL},
	{"rounds", NULL},
	{"messages", NULL},
	{"rank", NULL},
	{"throughput_bytes_per_s", NULL},
	{"spread", NULL},
	{"floor_ratio", NULL},
	{"floor_p50_ratio", NULL},
	{"floor_mean_ns", NULL},
	{"floor_p50_ns", NULL},
	{"floor_throughput_bytes_per_s", NULL},
	{"cpu_ns_per_msg", NULL},
	{"peer_cpu_ns_per_msg", NULL},
	{"switches_per_msg", NULL},
	{"preempted_per_msg", NULL},
	{"foreign_share", NULL},
	{"steal_share", NULL},
	{"sent", NULL},
	{"missing", NULL},
	{"why_not", NULL},
};

static struct zh_node *add_result(struct zh_node *table, const struct zh_bench_figures *f)
{
	const struct zh_bench_cell *c = f->cell;
	bool any = f->rounds > 0;
	const struct zh_cell cells[ZH_ARRAY_SIZE(result_columns)] = {
		zh_string(c->transport),
		zh_string(zh_bench_mode_name(c->mode)),
		zh_bytes(c->size_bytes),
		bytes_or_null(c->buf_bytes),
		zh_string(zh_bench_placement_name(c->placement)),
		text_or_null(c->over),
		ns_or_null(c->gap_ns),
		zh_bool(c->spin),
		zh_bool(c->zerocopy),
		c->busy_poll_us ? zh_count(c->busy_poll_us) : zh_null(),
		cpu_or_null(c->cpu),
		cpu_or_null(c->peer_cpu),
		text_or_null(c->congestion),
		bytes_or_null(c->sndbuf_bytes),
		bytes_or_null(c->rcvbuf_bytes),
		zh_count(f->rounds),
		zh_count(f->messages),
		f->rank ? zh_count(f->rank) : zh_null(),
		f->bytes_per_s ? zh_bytes_per_s(f->bytes_per_s) : zh_null(),
		share_or_null(f->spread),
		real_or_null(f->floor_ratio),
		real_or_null(f->floor_p50_ratio),
		ns_or_null(f->floor_mean_ns),
		ns_or_null(f->floor_p50_ns),
		f->floor_bytes_per_s ? zh_bytes_per_s(f->floor_bytes_per_s) : zh_null(),
		any ? zh_ns((uint64_t)llround(f->cpu_ns_per_msg)) : zh_null(),
		any ? zh_ns((uint64_t)llround(f->peer_cpu_ns_per_msg)) : zh_null(),
		any ? zh_real(f->switches_per_msg) : zh_null(),
		any ? zh_real(f->preempted_per_msg) : zh_null(),
		share_or_null(f->foreign_share),
		share_or_null(f->steal_share),
		f->sent ? zh_packets(f->sent) : zh_null(),
		f->sent ? zh_packets(f->missing) : zh_null(),
		text_or_null(c->why_not),
	};

	return zh_node_row(table, cells);
}

static void add_rtt(struct zh_node *row, const struct zh_bench_figures *f)
{
	struct zh_node *rtt;

	if (!f->histogram || !f->histogram->n) {
		zh_node_value(row, "rtt", NULL, zh_null());
		return;
	}
	rtt = zh_node_object(row, "rtt", NULL);
	zh_node_value(rtt, "count", NULL, zh_count(f->histogram->n));
	zh_node_value(rtt, "min_ns", NULL, zh_ns(f->min_ns));
	zh_node_value(rtt, "mean_ns", NULL, zh_ns(f->mean_ns));
	zh_node_value(rtt, "p50_ns", NULL, zh_ns(f->p50_ns));
	zh_node_value(rtt, "p90_ns", NULL, ns_or_null(f->p90_ns));
	zh_node_value(rtt, "p99_ns", NULL, ns_or_null(f->p99_ns));
	zh_node_value(rtt, "p999_ns", NULL, ns_or_null(f->p999_ns));
	zh_node_value(rtt, "p9999_ns", NULL, ns_or_null(f->p9999_ns));
	zh_node_value(rtt, "max_ns", NULL, zh_ns(f->max_ns));
}

static void add_losses(
	struct zh_node *row, const struct zh_record *record, const struct zh_bench_figures *f)
{
	struct zh_bench_loss losses[LOSSES_MAX];
	size_t n = zh_bench_losses(record, f, losses, LOSSES_MAX), i;
	struct zh_node *object = zh_node_object(row, "losses", NULL);

	for (i = 0; i < n; i++)
		zh_node_value(object, losses[i].counter, NULL, zh_packets(losses[i].count));
}

static void add_flags(struct zh_node *row, const struct zh_bench_figures *f)
{
	struct zh_node *list = zh_node_list(row, "flags", NULL);
	unsigned int i;

	for (i = 0; i < ZH_DOUBTS; i++)
		if (f->doubts & 1u << i)
			zh_node_item(list, zh_bench_doubts[i].flag);
}

static void describe_results(const struct zh_bench_analysis *analysis,
	const struct zh_record *record, struct zh_node *root)
{
	struct zh_node *table =
		zh_node_table(root, "results", NULL, result_columns, ZH_ARRAY_SIZE(result_columns));
	size_t i;

	for (i = 0; i < analysis->n_cells; i++) {
		struct zh_node *row = add_result(table, &analysis->cells[i]);

		add_rtt(row, &analysis->cells[i]);
		add_losses(row, record, &analysis->cells[i]);
		add_flags(row, &analysis->cells[i]);
	}
}

/* What the flags in the tables mean, those that are there. */
static void describe_flags(const struct zh_bench_analysis *analysis, struct zh_node *root)
{
	struct zh_node *object = zh_node_object(root, NULL, "Flags");
	unsigned int used = 0, i;
	size_t k;

	for (k = 0; k < analysis->n_cells; k++)
		used |= analysis->cells[k].doubts;
	for (i = 0; i < ZH_DOUBTS; i++)
		if (used & 1u << i)
			zh_node_value(object, NULL, zh_bench_doubts[i].flag,
				zh_string(zh_bench_doubts[i].meaning));
}

static void describe_not_measured(const struct zh_bench_analysis *analysis,
	const struct zh_record *record, struct zh_node *root)
{
	static const struct zh_column columns[] = {{"what", "what"}, {"why", "why"}};
	bool any = record->n_not_measured > 0;
	char name[ZH_BENCH_NAME_MAX];
	struct zh_node *table;
	size_t i;

	for (i = 0; i < analysis->n_cells; i++)
		any |= *analysis->cells[i].cell->why_not != '\0';
	table = zh_node_table(
		root, "not_measured", any ? "Not measured" : NULL, columns, ZH_ARRAY_SIZE(columns));
	for (i = 0; i < analysis->n_cells; i++) {
		const struct zh_bench_cell *cell = analysis->cells[i].cell;

		if (!*cell->why_not)
			continue;
		zh_bench_full_name(name, sizeof(name), analysis, cell);
		zh_node_row(table, (struct zh_cell[]){zh_string(name), zh_string(cell->why_not)});
	}
	for (i = 0; i < record->n_not_measured; i++)
		zh_node_row(table, (struct zh_cell[]){zh_string(record->not_measured[i].what),
					   zh_string(record->not_measured[i].why)});
}

void zh_bench_describe(const struct zh_bench_analysis *analysis, const struct zh_record *record,
	enum zh_bench_view view, struct zh_node *root)
{
	zh_bench_headline(analysis, record, root);
	zh_bench_describe_run(record, root);
	describe_results(analysis, record, root);
	if (view == ZH_BENCH_HEAT_MAP) {
		zh_bench_describe_map(analysis, root);
	} else {
		zh_bench_describe_tables(analysis, root);
		describe_flags(analysis, root);
	}
	zh_bench_describe_why(analysis, root);
	zh_bench_describe_losses(analysis, record, root);
	zh_bench_describe_tools(analysis, record, root);
	describe_not_measured(analysis, record, root);
}
