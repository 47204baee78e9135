/* SPDX-License-Identifier: BSD-2-Clause */
/* From rounds to a cell's figures. Doubts are in bench-doubts.c, ranks in bench-rank.c. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/util.h"
#include "explain/bench-doubts.h"
#include "explain/bench-parts.h"

bool zh_bench_is(const struct zh_record *record)
{
	return record->bench.n_cells > 0;
}

/* A ratio that cannot be formed is NaN: the round takes no part in that figure's median. */
static double ratio(double a, double b)
{
	return b > 0 ? a / b : NAN;
}

static double per_message(uint64_t value, const struct zh_bench_round *round)
{
	return ratio((double)value, (double)round->messages);
}

typedef double value_of(const struct zh_bench_data *bench, const struct zh_bench_round *round);

#define QUANTILE(name, q)                                                                          \
	static double name(const struct zh_bench_data *bench, const struct zh_bench_round *round)  \
	{                                                                                          \
		return (double)zh_bench_round_quantile(bench, round, q);                           \
	}
QUANTILE(p50, 0.5)
QUANTILE(p90, 0.9)
QUANTILE(p99, 0.99)

#define VALUE(name, expression)                                                                    \
	static double name(const struct zh_bench_data *bench, const struct zh_bench_round *round)  \
	{                                                                                          \
		(void)bench;                                                                       \
		return expression;                                                                 \
	}
VALUE(mean, per_message(round->sum_ns, round))
VALUE(cpu, per_message(round->cpu_ns, round))
VALUE(peer_cpu, per_message(round->peer_cpu_ns, round))
VALUE(switches, per_message(round->switches, round) + per_message(round->peer_switches, round))
VALUE(preempted, per_message(round->preempted, round) + per_message(round->peer_preempted, round))
VALUE(throughput, ratio((double)round->bytes * 1e9, (double)round->elapsed_ns))
VALUE(floor_throughput, ratio((double)round->floor_bytes * 1e9, (double)round->floor_elapsed_ns))
VALUE(floor_mean, ratio((double)round->floor_elapsed_ns, (double)round->floor_messages))
VALUE(floor_p50, round->floor_p50_ns ? (double)round->floor_p50_ns : NAN)

/* Each round is compared with the bare loop right before it: the machine drifts between rounds. */
static double pingpong_ratio(const struct zh_bench_data *bench, const struct zh_bench_round *round)
{
	return ratio(per_message(round->elapsed_ns, round), floor_mean(bench, round));
}
static double paced_ratio(const struct zh_bench_data *bench, const struct zh_bench_round *round)
{
	return ratio(mean(bench, round), floor_mean(bench, round));
}
static double stream_ratio(const struct zh_bench_data *bench, const struct zh_bench_round *round)
{
	return ratio(throughput(bench, round), floor_throughput(bench, round));
}
static double p50_ratio(const struct zh_bench_data *bench, const struct zh_bench_round *round)
{
	return ratio(p50(bench, round), floor_p50(bench, round));
}

