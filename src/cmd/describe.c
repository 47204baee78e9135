/* SPDX-License-Identifier: BSD-2-Clause */
#include "cmd/describe.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/units.h"
#include "base/units.h"
#include "base/util.h"
#include "probe/probe.h"
#include "stats/summary.h"

/* "3 of 100 lost" or "100 answered". */
static void add_counts(struct zh_buf *line, const struct zh_rtt *rtt)
{
	if (rtt->lost)
		zh_buf_addf(line, "%llu of %llu lost", (unsigned long long)rtt->lost,
			(unsigned long long)(rtt->lost + rtt->count));
	else
		zh_buf_addf(line, "%llu answered", (unsigned long long)rtt->count);
}

static void add_rtt(struct zh_buf *line, const struct zh_rtt *rtt)
{
	char p50[32], p99[32], max[32];

	if (!rtt->count)
		return;
	zh_format_ns(p50, sizeof(p50), rtt->p50_ns);
	zh_format_ns(p99, sizeof(p99), rtt->p99_ns);
	zh_format_ns(max, sizeof(max), rtt->max_ns);
	zh_buf_addf(line, ", RTT p50 %s, p99 %s, max %s", p50, p99, max);
}

/* The most important finding that matters, or NULL. */
static const struct zh_finding *first_that_matters(const struct zh_explanation *explanation)
{
	size_t i;

	for (i = 0; i < explanation->n_findings; i++)
		if (explanation->findings[i].severity >= ZH_SEVERITY_WARNING)
			return &explanation->findings[i];
	return NULL;
}

void cmd_headline(struct zh_node *root, const struct zh_record *record,
	const struct zh_explanation *explanation)
{
	const char *verdict = zh_explanation_verdict(explanation, record);
	const struct zh_finding *finding = first_that_matters(explanation);
	zh_autobuf line = {};

	zh_buf_addf(&line, "%s: ", verdict);
	if (record->n_phases)
		zh_buf_addf(&line, "%s ", record->phases[0].target);
	add_counts(&line, &explanation->rtt);
	add_rtt(&line, &explanation->rtt);
	if (finding)
		zh_buf_addf(&line, ": %s", finding->summary);
	if (record->interrupted)
		zh_buf_adds(&line, " (ended early)");
	zh_node_headline(root, NULL, line.text ? line.text : "");
}

void cmd_describe_run(struct zh_node *root, const struct zh_record *record)
{
	struct zh_node *run = zh_node_object(root, "run", NULL);

	const struct zh_phase *phase = record->n_phases ? record->phases : NULL;

	zh_node_value(run, "target", NULL, phase ? zh_string(phase->target) : zh_null());
	zh_node_value(run, "transport", NULL,
		phase ? zh_string(zh_transport_name(phase->transport)) : zh_null());
	zh_node_value(run, "started_unix_ns", NULL, zh_count(record->start_realtime_ns));
	zh_node_value(run, "took_ns", NULL, zh_ns(record->end_ns - record->start_ns));
	zh_node_value(run, "interrupted", NULL, zh_bool(record->interrupted));
}

static struct zh_cell text_or_null(const char *text)
{
	return text && text[0] ? zh_string(text) : zh_null();
}

/* "eth0 in pod shop/cart-7f (web)": for people; its parts for programs. `end`: "", "peer.", "host."
 */
static void describe_end(struct zh_node *device, struct zh_node *node,
	const struct zh_record *record, const char *end, const char *title)
{
	const struct zh_fact_set *facts = &record->after;
	const char *part[4];
	char text[320];
	static const char *const keys[] = {"dev", "place", "pod", "container"};

	for (size_t i = 0; i < ZH_ARRAY_SIZE(keys); i++) {
		part[i] = zh_fact_text(facts, "watch.%s%s", end, keys[i]);
		part[i] = part[i] ? part[i] : "";
	}
	snprintf(text, sizeof(text), "%s in %s%s%s%s", part[0], part[1], part[3][0] ? " (" : "",
		part[3], part[3][0] ? ")" : "");
	if (title)
		zh_node_value(device, NULL, title, zh_string(text));
	zh_node_value(node, "name", NULL, zh_string(part[0]));
	for (size_t i = 1; i < ZH_ARRAY_SIZE(keys); i++)
		zh_node_value(node, keys[i], NULL, text_or_null(part[i]));
}

