/* SPDX-License-Identifier: BSD-2-Clause */
/* Where the time of a round trip goes: switches, CPU time, waiting for a CPU to wake. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/units.h"
#include "base/util.h"
#include "explain/bench-why.h"

#define NS(ns) zh_format_ns((char[24]){0}, 24, (uint64_t)llround(ns))
#define P50(f) zh_format_ns((char[24]){0}, 24, (f)->p50_ns)

/* A difference is explained by a part of the time when that part makes up most of it. */
#define MOST 0.6
/* One more switch in every other round trip is no noise: counters are exact. */
#define MORE_SWITCHES 0.5

static const char *place(const struct zh_bench_cell *cell)
{
	static const char *const places[ZH_PLACE_MAX] = {
		[ZH_PLACE_SAME_CPU] = "on one CPU",
		[ZH_PLACE_CROSS_CPU] = "across two CPUs",
		[ZH_PLACE_FREE] = "left to the scheduler",
	};

	return places[cell->placement];
}

/* What most rules are about: blocking ping-pong. */
static bool is_blocking(const struct zh_bench_figures *f)
{
	return zh_bench_is_usable(f) && f->cell->mode == ZH_BENCH_PINGPONG && !f->cell->spin;
}

/* Size, buffers and way, where there is more than one of them. */
static const char *of_size(
	const struct zh_bench_why *why, const struct zh_bench_cell *cell, char *buf, size_t size)
{
	char text[72];

	zh_bench_settings(text, sizeof(text), cell,
		zh_bench_dims(why->analysis, cell->mode) &
			(ZH_DIM_SIZE | ZH_DIM_BUF | ZH_DIM_OVER));
	snprintf(buf, size, "%s%s", *text ? " with " : "", text);
	return buf;
}
#define OF_SIZE(why, f) of_size(why, (f)->cell, (char[80]){0}, 80)

/* The longer way across two CPUs: waiting for the other to wake, or the work of waking it. */
static void say_two_cpus(struct zh_bench_why *why, const struct zh_bench_figures *one,
	const struct zh_bench_figures *two)
{
	double more = (double)two->mean_ns - (double)one->mean_ns;
	double waiting = zh_bench_waiting(two) - zh_bench_waiting(one);
	double work = zh_bench_busy(two) - zh_bench_busy(one);

	if (more <= 0 || !zh_bench_has_cpu_time(one) || !zh_bench_has_cpu_time(two))
		return;
	if (waiting >= MOST * more)
		zh_bench_say(why,
			"%s takes %s across two CPUs and %s on one%s: across, %s of a round trip are "
			"no side's CPU time but waiting for the other CPU to wake; on one CPU %s.",
			one->cell->transport, P50(two), P50(one), OF_SIZE(why, one),
			NS(zh_bench_waiting(two)), NS(zh_bench_waiting(one)));
	else if (work >= MOST * more)
		zh_bench_say(why,
			"%s takes %s across two CPUs and %s on one%s: across, both sides spend %s of "
			"CPU time on a round trip instead of %s: interrupting the other CPU to wake "
			"it, and moving data between caches, is work.",
			one->cell->transport, P50(two), P50(one), OF_SIZE(why, one),
			NS(zh_bench_busy(two)), NS(zh_bench_busy(one)));
}

/* A ping-pong never has both sides work at once: a second CPU can only be as good. */
static void say_wakeups(struct zh_bench_why *why)
{
	size_t i;

	for (i = 0; i < why->analysis->n_cells; i++) {
		const struct zh_bench_figures *one = &why->analysis->cells[i], *two;

		if (!is_blocking(one) || one->cell->placement != ZH_PLACE_SAME_CPU)
			continue;
		two = zh_bench_twin(why, one, ZH_DIM_PLACEMENT, ZH_PLACE_CROSS_CPU);
		if (two && two->p50_ns > one->p50_ns && zh_bench_is_apart(one, two))
			say_two_cpus(why, one, two);
	}
}

/* The usable cell that differs from f in nothing but the transport and switches least, of those
 * that switch at all. */
static const struct zh_bench_figures *fewest_switches(
	const struct zh_bench_why *why, const struct zh_bench_figures *f)
{
	const struct zh_bench_figures *best = NULL;
	size_t i;

	for (i = 0; i < why->analysis->n_cells; i++) {
		const struct zh_bench_figures *g = &why->analysis->cells[i];

		if (is_blocking(g) && !zh_bench_differences(f->cell, g->cell) &&
			zh_bench_switches(g) >= MORE_SWITCHES &&
			(!best || zh_bench_switches(g) < zh_bench_switches(best)))
			best = g;
	}
	return best;
}

