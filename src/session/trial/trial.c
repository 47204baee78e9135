/* SPDX-License-Identifier: BSD-2-Clause */
#include "session/trial.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/util.h"
#include "session/trial/internal.h"
#include "stats/random.h"

static bool is_stopped(const struct trial *t)
{
	return t->config->stop && t->config->stop(t->config->arg);
}

static int switch_to(struct trial *t, bool on, struct zh_err *err)
{
	const struct zh_trial_change *change = t->config->change;
	int r;

	if (!change || !change->set || t->is_on == on)
		return 0;
	r = change->set(t->config->change_arg, on, err);
	if (r < 0)
		return r;
	t->is_on = on;
	return 0;
}

static int run_block(struct trial *t, bool is_b, struct zh_err *err)
{
	struct zh_trial_block *block = &t->blocks[t->n_blocks];
	int r = switch_to(t, is_b, err);

	if (r < 0)
		return r;
	/* Before every block, switched or not: else a pause would be part of the change. */
	if (t->config->settle_ns && t->config->change && t->config->change->set)
		zh_sleep_until(zh_now_ns() + t->config->settle_ns);
	*block = (struct zh_trial_block){.is_b = is_b};
	r = t->config->method->measure(t->config->method_arg, is_b, block, err);
	if (r < 0) {
		free(block->rtt_ns);
		return r;
	}
	t->n_blocks++;
	return 0;
}

/* A B B A or B A A B. A quad that was not finished is dropped. */
static int run_quad(struct trial *t, bool outer_is_b, struct zh_err *err)
{
	size_t start = t->n_blocks;
	int r = 0;

	for (int i = 0; r == 0 && i < 4 && !is_stopped(t); i++)
		r = run_block(t, (i == 0 || i == 3) == outer_is_b, err);
	while (t->n_blocks % 4 && t->n_blocks > start)
		free(t->blocks[--t->n_blocks].rtt_ns);
	return r;
}

static void choose_figures(const struct zh_trial_config *config, struct zh_trial_report *report)
{
	report->n_figures = config->method->n_figures;
	for (size_t f = 0; f < report->n_figures; f++) {
		struct zh_trial_figure *figure = &report->figures[f];

		*figure = config->method->figures[f];
		if (config->margin > 0 && figure->is_ratio && figure->decides)
			figure->margin = config->margin;
	}
}

static int look(struct trial *t, unsigned int k, struct zh_trial_report *report, struct zh_err *err)
{
	int r = trial_make_quads(t, err);

	if (r < 0)
		return r;
	report->quads = t->n_blocks / 4;
	if (!zh_trial_judge(report->figures, report->n_figures, t->quads, report->quads, k,
		    &report->result))
		return zh_err_set(err, -ENOMEM, "out of memory");
	return 0;
}

/* Measures until a look is final, or the time is up. */
static int run(struct trial *t, struct zh_trial_report *report, struct zh_err *err)
{
	const struct zh_trial_config *config = t->config;
	struct zh_random random = {config->seed};
	size_t max = config->max_quads ? ZH_MIN(config->max_quads, (size_t)ZH_TRIAL_QUADS)
				       : ZH_TRIAL_QUADS;
	int r = 0;

	for (unsigned int k = 0; r == 0 && zh_trial_look(k) && !report->result.is_final; k++) {
		size_t until = ZH_MIN(zh_trial_look(k), max);

		while (r == 0 && t->n_blocks / 4 < until && !is_stopped(t)) {
			if (config->progress)
				config->progress(config->arg, t->n_blocks / 4, until);
			r = run_quad(t, zh_random_next(&random) & 1, err);
		}
		if (r == 0)
			r = look(t, k, report, err);
		if (until == max || is_stopped(t))
			break;
	}
	return r;
}

int zh_trial_run(
	const struct zh_trial_config *config, struct zh_trial_report *ret, struct zh_err *err)
{
	struct trial *t = calloc(1, sizeof(*t));
	struct zh_trial_report report = {};
	struct zh_err back = {};
	int r, undone;

	if (!t)
		return zh_err_set(err, -ENOMEM, "out of memory");
	t->config = config;
	choose_figures(config, &report);
	r = run(t, &report, err);
	undone = switch_to(t, false, &back);
	if (r == 0 && undone < 0) {
		*err = back;
		r = undone;
	}
	if (r == 0) {
		trial_sum_up_arm(t, false, &report.a);
		trial_sum_up_arm(t, true, &report.b);
		report.spike_threshold_ns = t->threshold_ns;
		report.interrupted = is_stopped(t);
		*ret = report;
	}
	for (size_t i = 0; i < t->n_blocks; i++)
		free(t->blocks[i].rtt_ns);
	free(t->scratch);
	free(t);
	return r;
}
