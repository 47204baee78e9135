/* SPDX-License-Identifier: BSD-2-Clause */
/* What a reading says in one sentence; pure. */
#include <stdio.h>
#include <string.h>

#include "base/buf.h"
#include "base/units.h"
#include "session/top/top.h"
#include "trace/live.h"

#define FULL 0.9
#define SHARED_FULL 0.33 /* of a CPU without idle time */
#define NO_IDLE 0.02

const char *const zh_top_vectors[ZH_LIVE_VECTORS] = {"HI", "TIMER", "NET_TX", "NET_RX", "BLOCK",
	"IRQ_POLL", "TASKLET", "SCHED", "HRTIMER", "RCU"};

double zh_top_softirq_share(const struct zh_top_cpu *cpu)
{
	double sum = 0;

	for (size_t v = 0; v < ZH_LIVE_VECTORS; v++) {
		if (cpu->softirq_share[v] < 0)
			return -1;
		sum += cpu->softirq_share[v];
	}
	return sum;
}

static const struct zh_top_cpu *busiest(const struct zh_top_reading *reading)
{
	const struct zh_top_cpu *most = NULL;

	for (size_t i = 0; i < reading->n_cpus; i++)
		if (!most || zh_top_softirq_share(&reading->cpus[i]) > zh_top_softirq_share(most))
			most = &reading->cpus[i];
	return most;
}

static size_t largest_vector(const struct zh_top_cpu *cpu)
{
	size_t most = 0;

	for (size_t v = 1; v < ZH_LIVE_VECTORS; v++)
		if (cpu->softirq_share[v] > cpu->softirq_share[most])
			most = v;
	return most;
}

static bool is_full(const struct zh_top_cpu *cpu)
{
	double share = zh_top_softirq_share(cpu);

	return share >= FULL ||
	       (share >= SHARED_FULL && cpu->idle_share >= 0 && cpu->idle_share < NO_IDLE);
}

/* "CPU 0 is full: 97 % in softirqs, most of it NET_RX" */
static void add_cpu(struct zh_buf *out, const struct zh_top_cpu *cpu, bool full)
{
	double share = zh_top_softirq_share(cpu);
	size_t vector = largest_vector(cpu);

	if (full)
		zh_buf_addf(out, "CPU %u is full: %.0f %% in softirqs, %.0f %% in %s", cpu->cpu,
			100 * share, 100 * cpu->softirq_share[vector], zh_top_vectors[vector]);
	else
		zh_buf_addf(out, "the busiest CPU, %u, spends %.0f %% in softirqs", cpu->cpu,
			100 * share);
}

/* The flow that is most of what the CPU receives. */
static void add_flow(
	struct zh_buf *out, const struct zh_top_reading *reading, const struct zh_top_cpu *cpu)
{
	for (size_t i = 0; i < reading->n_flows; i++) {
		const struct zh_top_flow *flow = &reading->flows[i];

		if ((unsigned int)flow->cpu != cpu->cpu || flow->share < 0.5)
			continue;
		zh_buf_addf(out, " (%.0f %% for %s)", 100 * flow->share,
			flow->to_who[0] ? flow->to_who : flow->to);
		return;
	}
}

/* Rows are in order of rate. */
static bool add_drops(struct zh_buf *out, const struct zh_top_reading *reading)
{
	const struct zh_top_drop *most = NULL;
	double sum = 0;
	char text[32];

	for (size_t i = 0; i < reading->n_drops; i++) {
		const struct zh_top_drop *drop = &reading->drops[i];

		if (drop->is_benign || drop->rate <= 0)
			continue;
		sum += drop->rate;
		if (!most || drop->rate > most->rate)
			most = drop;
	}
	if (!most)
		return false;
	zh_buf_addf(out, "%s packets a second are dropped, most as %s",
		zh_format_rate(text, sizeof(text), sum), most->reason);
	if (most->device[0])
		zh_buf_addf(out, " at %s (%s)", most->device, most->place);
	return true;
}

bool zh_top_answer(const struct zh_top_reading *reading, char *buf, size_t size)
{
	const struct zh_top_cpu *cpu = busiest(reading);
	zh_autobuf drops = {}, out = {};
	bool dropping = add_drops(&drops, reading), full = cpu && is_full(cpu);

	if (cpu && zh_top_softirq_share(cpu) >= 0) {
		add_cpu(&out, cpu, full);
		if (full)
			add_flow(&out, reading, cpu);
	}
	if (dropping)
		zh_buf_addf(&out, "%s%s", out.len ? "; " : "", drops.text);
	else if (out.len && !full && reading->has_drops)
		zh_buf_addf(&out, ", and nothing is dropped");
	snprintf(buf, size, "%s",
		out.text ? out.text : "softirq time is not known here; no drops were counted");
	return full || dropping;
}
