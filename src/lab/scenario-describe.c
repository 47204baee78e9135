/* SPDX-License-Identifier: BSD-2-Clause */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/buf.h"
#include "base/util.h"
#include "lab/scenario.h"

#define CPUS_SHOWN 4

static uint64_t per_second(uint64_t count, uint64_t ns)
{
	return ns ? (uint64_t)((double)count * (double)ZH_NSEC_PER_SEC / (double)ns) : 0;
}

static bool is_measured(const struct zh_step_result *step)
{
	return step->verdict != ZH_VERDICT_FAILED;
}

static double softirq_share(const struct lab_traffic *traffic, size_t cpu)
{
	double share = traffic->window_ns
			       ? (double)traffic->softirq_ns[cpu] / (double)traffic->window_ns
			       : 0;

	return ZH_MIN(share, 1.0); /* a run that ends in the window may have begun before it */
}

static void describe_answer(const struct zh_scenario_result *result, struct zh_node *node)
{
	const struct zh_step_result *before = &result->steps[0], *step;
	zh_autobuf text = {0};
	size_t i;

	zh_buf_addf(&text,
		"%s: %.1f %% of the packets are lost, %" PRIu32 " of %" PRIu32 " requests answered",
		before->step->what, 100 * lab_traffic_lost(&before->udp),
		before->udp.victim.answered, before->udp.victim.requests);
	for (i = 1; i < result->n_steps; i++) {
		step = &result->steps[i];
		zh_buf_addf(&text, "; %s %s", step->step->id, zh_verdict_name(step->verdict));
		if (step->verdict == ZH_VERDICT_HELPS)
			zh_buf_addf(&text, " (%.1f %%, %" PRIu32 ")",
				100 * lab_traffic_lost(&step->udp), step->udp.victim.answered);
	}
	zh_buf_addc(&text, '.');
	zh_node_headline(node, "answer", text.text ? text.text : "");
}

static void describe_setting(const struct zh_scenario_result *result, struct zh_node *node)
{
	const struct zh_scenario *scenario = result->scenario;
	struct zh_node *load = zh_node_object(node, "load", "Scenario");

	zh_node_value(load, "scenario", "scenario", zh_string(scenario->id));
	zh_node_value(load, "summary", "what", zh_string(scenario->summary));
	zh_node_value(load, "engine", "sent by", zh_string(result->steps[0].udp.load.engine));
	zh_node_value(load, "flows", "flows", zh_count(scenario->flows));
	zh_node_value(load, "pps", "packets/s asked for",
		result->rate ? zh_count(result->rate) : zh_string("as many as possible"));
	zh_node_value(load, "can_deliver_pps", "the state before can deliver",
		result->can_deliver ? zh_count(result->can_deliver) : zh_null());
	zh_node_value(
		load, "hot_cpu", "CPU of the receive work", zh_count((uint64_t)result->hot_cpu));
	zh_node_value(load, "other_cpu", "CPU of sender, sink and victim",
		zh_count((uint64_t)result->other_cpu));
}

/* "99 % 12 %", one a CPU; of many CPUs the hot one and the busiest of the others. */
static const char *softirq_text(const struct zh_scenario_result *result,
	const struct lab_traffic *traffic, char *buf, size_t size)
{
	double most = 0;
	size_t len = 0, cpu;

	if (!traffic->n_cpus)
		return NULL;
	for (cpu = 0; cpu < traffic->n_cpus; cpu++) {
		if (traffic->n_cpus <= CPUS_SHOWN)
			len += (size_t)snprintf(buf + len, size - len, "%s%.0f%s", cpu ? "+" : "",
				100 * softirq_share(traffic, cpu),
				cpu + 1 == traffic->n_cpus ? " %" : "");
		else if ((int)cpu != result->hot_cpu)
			most = ZH_MAX(most, softirq_share(traffic, cpu));
	}
	if (traffic->n_cpus > CPUS_SHOWN)
		snprintf(buf, size, "%.0f %%, others <= %.0f %%",
			100 * softirq_share(traffic, (size_t)result->hot_cpu), 100 * most);
	return buf;
}

static struct zh_cell time_cell(const struct lab_victim_result *victim, uint64_t ns)
{
	return victim->answered ? zh_ns(ns) : zh_null();
}

static void add_victim(
	struct zh_node *parent, const char *key, const struct lab_victim_result *victim, bool has)
{
	struct zh_node *node = zh_node_object(parent, key, NULL);

	zh_node_value(node, "requests", NULL, has ? zh_count(victim->requests) : zh_null());
	zh_node_value(node, "answered", NULL, has ? zh_count(victim->answered) : zh_null());
	zh_node_value(node, "late", NULL, has ? zh_count(victim->late) : zh_null());
	zh_node_value(node, "p50_ns", NULL, time_cell(victim, victim->p50_ns));
	zh_node_value(node, "p99_ns", NULL, time_cell(victim, victim->p99_ns));
	zh_node_value(node, "max_ns", NULL, time_cell(victim, victim->max_ns));
}