void cmd_describe_device(struct zh_node *root, const struct zh_record *record)
{
	const struct zh_fact_set *facts = &record->after;
	struct zh_node *node;

	const char *peer = zh_fact_text(facts, "watch.peer.dev");
	const char *host = zh_fact_text(facts, "watch.host.dev");
	const char *why = zh_fact_text(facts, "watch.why");
	const char *bridge = zh_fact_text(facts, "watch.bridge");

	if (!zh_fact_text(facts, "watch.dev"))
		return;
	node = zh_node_object(root, "device", "Device under watch");
	describe_end(node, node, record, "", "device");
	zh_node_value(node, "kind", "kind", text_or_null(zh_fact_text(facts, "watch.kind")));
	zh_node_value(node, "why", why ? "because" : NULL, text_or_null(why));
	if (peer)
		describe_end(
			node, zh_node_object(node, "peer", NULL), record, "peer.", "other end");
	if (host)
		describe_end(node, zh_node_object(node, "host", NULL), record, "host.",
			peer && !strcmp(host, peer) ? NULL : "it sits on");
	zh_node_value(node, "bridge", bridge ? "port of" : NULL, text_or_null(bridge));
}

/* A row of the sweep joins all stretches of the same gap, place and target. */
struct stretch {
	const struct zh_phase *like; /* the first phase of its kind */
	uint64_t *rtt_ns;            /* sorted */
	size_t n;
	uint64_t lost;
};

static bool is_same_kind(const struct zh_phase *a, const struct zh_phase *b)
{
	return a->gap_ns == b->gap_ns && a->clean_room == b->clean_room &&
	       a->transport == b->transport;
}

static bool is_first_of_kind(const struct zh_record *record, size_t index)
{
	size_t i;

	for (i = 0; i < index; i++)
		if (is_same_kind(&record->phases[i], &record->phases[index]))
			return false;
	return true;
}

static void gather(const struct zh_record *record, size_t index, struct stretch *s)
{
	uint32_t i;
	size_t p;

	s->like = &record->phases[index];
	s->rtt_ns = calloc(record->n_samples + 1, sizeof(s->rtt_ns[0]));
	for (p = index; s->rtt_ns && p < record->n_phases; p++) {
		const struct zh_phase *phase = &record->phases[p];

		for (i = phase->first; is_same_kind(phase, s->like) && i < phase->first + phase->n;
			i++) {
			const struct zh_sample *sample = &record->samples[i];

			if (zh_sample_answered(sample))
				s->rtt_ns[s->n++] = zh_sample_rtt(sample);
			else if (!(sample->flags & ZH_SAMPLE_WARMUP))
				s->lost++;
		}
	}
	if (s->n)
		zh_stats_sort(s->rtt_ns, s->n);
}

static struct zh_cell quantile(const struct stretch *s, double q)
{
	return s->n ? zh_ns(zh_stats_quantile(s->rtt_ns, s->n, q)) : zh_null();
}

static const char *where(const struct zh_phase *phase, const struct zh_phase *first)
{
	if (phase->clean_room)
		return "clean room";
	return phase->transport == first->transport ? "here" : "here, second thread";
}

static void add_stretch(
	struct zh_node *table, const struct zh_record *record, const struct stretch *s)
{
	const struct zh_phase *first = &record->phases[0];
	const struct zh_cell cells[] = {
		zh_ns(s->like->gap_ns),
		zh_string(where(s->like, first)),
		zh_string(zh_transport_name(s->like->transport)),
		zh_count(s->n + s->lost),
		zh_count(s->lost),
		quantile(s, 0.5),
		quantile(s, 0.9),
		quantile(s, 0.99),
		quantile(s, 1),
	};
	struct zh_node *row = zh_node_row(table, cells), *rtt;