static int by_value(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

double zh_bench_median(double *values, size_t n)
{
	if (!n)
		return 0;
	qsort(values, n, sizeof(values[0]), by_value);
	return n % 2 ? values[n / 2] : (values[n / 2 - 1] + values[n / 2]) / 2;
}

/* Values of the rounds that have one, in the scratch; returns how many. */
static size_t collect(const struct zh_bench_rounds *rounds, value_of *value)
{
	size_t i, n = 0;

	for (i = 0; i < rounds->n; i++) {
		double one = value(rounds->bench, rounds->list[i]);

		if (isfinite(one))
			rounds->scratch[n++] = one;
	}
	return n;
}

static double median_of(const struct zh_bench_rounds *rounds, value_of *value)
{
	return zh_bench_median(rounds->scratch, collect(rounds, value));
}

static uint64_t whole_median_of(const struct zh_bench_rounds *rounds, value_of *value)
{
	return (uint64_t)llround(median_of(rounds, value));
}

static double spread_of(const struct zh_bench_rounds *rounds, value_of *value)
{
	size_t n = collect(rounds, value);
	double median = zh_bench_median(rounds->scratch, n);

	if (n < 2 || median <= 0)
		return -1;
	return (rounds->scratch[n - 1] - rounds->scratch[0]) / median;
}

/* Of all rounds together; 0 when so few answers do not reach so far out. */
static uint64_t joint_quantile(const struct zh_histogram *histogram, double q)
{
	if ((double)histogram->n * (1 - q) < 1 - 1e-9)
		return 0;
	return zh_histogram_quantile(histogram, q);
}

static bool every_round_reaches(const struct zh_bench_rounds *rounds, double q)
{
	size_t i;

	for (i = 0; i < rounds->n; i++)
		if ((double)rounds->list[i]->messages * (1 - q) < 1 - 1e-9)
			return false;
	return true;
}

static uint64_t tail_of(const struct zh_bench_figures *f, const struct zh_bench_rounds *rounds,
	double q, value_of *value)
{
	if (f->cell->mode == ZH_BENCH_RATE || !every_round_reaches(rounds, q))
		return joint_quantile(f->histogram, q);
	return whole_median_of(rounds, value);
}

static int take_rtts(struct zh_bench_figures *f, const struct zh_bench_rounds *rounds)
{
	bool is_paced = f->cell->mode == ZH_BENCH_RATE;
	size_t i;

	f->histogram = zh_histogram_new();
	if (!f->histogram)
		return -ENOMEM;
	for (i = 0; i < rounds->n; i++)
		zh_bench_round_histogram(rounds->bench, rounds->list[i], f->histogram);
	if (!f->histogram->n)
		return 0;
	f->min_ns = f->histogram->min;
	f->max_ns = f->histogram->max;
	f->mean_ns = whole_median_of(rounds, mean);
	f->p50_ns = whole_median_of(rounds, p50);
	f->p90_ns = tail_of(f, rounds, 0.9, p90);
	f->p99_ns = tail_of(f, rounds, 0.99, p99);
	f->p999_ns = joint_quantile(f->histogram, 0.999);
	f->p9999_ns = joint_quantile(f->histogram, 0.9999);
	f->floor_ratio = median_of(rounds, is_paced ? paced_ratio : pingpong_ratio);
	f->floor_p50_ratio = median_of(rounds, p50_ratio);
	f->floor_mean_ns = whole_median_of(rounds, floor_mean);
	f->floor_p50_ns = whole_median_of(rounds, floor_p50);
	f->spread = spread_of(rounds, p50);
	return 0;
}

static void take_throughput(struct zh_bench_figures *f, const struct zh_bench_rounds *rounds)
{
	f->bytes_per_s = whole_median_of(rounds, throughput);
	f->floor_ratio = median_of(rounds, stream_ratio);
	f->floor_bytes_per_s = whole_median_of(rounds, floor_throughput);
	f->spread = spread_of(rounds, throughput);
}

static int take_figures(struct zh_bench_figures *f, const struct zh_bench_rounds *rounds)
{
	size_t i;
	int r = 0;

	for (i = 0; i < f->n_list; i++) {
		f->messages += f->list[i]->messages;
		f->sent += f->list[i]->sent;
		f->missing += f->list[i]->missing;
	}
	if (!rounds->n)
		return 0;
	f->cpu_ns_per_msg = median_of(rounds, cpu);
	f->peer_cpu_ns_per_msg = median_of(rounds, peer_cpu);
	f->switches_per_msg = median_of(rounds, switches);
	f->preempted_per_msg = median_of(rounds, preempted);
	if (zh_bench_has_rtt(f->cell))
		r = take_rtts(f, rounds);
	else
		take_throughput(f, rounds);
	return r;
}

/* Rounds without an answer have no figures, but their lost datagrams count. */
static bool is_measured(const struct zh_bench_round *round)
{
	return round->messages > 0 && round->elapsed_ns > 0;
}

/* Sorts the rounds by cell. Each cell gets its stretch of the list, which is filled from both ends:
 * rounds that were measured in front. */
static int sort_rounds(const struct zh_bench_data *bench, struct zh_bench_analysis *analysis)
{
	zh_autofree size_t *first = calloc(bench->n_cells + 1, sizeof(first[0]));
	zh_autofree size_t *end = calloc(bench->n_cells + 1, sizeof(end[0]));
	size_t i;

	analysis->rounds = calloc(bench->n_rounds + 1, sizeof(analysis->rounds[0]));
	if (!first || !end || !analysis->rounds)
		return -ENOMEM;
	for (i = 0; i < bench->n_rounds; i++)
		first[bench->rounds[i].cell + 1]++;
	for (i = 0; i < bench->n_cells; i++) {
		analysis->cells[i].list = analysis->rounds + first[i];
		analysis->cells[i].n_list = (uint32_t)first[i + 1];
		first[i + 1] += first[i];
		end[i] = first[i + 1];
	}
	for (i = 0; i < bench->n_rounds; i++) {
		uint32_t cell = bench->rounds[i].cell;

		if (is_measured(&bench->rounds[i]))
			analysis->rounds[first[cell] + analysis->cells[cell].rounds++] =
				&bench->rounds[i];
		else
			analysis->rounds[--end[cell]] = &bench->rounds[i];
	}
	return 0;
}

static void start_figures(const struct zh_bench_data *bench, struct zh_bench_analysis *analysis)
{
	size_t i;

	for (i = 0; i < bench->n_cells; i++)
		analysis->cells[i] = (struct zh_bench_figures){.cell = &bench->cells[i],
			.index = (uint32_t)i,
			.spread = -1,
			.foreign_share = -1,
			.steal_share = -1};
}

static int analyse(const struct zh_record *record, struct zh_bench_analysis *analysis)
{
	const struct zh_bench_data *bench = &record->bench;
	zh_autofree double *scratch = calloc(bench->n_rounds + 1, sizeof(scratch[0]));
	size_t i;
	int r;

	start_figures(bench, analysis);
	r = scratch ? sort_rounds(bench, analysis) : -ENOMEM;
	for (i = 0; !r && i < bench->n_cells; i++) {
		struct zh_bench_figures *f = &analysis->cells[i];
		const struct zh_bench_rounds rounds = {
			bench, f->list, f->rounds, scratch, record->n_cpus};

		r = take_figures(f, &rounds);
		if (!r && f->rounds)
			zh_bench_doubt(f, &rounds);
	}
	return r ? r : zh_bench_rank(analysis);
}

int zh_bench_analyse(
	const struct zh_record *record, struct zh_bench_analysis **ret, struct zh_err *err)
{
	struct zh_bench_analysis *analysis = calloc(1, sizeof(*analysis));
	int r = -ENOMEM;

	if (analysis)
		analysis->cells = calloc(record->bench.n_cells + 1, sizeof(analysis->cells[0]));
	if (analysis && analysis->cells) {
		analysis->n_cells = record->bench.n_cells;
		r = analyse(record, analysis);
	}
	if (r < 0) {
		zh_bench_analysis_free(analysis);
		return zh_err_sys(err, r, "cannot analyse the benchmark");
	}
	*ret = analysis;
	return 0;
}

struct zh_bench_analysis *zh_bench_analysis_free(struct zh_bench_analysis *analysis)
{
	size_t i;

	if (!analysis)
		return NULL;
	for (i = 0; i < analysis->n_cells; i++)
		zh_histogram_free(analysis->cells[i].histogram);
	free(analysis->cells);
	free(analysis->rounds);
	free(analysis);
	return NULL;
}
