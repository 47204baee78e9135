/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Host stalls. A guest cannot see that its host took all CPUs away; it sees only that nothing
 * happened: no event on any CPU, no stamp, and a timer tick that was due on a busy CPU did not
 * come. A single silent CPU proves nothing (a task may simply compute), nor does silence of an idle
 * machine, whose tick is stopped.
 *
 * Ticks of all CPUs share one phase (multiples of the period since boot; boot option skew_tick
 * moves them apart, then the phase stays unknown here). It is found as the mode of all timer
 * interrupts in the record, modulo the period: other timers spread evenly.
 */
#include "explain/activity.h"

#include "base/util.h"
#include "explain/cpu-state.h"

#define LATE_TICK_NS 200000ull
#define HZ_UNKNOWN 100
#define CPUS_MAX 64
#define BINS 80
#define TICKS_MIN 10

struct search {
	struct zh_events events;
	const struct zh_timeline *tl;
	const struct zh_ticks *ticks;
	struct zh_cpu_state cpus[CPUS_MAX];
	uint32_t n_cpus;
};

static bool is_tick(const struct zh_event *e)
{
	return e->type == ZH_EVENT_VECTOR_IN && e->arg == ZH_VECTOR_TIMER;
}

struct zh_ticks zh_ticks_find(const struct zh_record *record)
{
	struct zh_ticks ticks = {
		.period_ns = ZH_NSEC_PER_SEC / (record->hz ? record->hz : HZ_UNKNOWN)};
	const char *nohz = zh_fact_text(&record->before, "isolation.nohz_full");
	uint32_t bins[BINS] = {0}, total = 0;
	size_t i, best = 0;

	for (i = 0; i < record->n_events; i++) {
		if (!is_tick(&record->events[i]))
			continue;
		total++;
		bins[record->events[i].ns % ticks.period_ns * BINS / ticks.period_ns]++;
	}
	ticks.recorded = total > 0 && (!nohz || !nohz[0]);
	for (i = 1; i < BINS; i++)
		if (bins[i] > bins[best])
			best = i;
	ticks.phase_ns = (2 * best + 1) * ticks.period_ns / (2 * BINS);
	ticks.phase_known = record->hz && total >= TICKS_MIN && bins[best] >= total / 4;
	return ticks;
}

static bool any_busy(const struct search *s)
{
	uint32_t i;

	for (i = 0; i < s->n_cpus; i++)
		if (s->cpus[i].task_known && s->cpus[i].pid != 0)
			return true;
	return false;
}

/* Whether a tick was due in the stretch, early enough to have come before its end. */
static bool missed_tick(const struct zh_ticks *ticks, const struct zh_stretch *stretch)
{
	uint64_t period = ticks->period_ns, due;

	if (stretch->to_ns - stretch->from_ns >= 2 * period + LATE_TICK_NS)
		return true;
	if (!ticks->phase_known)
		return false;
	due = stretch->from_ns / period * period + ticks->phase_ns;
	if (due < stretch->from_ns + LATE_TICK_NS)
		due += period;
	return due + LATE_TICK_NS < stretch->to_ns;
}

/* The longest part of [from, to) without a stamp of the probe. */
static struct zh_stretch without_stamps(const struct search *s, uint64_t from, uint64_t to)
{
	struct zh_stretch best = {.activity = ZH_ACTIVITY_HOST};
	uint64_t begin = from;
	size_t i;

	for (i = 0; i <= s->tl->n_segments; i++) {
		uint64_t stamp = i < s->tl->n_segments ? s->tl->segments[i].from_ns : to;

		if (i == s->tl->n_segments && i > 0 && s->tl->segments[i - 1].to_ns < to)
			stamp = s->tl->segments[i - 1].to_ns;
		stamp = ZH_MIN(stamp, to);
		if (stamp <= begin)
			continue;
		if (stamp - begin > best.to_ns - best.from_ns) {
			best.from_ns = begin;
			best.to_ns = stamp;
		}
		begin = stamp;
	}
	return best;
}

static bool is_stall(const struct search *s, const struct zh_stretch *stretch)
{
	return stretch->to_ns - stretch->from_ns >= ZH_STALL_MIN_NS && any_busy(s) &&
	       missed_tick(s->ticks, stretch);
}

size_t zh_stalls_find(const struct zh_record *record, const struct zh_ticks *ticks,
	const struct zh_timeline *tl, struct zh_stretch *ret, size_t max)
{
	struct search s = {.events = zh_events_of(record, &record->samples[tl->sample]),
		.tl = tl,
		.ticks = ticks};
	uint64_t from, to;
	size_t i, n = 0;
	uint32_t cpu;

	if (!tl->n_segments || !s.events.n || !ticks->recorded)
		return 0;
	from = tl->segments[0].from_ns;
	to = tl->segments[tl->n_segments - 1].to_ns;
	s.n_cpus = ZH_MIN(record->n_cpus, (uint32_t)CPUS_MAX);
	for (cpu = 0; cpu < s.n_cpus; cpu++)
		zh_cpu_state_init(&s.cpus[cpu], s.events, (uint16_t)cpu);
	for (i = 0; i <= s.events.n && n < max && from < to; i++) {
		uint64_t end = i < s.events.n ? s.events.e[i].ns : to;
		struct zh_stretch stretch;

		if (end > from) {
			stretch = without_stamps(&s, from, ZH_MIN(end, to));
			if (is_stall(&s, &stretch))
				ret[n++] = stretch;
			from = end;
		}
		if (i < s.events.n && s.events.e[i].cpu < s.n_cpus)
			zh_cpu_state_apply(&s.cpus[s.events.e[i].cpu], &s.events.e[i]);
	}
	return n;
}