/* What a table has no room for. */
static void add_details(struct zh_node *row, const struct zh_step_result *step)
{
	const struct lab_traffic *udp = &step->udp;
	struct zh_node *node = zh_node_object(row, "drops", NULL);
	size_t i;

	for (i = 0; i < udp->places.n; i++)
		zh_node_value(node, udp->places.place[i].name, NULL,
			zh_count(udp->places.place[i].count));
	node = zh_node_list(row, "softirq_share", NULL);
	for (i = 0; i < udp->n_cpus; i++)
		zh_node_item_value(node, zh_share(softirq_share(udp, i)));
	node = zh_node_object(row, "victim", NULL);
	add_victim(node, "udp", &udp->victim, is_measured(step));
	add_victim(node, "tcp", &step->tcp.victim, step->has_tcp);
}

/* As short as a column needs it. */
static const char *const verdict_marks[] = {
	[ZH_VERDICT_BEFORE] = NULL,
	[ZH_VERDICT_HELPS] = "yes",
	[ZH_VERDICT_NO_HELP] = "no",
	[ZH_VERDICT_HARMS] = "harms",
	[ZH_VERDICT_NOT_SHOWN] = "?",
	[ZH_VERDICT_FAILED] = "failed",
};

/* Whole packets; fewer than none when more arrived, or were dropped, than were sent. */
static struct zh_cell packets_cell(int64_t count)
{
	return count < 0 ? zh_real((double)count) : zh_count((uint64_t)count);
}

static void add_step(struct zh_node *table, const struct zh_scenario_result *result,
	const struct zh_step_result *step)
{
	const struct lab_traffic *udp = &step->udp;
	const struct lab_victim_result *victim = &udp->victim;
	uint64_t lost = udp->load.sent - ZH_MIN(udp->load.sent, udp->load.received);
	bool ok = is_measured(step);
	char softirq[96];
	struct zh_node *row;

	row = zh_node_row(
		table, (struct zh_cell[]){
			       zh_string(step->step->id),
			       zh_string(step->step->what),
			       zh_string(zh_verdict_name(step->verdict)),
			       zh_string(verdict_marks[step->verdict]),
			       ok ? zh_count(lab_traffic_offered(udp)) : zh_null(),
			       ok ? zh_count(per_second(udp->received, udp->window_ns)) : zh_null(),
			       ok ? zh_count(lost) : zh_null(),
			       ok ? zh_share(lab_traffic_lost(udp)) : zh_null(),
			       ok ? zh_count(victim->answered) : zh_null(),
			       time_cell(victim, victim->p50_ns),
			       time_cell(victim, victim->p99_ns),
			       time_cell(victim, victim->max_ns),
			       zh_string(softirq_text(result, udp, softirq, sizeof(softirq))),
			       udp->received ? zh_ns(udp->busy_ns / udp->received) : zh_null(),
			       zh_bool(step->throttled),
			       ok ? zh_count(udp->load.sent) : zh_null(),
			       ok ? zh_count(udp->load.received) : zh_null(),
			       ok && udp->is_reckoned ? packets_cell(udp->unattributed) : zh_null(),
			       zh_string(step->why[0] ? step->why : NULL),
		       });
	add_details(row, step);
}

static void describe_steps(const struct zh_scenario_result *result, struct zh_node *node)
{
	static const struct zh_column columns[] = {{"id", "step"}, {"what", NULL},
		{"verdict", NULL}, {NULL, "helps?"}, {"offered_pps", NULL}, {"pps", "pkts/s"},
		{"lost", NULL}, {"lost_share", "lost"}, {NULL, "answered"}, {"p50_ns", "p50"},
		{"p99_ns", "p99"}, {"max_ns", "max"}, {NULL, "softirq"},
		{"cpu_ns_per_packet", "CPU/pkt"}, {"throttled", NULL}, {"sent", NULL},
		{"received", NULL}, {"unattributed", NULL}, {"why", NULL}};
	struct zh_node *table = zh_node_table(node, "steps",
		"Steps, with a UDP victim: 1000 requests, one a millisecond", columns,
		ZH_ARRAY_SIZE(columns));
	size_t i;

	for (i = 0; i < result->n_steps; i++)
		add_step(table, result, &result->steps[i]);
}

