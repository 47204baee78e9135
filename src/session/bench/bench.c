/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The run: all rounds in their order. What fails is noted where it belongs, and the others go on.
 */
#include "session/bench.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/util.h"
#include "facts/facts.h"
#include "session/bench/internal.h"
#include "session/describe-run.h"
#include "stats/random.h"

#define REPLY_TIMEOUT_NS ZH_NSEC_PER_SEC
/* A cell that failed so often without ever having been measured is given up. */
#define TRIES_MAX 2
#define TOOLS_MAX 8

struct tries {
	uint16_t measured, failed;
	struct zh_err err; /* of the first failure */
};

struct run {
	const struct zh_session_bench *config;
	struct zh_record *record;
	struct zh_histogram *histogram;
	struct zh_random random;
	struct tries *tries; /* of each cell */
	struct bench_job *jobs;
	size_t n_jobs, done;
	size_t n_tools;
	uint16_t order; /* of the next round */
};

static bool is_stopped(const struct run *run)
{
	return run->config->stop && run->config->stop(run->config->arg);
}

static bool ends_by_bytes(const struct zh_session_bench *config, const struct zh_bench_cell *cell)
{
	return cell->mode == ZH_BENCH_STREAM && config->bytes;
}

/* "tcp pingpong 1 B cross-cpu": enough to find the cell. */
static const char *cell_name(const struct zh_bench_cell *cell, char *buf, size_t size)
{
	snprintf(buf, size, "%s %s %u B %s", cell->transport,
		zh_bench_mode_name((enum zh_bench_mode)cell->mode), cell->size_bytes,
		zh_bench_placement_name((enum zh_bench_placement)cell->placement));
	return buf;
}

static void note(struct run *run, const struct bench_job *job, const struct zh_err *err)
{
	char name[64], what[64];

	cell_name(&run->record->bench.cells[job->cell], name, sizeof(name));
	snprintf(what, sizeof(what), "%.50s, round %u", name, job->round + 1u);
	zh_record_not_measured(run->record, what, "%s", err->text);
}

static void keep(struct run *run, const struct bench_job *job, struct zh_bench_result *result)
{
	result->round.cell = job->cell;
	result->round.round = job->round;
	result->round.order = run->order++;
	zh_record_bench_round(
		run->record, &result->round, result->histogram, result->losses, result->n_losses);
	run->tries[job->cell].measured++;
	/* The peers of a terminal's Ctrl-C die with it; that is no news about the cell. */
	if (result->ended.code && !is_stopped(run))
		note(run, job, &result->ended);
}

static void run_own(struct run *run, const struct bench_job *job, size_t n_budgeted)
{
	const struct zh_session_bench *config = run->config;
	struct zh_bench_cell *cell = &run->record->bench.cells[job->cell];
	const struct bench_lengths lengths =
		bench_lengths_find(config, n_budgeted, ends_by_bytes(config, cell));
	const struct zh_bench_config round = {
		.cell = cell,
		.netns_fd = config->netns_fd,
		.peer_netns_fd = config->peer_netns_fd,
		.address = config->address,
		.warmup_ns = lengths.warmup_ns,
		.duration_ns = lengths.duration_ns,
		.floor_ns = lengths.floor_ns,
		.bytes = ends_by_bytes(config, cell) ? config->bytes : 0,
		.reply_timeout_ns = REPLY_TIMEOUT_NS,
		.stop = config->stop,
		.arg = config->arg,
	};
	struct tries *tries = &run->tries[job->cell];
	struct zh_bench_result result = {.histogram = run->histogram};
	struct zh_err err = {};

	if (tries->failed >= TRIES_MAX && !tries->measured)
		return;
	if (zh_bench_round(&round, &result, &err) >= 0) {
		keep(run, job, &result);
		return;
	}
	if (err.code == -EINTR || is_stopped(run))
		return;
	if (!tries->failed++)
		tries->err = err;
	if (tries->measured)
		note(run, job, &err);
}

/* Our round and those of other programs, one behind the other in random order: what drifts from
 * minute to minute cancels out between neighbours. */