static void say_switches(struct zh_bench_why *why)
{
	size_t i;

	for (i = 0; i < why->analysis->n_cells; i++) {
		const struct zh_bench_figures *f = &why->analysis->cells[i], *g;

		if (!is_blocking(f))
			continue;
		g = fewest_switches(why, f);
		if (g && zh_bench_switches(f) >= zh_bench_switches(g) + MORE_SWITCHES &&
			f->p50_ns > g->p50_ns && zh_bench_is_apart(f, g))
			zh_bench_say(why,
				"%s needs %.1f context switches a round trip %s where %s needs "
				"%.1f%s: %s against %s.",
				f->cell->transport, zh_bench_switches(f), place(f->cell),
				g->cell->transport, zh_bench_switches(g), OF_SIZE(why, f), P50(f),
				P50(g));
	}
}

/* The fastest cell that differs from f in nothing but the transport. */
static const struct zh_bench_figures *fastest_peer(
	const struct zh_bench_why *why, const struct zh_bench_figures *f)
{
	const struct zh_bench_figures *best = NULL;
	size_t i;

	for (i = 0; i < why->analysis->n_cells; i++) {
		const struct zh_bench_figures *g = &why->analysis->cells[i];

		if (is_blocking(g) && !zh_bench_differences(f->cell, g->cell) &&
			fabs(zh_bench_switches(g) - zh_bench_switches(f)) < MORE_SWITCHES &&
			(!best || g->p50_ns < best->p50_ns))
			best = g;
	}
	return best;
}

/* As many switches, but more work: the protocol's. */
static void say_work(struct zh_bench_why *why)
{
	size_t i;

	for (i = 0; i < why->analysis->n_cells; i++) {
		const struct zh_bench_figures *f = &why->analysis->cells[i], *g;
		double more, work;

		if (!is_blocking(f))
			continue;
		g = fastest_peer(why, f);
		if (!g || g == f || !zh_bench_is_apart(f, g))
			continue;
		more = (double)f->mean_ns - (double)g->mean_ns;
		work = zh_bench_busy(f) - zh_bench_busy(g);
		if (more > 0 && work >= MOST * more && zh_bench_has_cpu_time(g))
			zh_bench_say(why,
				"%s spends %s more CPU time a round trip than %s %s%s (both sides, "
				"%s against %s): most of the %s that it takes longer.",
				f->cell->transport, NS(work), g->cell->transport, place(f->cell),
				OF_SIZE(why, f), NS(zh_bench_busy(f)), NS(zh_bench_busy(g)),
				NS(more));
	}
}

static void say_spinning(struct zh_bench_why *why)
{
	size_t i;

	for (i = 0; i < why->analysis->n_cells; i++) {
		const struct zh_bench_figures *f = &why->analysis->cells[i], *g;

		if (!zh_bench_is_usable(f) || f->cell->mode != ZH_BENCH_PINGPONG || !f->cell->spin)
			continue;
		g = zh_bench_twin(why, f, ZH_DIM_SPIN, 0);
		if (g && zh_bench_switches(g) >= zh_bench_switches(f) + MORE_SWITCHES &&
			f->p50_ns < g->p50_ns && zh_bench_is_apart(f, g))
			zh_bench_say(why,
				"Spinning saves %s %.1f context switches a round trip %s%s: %s "
				"instead of %s, for %s of CPU time instead of %s.",
				f->cell->transport, zh_bench_switches(g) - zh_bench_switches(f),
				place(f->cell), OF_SIZE(why, f), P50(f), P50(g),
				NS(zh_bench_busy(f)), NS(zh_bench_busy(g)));
	}
}