static void describe_tcp(const struct zh_scenario_result *result, struct zh_node *node)
{
	static const struct zh_column columns[] = {{NULL, "step"}, {NULL, "answered"},
		{NULL, "p50"}, {NULL, "p99"}, {NULL, "max"}, {NULL, "delivered/s"}, {NULL, "lost"}};
	struct zh_node *table =
		zh_node_table(node, NULL, "The same load, with a TCP victim (connected before)",
			columns, ZH_ARRAY_SIZE(columns));
	size_t i;

	for (i = 0; i < result->n_steps; i++) {
		const struct zh_step_result *step = &result->steps[i];
		const struct lab_victim_result *victim = &step->tcp.victim;
		char answered[32];

		if (!step->has_tcp)
			continue;
		snprintf(answered, sizeof(answered), "%" PRIu32 "/%" PRIu32, victim->answered,
			victim->requests);
		zh_node_row(table,
			(struct zh_cell[]){zh_string(step->step->id), zh_string(answered),
				time_cell(victim, victim->p50_ns),
				time_cell(victim, victim->p99_ns),
				time_cell(victim, victim->max_ns),
				zh_count(per_second(step->tcp.received, step->tcp.window_ns)),
				zh_share(lab_traffic_lost(&step->tcp))});
	}
}

static void reckon_row(struct zh_node *table, const char *id, const char *what, int64_t count)
{
	zh_node_row(table, (struct zh_cell[]){zh_string(id), zh_string(what), packets_cell(count)});
}

/* Sent = received + drops by place + what is left. */
static void describe_account(const struct zh_scenario_result *result, struct zh_node *node)
{
	static const struct zh_column columns[] = {
		{NULL, "step"}, {NULL, "what became of them"}, {NULL, "packets"}};
	struct zh_node *table = zh_node_table(node, NULL,
		"Every packet of load and UDP victim (unattributed: also replies after the last timeout)",
		columns, ZH_ARRAY_SIZE(columns));
	size_t i, k;

	for (i = 0; i < result->n_steps; i++) {
		const struct zh_step_result *step = &result->steps[i];
		const struct lab_traffic *udp = &step->udp;
		const struct lab_victim_result *victim = &udp->victim;

		if (!is_measured(step))
			continue;
		reckon_row(table, step->step->id, "sent",
			(int64_t)(udp->load.sent + victim->requests));
		reckon_row(table, NULL, "received",
			(int64_t)(udp->load.received + victim->answered + victim->late));
		for (k = 0; k < udp->places.n; k++)
			reckon_row(table, NULL, udp->places.place[k].name,
				(int64_t)udp->places.place[k].count);
		reckon_row(table, NULL, "unattributed", udp->unattributed);
	}
}

static void describe_notes(const struct zh_scenario_result *result, struct zh_node *node)
{
	struct zh_node *list = zh_node_list(node, "notes", "Notes");
	const uint64_t offered = lab_traffic_offered(&result->steps[0].udp);
	char text[512];
	size_t i;

	for (i = 0; i < result->n_steps; i++) {
		const struct zh_step_result *step = &result->steps[i];

		if (step->step->caveat) {
			snprintf(text, sizeof(text), "%s: %s", step->step->id, step->step->caveat);
			zh_node_item(list, text);
		}
		if (step->throttled) {
			snprintf(text, sizeof(text),
				"%s: throttled the load, which offered %" PRIu64
				" packets/s instead of %" PRIu64
				"; compare what was delivered and answered.",
				step->step->id, lab_traffic_offered(&step->udp), offered);
			zh_node_item(list, text);
		}
		if (step->verdict == ZH_VERDICT_NOT_SHOWN) {
			snprintf(text, sizeof(text),
				"%s: only %.1f %% are lost before: this machine cannot show what "
				"it does.",
				step->step->id, 100 * lab_traffic_lost(&result->steps[0].udp));
			zh_node_item(list, text);
		}
		if (step->why[0]) {
			snprintf(text, sizeof(text), "%s: %s", step->step->id, step->why);
			zh_node_item(list, text);
		}
	}
	if (result->why_not_xdp[0]) {
		snprintf(text, sizeof(text),
			"Sent by sendmmsg, which may be too slow to show it: %s.",
			result->why_not_xdp);
		zh_node_item(list, text);
	}
	if (result->not_measured[0])
		zh_node_item(list, result->not_measured);
	if (result->foreign_cpus > 0.15)
		zh_node_item(list, "Other programs used the CPUs meanwhile: repeat it when they "
				   "are quiet.");
}

void zh_scenario_describe(const struct zh_scenario_result *result, struct zh_node *node)
{
	if (!result->n_steps) {
		zh_node_headline(node, "answer", "Stopped before the first step was measured.");
	} else {
		describe_answer(result, node);
		describe_setting(result, node);
		describe_steps(result, node);
		describe_tcp(result, node);
		describe_account(result, node);
		describe_notes(result, node);
	}
	zh_node_value(node, "interrupted", NULL, zh_bool(result->interrupted));
	zh_node_value(node, "foreign_cpus", NULL, zh_real(result->foreign_cpus));
}
