/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * An explanation as parts of a document: the keys that doctor, ping and report share. For people:
 * histogram and strip of round trips, table of stages, findings, the worst sample's timeline.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/units.h"
#include "base/util.h"
#include "explain/describe-outliers.h"
#include "explain/describe-timeline.h"
#include "explain/explain.h"
#include "explain/finding.h"
#include "explain/remedies.h"
#include "stats/histogram.h"
#include "stats/summary.h"

#define BINS_MAX 24
#define UNAVAILABLE_SHOWN 30 /* facts */

static struct zh_cell ns_if(bool known, uint64_t ns)
{
	return known ? zh_ns(ns) : zh_null();
}

void zh_rtt_describe(const struct zh_rtt *rtt, struct zh_node *node)
{
	bool any = rtt->count > 0;

	zh_node_value(node, "count", "answered", zh_count(rtt->count));
	zh_node_value(node, "lost", "lost", zh_count(rtt->lost));
	zh_node_value(node, "min_ns", "min", ns_if(any, rtt->min_ns));
	zh_node_value(node, "mean_ns", "mean", ns_if(any, rtt->mean_ns));
	zh_node_value(node, "p50_ns", "p50", ns_if(any, rtt->p50_ns));
	zh_node_value(node, "p90_ns", "p90", ns_if(any, rtt->p90_ns));
	zh_node_value(node, "p99_ns", "p99", ns_if(any, rtt->p99_ns));
	zh_node_value(node, "p999_ns", "p99.9", ns_if(any, rtt->p999_ns));
	zh_node_value(node, "max_ns", "max", ns_if(any, rtt->max_ns));
	zh_node_value(node, "stddev_ns", "standard deviation", ns_if(any, rtt->stddev_ns));
}

/* Samples of the main target, in order of time. */
struct series {
	uint64_t *rtt_ns; /* UINT64_MAX: lost */
	bool *slow;
	size_t n;
};

static bool is_main(const struct zh_record *r, const struct zh_sample *s)
{
	size_t i;

	if (s->phase >= r->n_phases || r->phases[s->phase].clean_room ||
		(s->flags & ZH_SAMPLE_WARMUP))
		return false;
	for (i = 0; i < r->n_phases; i++)
		if (!r->phases[i].clean_room)
			return strcmp(r->phases[i].target, r->phases[s->phase].target) == 0;
	return false;
}

static void collect(
	const struct zh_explanation *e, const struct zh_record *r, struct series *series)
{
	size_t i;

	series->rtt_ns = calloc(r->n_samples + 1, sizeof(uint64_t));
	series->slow = calloc(r->n_samples + 1, sizeof(bool));
	for (i = 0; series->rtt_ns && series->slow && i < r->n_samples; i++) {
		const struct zh_sample *s = &r->samples[i];
		bool answered = zh_sample_answered(s) && s->recv_ns >= s->send_ns;

		if (!is_main(r, s))
			continue;
		series->rtt_ns[series->n] = answered ? zh_sample_rtt(s) : UINT64_MAX;
		series->slow[series->n] = !answered || zh_sample_rtt(s) > e->spikes.threshold_ns;
		series->n++;
	}
}

static void describe_series(
	const struct zh_explanation *e, const struct zh_record *r, struct zh_node *node)
{
	uint64_t edges[BINS_MAX + 1], counts[BINS_MAX];
	struct series series = {0};
	size_t bins, n;

	collect(e, r, &series);
	if (series.n > 1 && e->rtt.count) {
		zh_node_strip(node, "Samples in order", series.rtt_ns, series.slow, series.n);
		zh_stats_sort(series.rtt_ns, series.n);
		for (n = series.n; n && series.rtt_ns[n - 1] == UINT64_MAX; n--)
			;
		bins = zh_stats_bins(series.rtt_ns, n, edges, counts, BINS_MAX);
		if (bins)
			zh_node_histogram(
				node, "histogram", "Round-trip times", edges, counts, bins);
	}
	free(series.rtt_ns);
	free(series.slow);
}

static void describe_spikes(const struct zh_explanation *e, struct zh_node *parent)
{
	struct zh_node *node = zh_node_object(parent, "spikes", NULL);
	bool periodic = e->spikes.period_ns > 0;
	char text[200];

	zh_node_value(node, "threshold_ns", NULL,
		ns_if(e->rtt.count && e->spikes.threshold_ns != UINT64_MAX,
			e->spikes.threshold_ns));
	zh_node_value(node, "count", NULL, zh_count(e->spikes.count));
	zh_node_value(node, "period_ns", NULL, ns_if(periodic, e->spikes.period_ns));
	zh_node_value(node, "period_samples", NULL,
		periodic ? zh_real(e->spikes.period_samples) : zh_null());
	zh_node_value(node, "p_value", NULL, zh_real(e->spikes.p_value));
	if (!e->spikes.count)
		return;
	snprintf(text, sizeof(text), "%" PRIu64 " spike%s above %s", e->spikes.count,
		e->spikes.count == 1 ? "" : "s",
		zh_format_ns((char[24]){0}, 24, e->spikes.threshold_ns));
	zh_node_text(parent, text);
	if (!periodic)
		return;
	snprintf(text, sizeof(text),
		"The spikes are periodic: one each %s, about every %.1f samples "
		"(p = %.4f).",
		zh_format_ns((char[24]){0}, 24, e->spikes.period_ns), e->spikes.period_samples,
		e->spikes.p_value);
	zh_node_text(parent, text);
}