/* The scheduler's choice looks like one of the two placements and unlike the other. */
static void say_placement(struct zh_bench_why *why)
{
	size_t i;

	for (i = 0; i < why->analysis->n_cells; i++) {
		const struct zh_bench_figures *f = &why->analysis->cells[i], *one, *two;
		bool like_one, like_two;

		if (!zh_bench_is_usable(f) || f->cell->placement != ZH_PLACE_FREE)
			continue;
		one = zh_bench_twin(why, f, ZH_DIM_PLACEMENT, ZH_PLACE_SAME_CPU);
		two = zh_bench_twin(why, f, ZH_DIM_PLACEMENT, ZH_PLACE_CROSS_CPU);
		if (!one || !two || !zh_bench_is_apart(one, two))
			continue;
		like_one = !zh_bench_is_apart(f, one);
		like_two = !zh_bench_is_apart(f, two);
		if (like_one != like_two)
			zh_bench_say(why,
				"The scheduler runs %s %s%s: left to it, the figures are those.",
				f->cell->transport, place(like_one ? one->cell : two->cell),
				OF_SIZE(why, f));
	}
}

/* The kernel answers an echo request inside the send call. */
static void say_kernel_answers(struct zh_bench_why *why)
{
	size_t i;

	for (i = 0; i < why->analysis->n_cells; i++) {
		const struct zh_bench_figures *f = &why->analysis->cells[i];

		if (is_blocking(f) && !strcmp(f->cell->transport, "icmp") &&
			zh_bench_switches(f) < MORE_SWITCHES) {
			zh_bench_say(why,
				"icmp is answered by the kernel inside the send call: %.2f context "
				"switches a round trip, nobody is woken. No program answers so fast.",
				zh_bench_switches(f));
			return;
		}
	}
}

/* Cells of one transport that differ in their rate only, ping-pong counting as the highest. */
static bool is_same_chain(const struct zh_bench_figures *a, const struct zh_bench_figures *b)
{
	return zh_bench_has_rtt(a->cell) && zh_bench_has_rtt(b->cell) &&
	       !strcmp(a->cell->transport, b->cell->transport) &&
	       !(zh_bench_differences(a->cell, b->cell) & ~(unsigned int)ZH_DIM_GAP);
}

static const char *pace(const struct zh_bench_cell *cell, char *buf, size_t size)
{
	if (!cell->gap_ns)
		return "back to back";
	return zh_bench_settings(buf, size, cell, ZH_DIM_GAP);
}
#define PACE(f) pace((f)->cell, (char[40]){0}, 40)

/* The rarest of a chain speaks for it, against the densest. */
static const struct zh_bench_figures *densest(
	const struct zh_bench_why *why, const struct zh_bench_figures *rarest)
{
	const struct zh_bench_figures *found = NULL;
	size_t i;

	for (i = 0; i < why->analysis->n_cells; i++) {
		const struct zh_bench_figures *g = &why->analysis->cells[i];

		if (!zh_bench_is_usable(g) || !is_same_chain(g, rarest))
			continue;
		if (g->cell->gap_ns > rarest->cell->gap_ns)
			return NULL;
		if (g->cell->gap_ns < rarest->cell->gap_ns &&
			(!found || g->cell->gap_ns < found->cell->gap_ns))
			found = g;
	}
	return found;
}

/* The prober's own CPU time says nothing here: it pays for the pacing between round trips, too. */
static void say_rates(struct zh_bench_why *why)
{
	size_t i;

	for (i = 0; i < why->analysis->n_cells; i++) {
		const struct zh_bench_figures *rare = &why->analysis->cells[i], *dense;
		double more, work;

		if (!zh_bench_is_usable(rare) || rare->cell->mode != ZH_BENCH_RATE)
			continue;
		dense = densest(why, rare);
		if (!dense || rare->p50_ns <= dense->p50_ns || !zh_bench_is_apart(rare, dense))
			continue;
		more = (double)(rare->p50_ns - dense->p50_ns);
		work = fmax(rare->peer_cpu_ns_per_msg - dense->peer_cpu_ns_per_msg, 0);
		zh_bench_say(why, "%s takes %s %s and %s %s: of the %s more, %s are %s",
			rare->cell->transport, P50(dense), PACE(dense), P50(rare), PACE(rare),
			NS(more), NS(fmin(work, more)),
			work >= MOST * more
				? "the peer's CPU time for a message, whose caches are cold."
				: "the peer's CPU time, the rest waiting: between rare messages "
				  "both sides sleep, and a CPU must be woken for each.");
	}
}

zh_bench_why_rule *const zh_bench_cost_rules[] = {
	say_wakeups,
	say_switches,
	say_work,
	say_spinning,
	say_placement,
	say_kernel_answers,
	say_rates,
	NULL,
};