	zh_node_value(row, "clean_room", NULL, zh_bool(s->like->clean_room));
	rtt = zh_node_object(row, "rtt", NULL);
	zh_node_value(rtt, "count", NULL, zh_count(s->n));
	zh_node_value(rtt, "lost", NULL, zh_count(s->lost));
	zh_node_value(rtt, "min_ns", NULL, quantile(s, 0));
	zh_node_value(rtt, "p50_ns", NULL, quantile(s, 0.5));
	zh_node_value(rtt, "p90_ns", NULL, quantile(s, 0.9));
	zh_node_value(rtt, "p99_ns", NULL, quantile(s, 0.99));
	zh_node_value(rtt, "max_ns", NULL, quantile(s, 1));
}

/* The contract's clean_room {rtt}: all clean-room stretches of the fastest pace. */
static void describe_clean_room(struct zh_node *root, const struct zh_record *record,
	const struct zh_explanation *explanation)
{
	struct zh_node *room;
	size_t i;

	for (i = 0; i < record->n_phases; i++) {
		if (!record->phases[i].clean_room)
			continue;
		room = zh_node_object(root, "clean_room", NULL);
		zh_rtt_describe(&explanation->phase_rtt[i], zh_node_object(room, "rtt", NULL));
		return;
	}
	zh_node_value(root, "clean_room", NULL, zh_null());
}

void cmd_describe_sweep(struct zh_node *root, const struct zh_record *record,
	const struct zh_explanation *explanation)
{
	static const struct zh_column columns[] = {{"gap_ns", "gap"}, {"where", "where"},
		{"transport", "transport"}, {NULL, "probes"}, {NULL, "lost"}, {NULL, "p50"},
		{NULL, "p90"}, {NULL, "p99"}, {NULL, "max"}};
	struct zh_node *table;
	size_t i;

	/* One pace is no sweep: for programs only. */
	table = zh_node_table(root, "sweep",
		record->n_phases > 1 ? "RTT by gap between probes" : NULL, columns,
		ZH_ARRAY_SIZE(columns));
	for (i = 0; i < record->n_phases; i++) {
		struct stretch stretch = {};

		if (!is_first_of_kind(record, i))
			continue;
		gather(record, i, &stretch);
		add_stretch(table, record, &stretch);
		free(stretch.rtt_ns);
	}
	describe_clean_room(root, record, explanation);
}

void cmd_describe_overhead(struct zh_node *root, const struct zh_record *record)
{
	struct zh_node *node = zh_node_object(root, "overhead", "Own cost");
	uint64_t bare = record->overhead_bare_p50_ns, traced = record->overhead_traced_p50_ns;
	char text[160], a[32], b[32];

	if (bare && traced) {
		zh_format_ns(a, sizeof(a), bare);
		zh_format_ns(b, sizeof(b), traced);
		snprintf(text, sizeof(text), "back-to-back RTT p50 %s without tracing, %s with it",
			a, b);
		zh_node_text(node, text);
		zh_node_value(node, "rtt_p50_ns", NULL, zh_ns(traced > bare ? traced - bare : 0));
		zh_node_value(node, "bare_p50_ns", NULL, zh_ns(bare));
		zh_node_value(node, "traced_p50_ns", NULL, zh_ns(traced));
	} else {
		zh_node_value(node, "rtt_p50_ns", "RTT added by tracing",
			zh_unavailable(
				record->phases && record->n_phases && record->phases[0].traced
					? "back-to-back probes were not all answered"
					: "nothing was traced"));
	}
	zh_node_value(node, "cpu_share", "CPU time used, of all CPUs",
		record->overhead_cpu_share < 0 ? zh_unavailable("not measured")
					       : zh_share(record->overhead_cpu_share));
}

void cmd_describe_host(struct zh_node *root, const struct zh_record *record)
{
	struct zh_node *host = zh_node_object(root, "host", "Machine");

	zh_node_value(host, "kernel", "kernel", zh_string(record->kernel));
	zh_node_value(host, "cpus", "CPUs", zh_count(record->n_cpus));
	zh_node_value(host, "virt", "virtualisation",
		zh_string(zh_fact_text(&record->before, "virt.type")));
	zh_node_value(host, "cpuidle_driver", "idle driver",
		zh_string(zh_fact_text(&record->before, "cpuidle.driver")));
	zh_node_value(host, "clocksource", "clock source",
		zh_string(zh_fact_text(&record->before, "clock.source")));
	zh_node_value(host, "hostname", NULL, zh_string(record->host));
}
