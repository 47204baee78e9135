/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What each CPU did: softnet_stat, /proc/stat, the schedstat of its ksoftirqd, and the time in
 * softirqs that the live counters have.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/util.h"
#include "facts/facts.h"
#include "session/top/internal.h"
#include "sys/process.h"

struct zh_top_cpu *top_cpu(struct zh_top_reading *reading, unsigned int cpu)
{
	size_t low = 0, high = reading->n_cpus;

	while (low < high) {
		size_t middle = (low + high) / 2;

		if (reading->cpus[middle].cpu < cpu)
			low = middle + 1;
		else
			high = middle;
	}
	return low < reading->n_cpus && reading->cpus[low].cpu == cpu ? &reading->cpus[low] : NULL;
}

static void note_ksoftirqd(void *arg, unsigned int cpu, pid_t tid)
{
	struct zh_top *top = arg;

	if (cpu < TOP_CPUS)
		top->ksoftirqd[cpu] = tid;
}

int top_cpus_open(struct zh_top *top, struct zh_err *err)
{
	top->cpus = calloc(TOP_CPUS, sizeof(*top->cpus));
	top->ksoftirqd = calloc(TOP_CPUS, sizeof(*top->ksoftirqd));
	top->live_cpus = calloc(TOP_CPUS, sizeof(*top->live_cpus));
	top->live_now = calloc(TOP_CPUS, sizeof(*top->live_now));
	if (!top->cpus || !top->ksoftirqd || !top->live_cpus || !top->live_now)
		return zh_err_set(err, -ENOMEM, "out of memory");
	zh_process_each_ksoftirqd(note_ksoftirqd, top);
	top_idle_open(&top->idle);
	return 0;
}

static void read_ksoftirqd(const struct zh_top *top, unsigned int cpu, struct top_cpu_totals *ret)
{
	struct zh_schedstat stat;

	ret->has_ksoftirqd =
		top->ksoftirqd[cpu] && zh_process_schedstat(top->ksoftirqd[cpu], &stat) == 0;
	if (!ret->has_ksoftirqd)
		return;
	ret->ksoftirqd_run = stat.run_ns;
	ret->ksoftirqd_wait = stat.wait_ns;
}

static void read_totals(const struct zh_top *top, const struct zh_fact_set *facts, unsigned int cpu,
	struct top_cpu_totals *ret)
{
	uint64_t nice = 0, iowait = 0;

	*ret = (struct top_cpu_totals){};
	ret->has_softnet = zh_fact_get(facts, &ret->rx, "softnet.cpu.%u.processed_pkts", cpu);
	zh_fact_get(facts, &ret->dropped, "softnet.cpu.%u.dropped_pkts", cpu);
	zh_fact_get(facts, &ret->squeezed, "softnet.cpu.%u.squeezed", cpu);
	zh_fact_get(facts, &ret->rps, "softnet.cpu.%u.received_rps", cpu);
	ret->has_backlog = zh_fact_get(facts, &ret->backlog, "softnet.cpu.%u.backlog_pkts", cpu);
	ret->has_time = zh_fact_get(facts, &ret->user, "cpu.%u.time.user_ns", cpu);
	zh_fact_get(facts, &nice, "cpu.%u.time.nice_ns", cpu);
	zh_fact_get(facts, &ret->system, "cpu.%u.time.system_ns", cpu);
	zh_fact_get(facts, &ret->idle, "cpu.%u.time.idle_ns", cpu);
	zh_fact_get(facts, &iowait, "cpu.%u.time.iowait_ns", cpu);
	zh_fact_get(facts, &ret->irq, "cpu.%u.time.irq_ns", cpu);
	zh_fact_get(facts, &ret->softirq, "cpu.%u.time.softirq_ns", cpu);
	zh_fact_get(facts, &ret->steal, "cpu.%u.time.steal_ns", cpu);
	ret->user += nice;
	ret->idle += iowait;
	read_ksoftirqd(top, cpu, ret);
}

/* A share of the interval; of all time that /proc/stat gave to anybody, where that is more (ticks
 * and the interval do not begin and end together). */
static double share_of(uint64_t now, uint64_t then, double whole_ns)
{
	return now < then || whole_ns <= 0 ? -1 : (double)(now - then) / whole_ns;
}

static double ticks_between(const struct top_cpu_totals *now, const struct top_cpu_totals *then)
{
	return (double)(now->user + now->system + now->idle + now->irq + now->softirq +
			now->steal) -
	       (double)(then->user + then->system + then->idle + then->irq + then->softirq +
			then->steal);
}

