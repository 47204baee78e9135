/* SPDX-License-Identifier: BSD-2-Clause */
#include "explain/checks/rx-work.h"

#include <stdio.h>
#include <stdlib.h>

/* Where softirqs take this share of a CPU there is no room for more. */
#define FULL_SHARE 0.85
/* Dropping, and not known whose the rest of the time is: half is enough. With several tasks on it
 * ksoftirqd gets its fair share only, and the CPU is never idle. */
#define DROPPING_SHARE 0.5
#define SHARED_SHARE 0.2
#define SHARED_IDLE 0.1
/* A routed packet crosses the backlog twice, and one that was dropped needs both passes. */
#define PASSES 2
/* Of one flow: the limit that RPS has as well (stats/rps-mask.c). */
#define ELEPHANT_PERMILLE 800
/* While ksoftirqd waits, softirqs run at ticks only (at most 10 ms apart, mostly 4 or less): it
 * matters when it waits for half a tick or more each time, and a tenth of the time in all. */
#define WAIT_SHARE 0.1
#define WAIT_EACH_NS (2.0 * (double)ZH_NSEC_PER_MSEC)
/* Waits concern a CPU that does a part of the receive work. */
#define PART 0.05

static uint64_t softnet(const struct zh_explain *ex, const char *cpu, const char *counter)
{
	uint64_t ret;

	return zh_explain_delta(ex, &ret, "softnet.cpu.%s.%s", cpu, counter) ? ret : 0;
}

/* A share of the window between the snapshots; < 0: not known. */
static double time_share(const struct zh_explain *ex, const char *cpu, const char *what)
{
	uint64_t ns;

	if (!zh_explain_delta(ex, &ns, "cpu.%s.time.%s_ns", cpu, what))
		return -1;
	return (double)ns / 1e9 / zh_check_window_s(ex);
}

static void read_times(const struct zh_explain *ex, double window_ns, struct zh_rx_work *ret)
{
	static const char *const tasks[] = {"user", "nice", "system"};
	uint64_t wait_ns = 0, runs = 0;

	ret->softirq =
		(double)zh_check_number(ex, 0, "watch.cpu.%s.softirq_ns", ret->cpu) / window_ns;
	ret->ksoftirqd =
		(double)zh_check_number(ex, 0, "watch.cpu.%s.ksoftirqd_ns", ret->cpu) / window_ns;
	ret->idle = time_share(ex, ret->cpu, "idle");
	for (size_t i = 0; i < ZH_ARRAY_SIZE(tasks); i++)
		ret->tasks += ZH_MAX(time_share(ex, ret->cpu, tasks[i]), 0.0);
	zh_explain_delta(ex, &wait_ns, "ksoftirqd.%s.wait_ns", ret->cpu);
	zh_explain_delta(ex, &runs, "ksoftirqd.%s.runs", ret->cpu);
	ret->wait = (double)wait_ns / 1e9 / zh_check_window_s(ex);
	ret->wait_each_ns = runs ? (double)wait_ns / (double)runs : 0;
	ret->needed = ret->processed ? ret->softirq * PASSES * (double)ret->dropped /
					       (double)ret->processed
				     : -1;
}

/* The flow with most packets on that CPU: rows are sorted. The same packets count again at every
 * device on their way; what can be set is that of the place of the device under watch. -1: none. */
static int first_flow(const struct zh_explain *ex, const char *cpu)
{
	uint64_t on;
	int any = -1;

	for (int i = 0; zh_explain_number(ex, &on, "watch.flow.%d.cpu", i); i++) {
		if (on != strtoull(cpu, NULL, 10))
			continue;
		if (zh_check_number(ex, 0, "watch.flow.%d.same_place", i))
			return i;
		any = any < 0 ? i : any;
	}
	return any;
}

/*
 * Whether what was dropped came in bursts: there was time for it. Softirqs interrupt tasks, so the
 * tasks' time is as good as idle time; but when they go on for long, ksoftirqd has the work and
 * gets its share beside a task, which is half. What is above that had to be idle time.
 */
static bool is_bursts(const struct zh_rx_work *work)
{
	bool beside_tasks = work->softirq + work->needed < DROPPING_SHARE;

	return work->idle + (beside_tasks ? work->tasks : 0) >= work->needed;
}

/*
 * Softirqs interrupt tasks, so tasks' time could have been used as well as idle time, unless the
 * work was left to ksoftirqd and that waited behind them.
 */
static enum zh_rx_state judge(const struct zh_rx_work *work)
{
	bool drops = work->dropped >= ZH_RX_DROPS_MIN;
	bool known = drops && work->needed >= 0 && work->idle >= 0;
	bool waits = work->wait >= WAIT_SHARE && work->wait_each_ns >= WAIT_EACH_NS;
	bool room = work->softirq < FULL_SHARE &&
		    (!drops || (known && work->idle + work->tasks >= work->needed));
	double enough = FULL_SHARE;

	if (room && waits)
		return ZH_RX_BEHIND;
	if (room && drops && is_bursts(work))
		return ZH_RX_BURSTS;
	if (drops)
		enough =
			work->idle >= 0 && work->idle < SHARED_IDLE ? SHARED_SHARE : DROPPING_SHARE;
	if (work->softirq < enough)
		return ZH_RX_FINE;
	return work->flows && work->top_permille >= ELEPHANT_PERMILLE ? ZH_RX_ONE_FLOW : ZH_RX_FULL;
}

