/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Why cells differ: one rule a function, each silent unless the measured figures say it. Rules look
 * at ranked cells only: of the others nobody knows what disturbed them. Private to explain.
 */
#pragma once

#include "explain/bench-parts.h"

#define ZH_WHY_MAX 32       /* sentences */
#define ZH_WHY_MAX_A_RULE 4 /* a matrix would say the same of every size */

struct zh_bench_why {
	const struct zh_bench_analysis *analysis;
	char *sentences[ZH_WHY_MAX]; /* owned */
	size_t n, n_before;          /* n_before: when the rule at hand began */
};

typedef void zh_bench_why_rule(struct zh_bench_why *why);

extern zh_bench_why_rule *const zh_bench_cost_rules[];    /* bench-why-cost.c; NULL-terminated */
extern zh_bench_why_rule *const zh_bench_setting_rules[]; /* bench-why-settings.c */

/* Adds a sentence; nothing once the rule at hand has had its number of them. */
void zh_bench_say(struct zh_bench_why *why, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* Whether its figures may be reasoned with. */
static inline bool zh_bench_is_usable(const struct zh_bench_figures *f)
{
	return f->rank > 0;
}

/* The first usable cell of f's transport and mode that differs from f in exactly `dim` and has that
 * placement (dim PLACEMENT), spins or not (SPIN); NULL: none. */
const struct zh_bench_figures *zh_bench_twin(const struct zh_bench_why *why,
	const struct zh_bench_figures *f, enum zh_bench_dim dim, unsigned int value);

/* Whether CPU time was measured: no message is free. */
static inline bool zh_bench_has_cpu_time(const struct zh_bench_figures *f)
{
	return f->cpu_ns_per_msg > 0;
}

/* CPU time of both sides a message, and the rest of the mean RTT: nobody's CPU time, or, with both
 * sides at once, less than nothing (then 0). */
static inline double zh_bench_busy(const struct zh_bench_figures *f)
{
	return f->cpu_ns_per_msg + f->peer_cpu_ns_per_msg;
}
static inline double zh_bench_waiting(const struct zh_bench_figures *f)
{
	double rest = (double)f->mean_ns - zh_bench_busy(f);

	return rest > 0 ? rest : 0;
}
