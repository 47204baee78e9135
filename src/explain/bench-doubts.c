/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * When a cell's figures are not believed, over all its rounds together.
 *
 * Counters of CPU time have a resolution (USER_HZ ticks of 10 ms where there is nothing better).
 * The difference of two readings is wrong by less than one unit, independently in each round: over
 * n rounds by about unit * sqrt(n). A share is claimed only when it exceeds its threshold by that.
 */
#include "explain/bench-doubts.h"

#include <math.h>
#include <string.h>

#include "base/util.h"
#include "explain/bench-parts.h"

/* Above 10 % of one CPU, p99 of a ping-pong on the reference machine went from 70 to 4000 us;
 * below, ratios to the floor repeat within 5 %. */
#define FOREIGN_MAX 0.10
/* The host's share is invisible otherwise: 1 % of the time is what a p99 rests on. */
#define STEAL_MAX 0.01
/* /proc/stat counts stolen time in USER_HZ, which is 100 a second by ABI. */
#define STEAL_UNIT_NS 10000000.0
/* Involuntary switches of as many messages decide the p99. On one CPU, or left to the scheduler,
 * the two sides preempt each other as part of the transport: there they say nothing. */
#define PREEMPTED_MAX 0.01
#define PREEMPTED_MIN 10 /* fewer may happen to any program */
/* A median of n values is sure to about 1.25 sigma / sqrt(n): a sixth of sigma. */
#define MESSAGES_MIN 50
/* Rounds that differ by half their median are of two different states (the scheduler put both sides
 * on one CPU or not): their median is of neither. */
#define SPREAD_MAX 0.5
#define RATE_MIN 0.95 /* of the asked rate */

const struct zh_bench_doubt_info zh_bench_doubts[ZH_DOUBTS] = {
	{"foreign", "other processes used more than 10 % of the CPUs; not ranked"},
	{"steal", "the host took more than 1 % of the CPU time; not ranked"},
	{"preempted", "other threads interrupted more than 1 % of the messages; not ranked"},
	{"short", "too few messages, or ended early; not ranked"},
	{"unstable", "the rounds differ by more than half; not ranked"},
	{"unknown", "what other processes used of the CPUs could not be measured so finely"},
	{"lost", "datagrams are missing, and no counter says where"},
	{"late", "the asked rate was not reached"},
};

struct sums {
	double elapsed_ns, foreign_ns, steal_ns, foreign_unit_ns;
	uint64_t preempted, named_losses;
	bool is_foreign_known, is_cut;
};

static uint64_t named_losses(const struct zh_bench_data *bench, const struct zh_bench_round *round)
{
	uint64_t sum = 0;
	size_t i;

	for (i = 0; i < round->n_losses; i++)
		if (strcmp(bench->losses[round->first_loss + i].counter, ZH_BENCH_UNATTRIBUTED))
			sum += bench->losses[round->first_loss + i].count;
	return sum;
}

static struct sums sum_up(const struct zh_bench_rounds *rounds)
{
	struct sums sums = {.is_foreign_known = true};
	size_t i;

	for (i = 0; i < rounds->n; i++) {
		const struct zh_bench_round *round = rounds->list[i];

		sums.elapsed_ns += (double)round->elapsed_ns;
		sums.foreign_ns += (double)round->foreign_ns;
		sums.steal_ns += (double)round->steal_ns;
		sums.foreign_unit_ns = fmax(sums.foreign_unit_ns, (double)round->foreign_unit_ns);
		sums.is_foreign_known &= round->foreign_unit_ns > 0;
		sums.is_cut |= round->ended_early != 0;
		sums.preempted += round->preempted + round->peer_preempted;
		sums.named_losses += named_losses(rounds->bench, round);
	}
	return sums;
}

static uint32_t cpus_of(const struct zh_bench_cell *cell, uint32_t n_cpus)
{
	if (cell->placement == ZH_PLACE_FREE)
		return ZH_MAX(n_cpus, 1u);
	return cell->peer_cpu >= 0 && cell->peer_cpu != cell->cpu ? 2 : 1;
}

static void judge_cpu_time(
	struct zh_bench_figures *f, const struct zh_bench_rounds *rounds, const struct sums *sums)
{
	double capacity = sums->elapsed_ns * cpus_of(f->cell, rounds->n_cpus);
	double foreign_error = sums->foreign_unit_ns * sqrt((double)rounds->n);
	double steal_error = STEAL_UNIT_NS * sqrt((double)rounds->n);

	if (!sums->is_foreign_known || foreign_error > FOREIGN_MAX * capacity)
		f->doubts |= ZH_DOUBT_UNKNOWN;
	else
		f->foreign_share = sums->foreign_ns / capacity;
	if (sums->is_foreign_known && sums->foreign_ns - foreign_error > FOREIGN_MAX * capacity) {
		f->doubts |= ZH_DOUBT_FOREIGN;
		f->doubts &= ~(unsigned int)ZH_DOUBT_UNKNOWN;
		f->foreign_share = sums->foreign_ns / capacity;
	}
	if (steal_error <= STEAL_MAX * capacity || sums->steal_ns > steal_error)
		f->steal_share = sums->steal_ns / capacity;
	if (sums->steal_ns - steal_error > STEAL_MAX * capacity)
		f->doubts |= ZH_DOUBT_STEAL;
}

static bool is_preempted(const struct zh_bench_figures *f, const struct sums *sums)
{
	return f->cell->placement == ZH_PLACE_CROSS_CPU && sums->preempted >= PREEMPTED_MIN &&
	       (double)sums->preempted > PREEMPTED_MAX * (double)f->messages;
}

/* One message may be under way when the time is over. */
static bool is_late(const struct zh_bench_figures *f, const struct sums *sums)
{
	double asked, sent = (double)ZH_MAX(f->sent, f->messages);

	if (f->cell->mode != ZH_BENCH_RATE || !f->cell->gap_ns)
		return false;
	asked = sums->elapsed_ns / (double)f->cell->gap_ns;
	return sent < RATE_MIN * asked && sent + 1 < asked;
}

void zh_bench_doubt(struct zh_bench_figures *f, const struct zh_bench_rounds *rounds)
{
	const struct sums sums = sum_up(rounds);

	judge_cpu_time(f, rounds, &sums);
	if (is_preempted(f, &sums))
		f->doubts |= ZH_DOUBT_PREEMPTED;
	if (f->messages < MESSAGES_MIN || sums.is_cut)
		f->doubts |= ZH_DOUBT_SHORT;
	if (f->spread > SPREAD_MAX)
		f->doubts |= ZH_DOUBT_UNSTABLE;
	if (f->missing > sums.named_losses)
		f->doubts |= ZH_DOUBT_LOST;
	if (is_late(f, &sums))
		f->doubts |= ZH_DOUBT_LATE;
}