static void read_cpu(
	const struct zh_explain *ex, const char *cpu, double window_ns, struct zh_rx_work *ret)
{
	*ret = (struct zh_rx_work){.flow = -1, .dev = ""};
	snprintf(ret->cpu, sizeof(ret->cpu), "%s", cpu);
	ret->dropped = softnet(ex, cpu, "dropped_pkts");
	ret->processed = softnet(ex, cpu, "processed_pkts");
	ret->dropped_per_s = (double)ret->dropped / zh_check_window_s(ex);
	ret->flows = zh_check_number(ex, 0, "watch.cpu.%s.flows", cpu);
	ret->top_permille = zh_check_number(ex, 0, "watch.cpu.%s.top_flow_permille", cpu);
	ret->flow = first_flow(ex, cpu);
	ret->dev = zh_check_text(ex, "watch.cpu.%s.dev", cpu);
	ret->is_here = *ret->dev;
	if (!ret->is_here && ret->flow >= 0) {
		ret->is_here = zh_check_number(ex, 0, "watch.flow.%d.same_place", ret->flow);
		ret->dev = zh_check_text(ex, "watch.flow.%d.dev", ret->flow);
	}
	if (!*ret->dev)
		ret->dev = zh_check_text(ex, "watch.dev");
	read_times(ex, window_ns, ret);
	ret->state = judge(ret);
}

/* Drops first, then what is not fine, then who does most of the work. */
static bool is_worse(const struct zh_rx_work *a, const struct zh_rx_work *b)
{
	uint64_t a_drops = a->dropped >= ZH_RX_DROPS_MIN ? a->dropped : 0;
	uint64_t b_drops = b->dropped >= ZH_RX_DROPS_MIN ? b->dropped : 0;

	if (a_drops != b_drops)
		return a_drops > b_drops;
	if ((a->state == ZH_RX_FINE) != (b->state == ZH_RX_FINE))
		return b->state == ZH_RX_FINE;
	if (a->processed != b->processed)
		return a->processed > b->processed;
	return a->softirq > b->softirq;
}

bool zh_rx_work_get(const struct zh_explain *ex, struct zh_rx_work *ret)
{
	static const char pattern[] = "watch.cpu.*.softirq_ns";
	double window_ns = (double)zh_check_number(ex, 0, "watch.window_ns");
	uint64_t all = zh_check_delta(ex, "softnet.cpu.*.processed_pkts");
	const struct zh_fact *fact;
	struct zh_rx_work work;
	bool found = false;
	size_t pos = 0;
	char cpu[16];

	if (window_ns <= 0)
		return false;
	while ((fact = zh_fact_next(zh_explain_facts(ex), pattern, &pos))) {
		zh_fact_part(cpu, sizeof(cpu), fact, pattern, 0);
		read_cpu(ex, cpu, window_ns, &work);
		if (work.state == ZH_RX_BEHIND && work.dropped < ZH_RX_DROPS_MIN &&
			(double)work.processed < PART * (double)all)
			work.state = ZH_RX_FINE;
		if (!found || is_worse(&work, ret))
			*ret = work;
		found = true;
	}
	return found;
}

struct zh_rx_hog zh_rx_hog_get(const struct zh_explain *ex, const struct zh_rx_work *work)
{
	const char *cpu = work->cpu, *nice = zh_check_text(ex, "watch.cpu.%s.hog.nice", cpu);

	return (struct zh_rx_hog){.name = zh_check_text(ex, "watch.cpu.%s.hog.name", cpu),
		.pid = zh_check_number(ex, 0, "watch.cpu.%s.hog.pid", cpu),
		.share = (double)zh_check_number(ex, 0, "watch.cpu.%s.hog.run_ns", cpu) /
			 (double)zh_check_number(ex, 1, "watch.window_ns"),
		.nice = (int)strtol(nice, NULL, 10),
		.real_time = zh_check_number(ex, 0, "watch.cpu.%s.hog.real_time", cpu)};
}

const char *zh_rx_hog_text(const struct zh_rx_hog *hog, char *buf, size_t size)
{
	char above[48] = "";

	if (hog->real_time)
		snprintf(above, sizeof(above), ", real-time priority %llu",
			(unsigned long long)hog->real_time);
	else if (hog->nice)
		snprintf(above, sizeof(above), ", nice %d", hog->nice);
	if (*hog->name)
		snprintf(buf, size, "%.20s (%llu%s)", hog->name, (unsigned long long)hog->pid,
			above);
	else
		snprintf(buf, size, "other tasks");
	return buf;
}

void zh_rx_add_use(struct zh_finding *finding, const struct zh_rx_work *work)
{
	zh_finding_evidence(finding,
		"CPU %s: %.0f %% of the time in softirqs (entry to exit), of it %.0f %% in "
		"ksoftirqd; %.0f %% idle, %.0f %% other tasks",
		work->cpu, 100 * work->softirq,
		work->softirq > 0 ? 100 * work->ksoftirqd / work->softirq : 0,
		100 * ZH_MAX(work->idle, 0.0), 100 * work->tasks);
	if (work->dropped && work->needed >= 0)
		zh_finding_evidence(finding,
			"softnet_stat: CPU %s did +%llu and dropped +%llu packets, which would have "
			"needed about %.0f %% of its time",
			work->cpu, (unsigned long long)work->processed,
			(unsigned long long)work->dropped, 100 * work->needed);
}