static void run_job(struct run *run, const struct bench_job *job, size_t n_budgeted)
{
	const struct zh_session_bench *config = run->config;
	uint32_t order[TOOLS_MAX + 1];
	size_t i;

	bench_shuffle(order, run->n_tools + 1, &run->random);
	for (i = 0; i <= run->n_tools && !is_stopped(run); i++) {
		if (order[i] == run->n_tools)
			run_own(run, job, n_budgeted);
		else
			bench_tool_run(run->record, config, config->tools[order[i]], job);
		run->done++;
		if (config->progress)
			config->progress(config->arg, run->done, run->n_jobs * (run->n_tools + 1));
	}
}

static void run_jobs(struct run *run)
{
	size_t n_budgeted = 0, i;

	for (i = 0; i < run->n_jobs; i++)
		n_budgeted +=
			!ends_by_bytes(run->config, &run->record->bench.cells[run->jobs[i].cell]);
	for (i = 0; i < run->n_jobs && !is_stopped(run); i++)
		run_job(run, &run->jobs[i], n_budgeted);
}

/* What was never measured says why. The number of cells that were measured, or the first error. */
static int sum_up(struct run *run, struct zh_err *err)
{
	struct zh_bench_data *bench = &run->record->bench;
	const struct zh_err *first = NULL;
	size_t i;
	int n = 0;

	run->record->interrupted = is_stopped(run);
	for (i = 0; i < bench->n_cells; i++) {
		struct zh_bench_cell *cell = &bench->cells[i];
		const struct tries *tries = &run->tries[i];

		n += tries->measured > 0;
		if (tries->measured || cell->why_not[0])
			continue;
		if (tries->failed)
			first = first ? first : &tries->err;
		snprintf(cell->why_not, sizeof(cell->why_not), "%.*s",
			(int)sizeof(cell->why_not) - 1,
			tries->failed ? tries->err.text : "the run was ended early");
	}
	if (n || run->record->interrupted)
		return n;
	if (first)
		*err = *first;
	else
		zh_err_set(err, -EINVAL, "no cell can be measured: %s",
			bench->n_cells ? bench->cells[0].why_not : "there is none");
	return err ? err->code : -EINVAL;
}

/* The cells of the record, the order of their rounds. 0 or -ENOMEM. */
static int prepare(struct run *run)
{
	const struct zh_session_bench *config = run->config;
	zh_autofree uint32_t *cells = calloc(config->n_cells + 1, sizeof(*cells));
	size_t n = 0, i;

	run->tries = calloc(config->n_cells + 1, sizeof(*run->tries));
	run->histogram = zh_histogram_new();
	if (!cells || !run->tries || !run->histogram)
		return -ENOMEM;
	for (i = 0; i < config->n_cells; i++) {
		if (!zh_record_bench_cell(run->record, &config->cells[i]))
			return -ENOMEM;
		if (!config->cells[i].why_not[0])
			cells[n++] = (uint32_t)i;
	}
	while (config->tools && config->tools[run->n_tools] && run->n_tools < TOOLS_MAX)
		run->n_tools++;
	run->n_jobs = n * config->rounds;
	run->jobs = bench_order(cells, n, config->rounds, &run->random);
	return run->jobs ? 0 : -ENOMEM;
}

static void take_facts(struct zh_record *record, struct zh_fact_set *set)
{
	struct zh_err err = {};

	if (zh_facts_collect(set, &err) < 0)
		zh_record_not_measured(record, "facts", "%s", err.text);
}

int zh_session_bench(
	const struct zh_session_bench *config, struct zh_record **ret, struct zh_err *err)
{
	struct run run = {.config = config,
		.record = zh_record_new(&(struct zh_record_limits){}),
		.random = {config->seed ? config->seed : zh_clock_ns(CLOCK_REALTIME)}};
	int r = -ENOMEM;

	if (run.record) {
		session_describe_run(run.record, "bench");
		run.record->overhead_cpu_share = -1;
		r = prepare(&run);
	}
	if (r < 0) {
		zh_err_set(err, r, "out of memory for the record");
	} else {
		take_facts(run.record, &run.record->before);
		run_jobs(&run);
		take_facts(run.record, &run.record->after);
		run.record->end_ns = zh_now_ns();
		r = sum_up(&run, err);
	}
	free(run.tries);
	free(run.jobs);
	zh_histogram_free(run.histogram);
	if (r < 0) {
		zh_record_free(run.record);
		return r;
	}
	*ret = run.record;
	return 0;
}