static void describe_stages(const struct zh_explanation *e, struct zh_node *parent)
{
	static const struct zh_column columns[] = {{"id", "stage"}, {"title", "what it is"},
		{"count", "samples"}, {"p50_ns", "p50"}, {"p99_ns", "p99"},
		{"slow_p50_ns", "slow p50"}, {"slow_share", "of slow RTT"}};
	struct zh_node *table = zh_node_table(
		parent, "stages", "Where the time goes", columns, ZH_ARRAY_SIZE(columns));
	size_t i;

	for (i = 0; i < e->n_stages; i++) {
		const struct zh_stage_row *row = &e->stages[i];
		bool slow = e->n_slow && row->slow_p50_ns;
		const struct zh_cell cells[] = {zh_string(row->id), zh_string(row->title),
			zh_count(row->count), zh_ns(row->p50_ns), zh_ns(row->p99_ns),
			ns_if(slow, row->slow_p50_ns),
			slow && strcmp(row->id, "lateness") != 0 ? zh_share(row->slow_share)
								 : zh_null()};

		zh_node_row(table, cells);
	}
}

static void describe_findings(const struct zh_explanation *e, struct zh_node *parent)
{
	struct zh_node *list = zh_node_findings(parent, "findings", "Findings");
	size_t i;

	for (i = 0; i < e->n_findings; i++)
		zh_finding_describe(&e->findings[i], list);
}

static void describe_unexplained(const struct zh_explanation *e, struct zh_node *parent)
{
	char text[200];

	zh_node_value(parent, "unexplained_share", NULL,
		e->unexplained_share < 0 ? zh_null() : zh_share(e->unexplained_share));
	zh_node_value(parent, "excess_ns", NULL, zh_ns(e->excess_ns));
	zh_node_value(parent, "unexplained_ns", NULL, zh_ns(e->unexplained_ns));
	zh_node_value(parent, "minor_ns", NULL, zh_ns(e->minor_ns));
	zh_node_value(parent, "slow_samples", NULL, zh_count(e->n_slow));
	zh_node_value(parent, "late_samples", NULL, zh_count(e->n_late));
	if (e->unexplained_share < 0)
		return;
	snprintf(text, sizeof(text),
		"%zu slow round trip%s and %zu late send%s lost %s above the usual; %.1f %% of that "
		"is unexplained, %.1f %% due to causes too small to list.",
		e->n_slow, e->n_slow == 1 ? "" : "s", e->n_late, e->n_late == 1 ? "" : "s",
		zh_format_ns((char[24]){0}, 24, e->excess_ns), 100 * e->unexplained_share,
		100 * (double)e->minor_ns / (double)e->excess_ns);
	zh_node_text(parent, text);
}

static void add_not_measured(struct zh_node *table, const char *what, const char *why)
{
	const struct zh_cell cells[] = {zh_string(what), zh_string(why)};

	zh_node_row(table, cells);
}

/* What the run itself noted, and the facts that nobody could look up: checks that need them were
 * silent for that reason alone. */
static void describe_not_measured(const struct zh_record *r, struct zh_node *parent)
{
	static const struct zh_column columns[] = {{"what", "what"}, {"why", "why"}};
	struct zh_node *table = zh_node_table(
		parent, "not_measured", "Not measured", columns, ZH_ARRAY_SIZE(columns));
	size_t i, n = 0;

	for (i = 0; i < r->n_not_measured; i++)
		add_not_measured(table, r->not_measured[i].what, r->not_measured[i].why);
	for (i = 0; i < r->before.n; i++) {
		const struct zh_fact *fact = &r->before.facts[i];

		if (fact->type == ZH_FACT_UNAVAILABLE && n++ < UNAVAILABLE_SHOWN)
			add_not_measured(table, fact->key, fact->text);
	}
	if (n > UNAVAILABLE_SHOWN) {
		char why[64];

		snprintf(why, sizeof(why), "%zu more (see the record's facts)",
			n - UNAVAILABLE_SHOWN);
		add_not_measured(table, "other facts", why);
	}
}

void zh_explanation_describe(const struct zh_explanation *explanation,
	const struct zh_record *record, struct zh_node *node)
{
	struct zh_node *kernel, *rtt;

	zh_node_value(
		node, "verdict", NULL, zh_string(zh_explanation_verdict(explanation, record)));
	rtt = zh_node_object(node, "rtt", "Round trips");
	zh_rtt_describe(&explanation->rtt, rtt);
	if (explanation->kernel_rtt.count) {
		zh_node_value(rtt, NULL, "p50 by the kernel's stamp",
			zh_ns(explanation->kernel_rtt.p50_ns));
		kernel = zh_node_object(node, "kernel_rtt", NULL);
		zh_rtt_describe(&explanation->kernel_rtt, kernel);
	}
	describe_series(explanation, record, node);
	describe_spikes(explanation, node);
	describe_stages(explanation, node);
	describe_findings(explanation, node);
	zh_remedies_describe(explanation, record, node);
	describe_unexplained(explanation, node);
	zh_outliers_describe(explanation, record, node);
	if (explanation->n_timelines)
		zh_timeline_describe(&explanation->timelines[0], record, node);
	describe_not_measured(record, node);
}