static void set_times(struct zh_top_cpu *ret, const struct top_cpu_totals *now,
	const struct top_cpu_totals *then, uint64_t interval_ns)
{
	double ticks = ticks_between(now, then);
	bool is_known = interval_ns && now->has_time && then->has_time && ticks > 0;

	ret->idle_share = is_known ? share_of(now->idle, then->idle, ticks) : -1;
	ret->steal_share = is_known ? share_of(now->steal, then->steal, ticks) : -1;
	ret->irq_share = is_known ? share_of(now->irq, then->irq, ticks) : -1;
	ret->user_share = is_known ? share_of(now->user, then->user, ticks) : -1;
	ret->system_share = is_known ? share_of(now->system, then->system, ticks) : -1;
	is_known = interval_ns && now->has_ksoftirqd && then->has_ksoftirqd;
	ret->ksoftirqd_share =
		is_known ? share_of(now->ksoftirqd_run, then->ksoftirqd_run, (double)interval_ns)
			 : -1;
	ret->ksoftirqd_wait_share =
		is_known ? share_of(now->ksoftirqd_wait, then->ksoftirqd_wait, (double)interval_ns)
			 : -1;
}

static void set_packets(struct zh_top_cpu *ret, const struct top_cpu_totals *now,
	const struct top_cpu_totals *then, uint64_t interval_ns)
{
	if (!now->has_softnet || !then->has_softnet)
		interval_ns = 0;
	ret->rx_rate = top_rate(now->rx, then->rx, interval_ns);
	ret->dropped_rate = top_rate(now->dropped, then->dropped, interval_ns);
	ret->squeezed_rate = top_rate(now->squeezed, then->squeezed, interval_ns);
	ret->rps_rate = top_rate(now->rps, then->rps, interval_ns);
	ret->backlog = now->has_backlog ? (double)now->backlog : -1;
}

static void set_softirqs(struct zh_top_cpu *ret, const struct zh_live_cpu *now,
	const struct zh_live_cpu *then, uint64_t interval_ns)
{
	for (size_t v = 0; v < ZH_LIVE_VECTORS; v++)
		ret->softirq_share[v] =
			now && interval_ns ? (double)(now->softirq_ns[v] - then->softirq_ns[v]) /
						     (double)interval_ns
					   : -1;
	ret->longest_ns = now && interval_ns ? (double)now->softirq_longest_ns : -1;
}

static int add_cpu(struct zh_top_reading *reading, unsigned int cpu, struct zh_err *err)
{
	if (!reading->cpus)
		reading->cpus = calloc(TOP_CPUS, sizeof(*reading->cpus));
	if (!reading->cpus)
		return zh_err_set(err, -ENOMEM, "out of memory");
	reading->cpus[reading->n_cpus++] = (struct zh_top_cpu){.cpu = cpu};
	return 0;
}

/* The CPUs that are online: those with a line in /proc/stat, or one in softnet_stat. */
static int list_cpus(struct zh_top *top, const struct zh_fact_set *facts, struct zh_err *err)
{
	uint64_t unused;
	int r = 0;

	top->reading.n_cpus = 0;
	for (unsigned int cpu = 0; r == 0 && cpu < TOP_CPUS; cpu++)
		if (zh_fact_get(facts, &unused, "cpu.%u.time.user_ns", cpu) ||
			zh_fact_get(facts, &unused, "softnet.cpu.%u.processed_pkts", cpu))
			r = add_cpu(&top->reading, cpu, err);
	return r;
}

int top_cpus_read(struct zh_top *top, uint64_t interval_ns, struct zh_err *err)
{
	static const char *const groups[] = {"softnet", "cpu-time"};
	bool has_live = top->live && zh_live_has(top->live, "softirq");
	struct zh_fact_set facts = {};
	int r = zh_facts_collect_some(&facts, groups, ZH_ARRAY_SIZE(groups), err);

	if (r == 0)
		r = list_cpus(top, &facts, err);
	for (size_t i = 0; r == 0 && i < top->reading.n_cpus; i++) {
		struct zh_top_cpu *row = &top->reading.cpus[i];
		struct top_cpu_totals now;

		read_totals(top, &facts, row->cpu, &now);
		set_packets(row, &now, &top->cpus[row->cpu], interval_ns);
		set_times(row, &now, &top->cpus[row->cpu], interval_ns);
		set_softirqs(row, has_live ? &top->live_now[row->cpu] : NULL,
			&top->live_cpus[row->cpu], interval_ns ? top->window_ns : 0);
		top->cpus[row->cpu] = now;
	}
	zh_fact_set_done(&facts);
	if (r < 0)
		return r;
	top_interrupts_read(top, interval_ns);
	top_idle_read(top);
	return 0;
}
