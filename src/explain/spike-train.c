/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Each phase has its own threshold and its own test, since RTT grows with the gap between probes.
 * Reported is the phase with the surest period, else the one with the most samples. The test runs
 * on the times of the samples and on their numbers (a cause may follow the clock or the packets);
 * the p-value is that of the better one times the number of tests made, so trying many phases does
 * not make chance look like a pattern.
 */
#include "explain/spike-train.h"

#include <math.h>

#include "base/util.h"
#include "stats/period.h"

struct train {
	double *time, *number; /* of answered samples */
	bool *spike;
	size_t n;
	uint64_t n_spikes;
	double p_value, period_ns, period_samples;
};

static void collect(const struct zh_explain *ex, size_t phase, struct train *t)
{
	const struct zh_record *r = ex->record;
	const struct zh_phase *p = &r->phases[phase];
	size_t end = ZH_MIN((size_t)p->first + p->n, r->n_samples), i;
	uint64_t threshold = ex->attribution->rtt_threshold_ns[ex->attribution->kind[phase]];

	t->n = t->n_spikes = 0;
	for (i = p->first; i < end; i++) {
		const struct zh_sample *s = &r->samples[i];

		if (!zh_sample_answered(s) || s->recv_ns < s->send_ns || s->send_ns < p->start_ns)
			continue;
		if (t->n && (double)(s->send_ns - p->start_ns) <= t->time[t->n - 1])
			continue; /* not in order: no place in a train */
		t->time[t->n] = (double)(s->send_ns - p->start_ns);
		t->number[t->n] = (double)(i - p->first);
		t->spike[t->n] = zh_sample_rtt(s) > threshold;
		t->n_spikes += t->spike[t->n++];
	}
}

static bool test_phase(struct train *t)
{
	struct zh_period by_time, by_number;
	double step;

	t->p_value = 1;
	if (t->n < 2)
		return true;
	if (!zh_stats_period(t->time, t->spike, t->n, &by_time) ||
		!zh_stats_period(t->number, t->spike, t->n, &by_number))
		return false;
	step = (t->time[t->n - 1] - t->time[0]) / (t->number[t->n - 1] - t->number[0]);
	t->p_value = fmin(by_time.p_value, by_number.p_value);
	if (by_number.p_value <= by_time.p_value) {
		t->period_samples = by_number.period;
		t->period_ns = by_number.period * step;
	} else {
		t->period_ns = by_time.period;
		t->period_samples = by_time.period / step;
	}
	return true;
}

/* Two tests (time and number) that nearly always agree count as one; phases count each. */
static void take(struct zh_explain *ex, const struct train *t, size_t phase, size_t tests)
{
	struct zh_explanation *out = ex->out;
	double p = fmin(1, t->p_value * (double)tests);

	out->spikes.threshold_ns = ex->attribution->rtt_threshold_ns[ex->attribution->kind[phase]];
	out->spikes.p_value = p;
	if (p > ZH_PERIOD_ALPHA)
		return;
	out->spikes.period_ns = (uint64_t)t->period_ns;
	out->spikes.period_samples = t->period_samples;
}

static void examine(struct zh_explain *ex, struct train *t)
{
	const struct zh_record *r = ex->record;
	size_t i, most = 0, chosen = 0, tests = 0;
	struct train best = {.p_value = 2};

	for (i = 0; i < r->n_phases; i++) {
		if (!ex->main_phase[i])
			continue;
		collect(ex, i, t);
		ex->out->spikes.count += t->n_spikes;
		if (!test_phase(t)) {
			ex->failed = true;
			return;
		}
		tests += t->n_spikes >= ZH_PERIOD_SPIKES_MIN;
		if (t->p_value < best.p_value || (t->p_value == best.p_value && t->n > most)) {
			best = *t;
			most = t->n;
			chosen = i;
		}
	}
	ex->out->spikes.p_value = 1;
	if (best.p_value <= 1)
		take(ex, &best, chosen, ZH_MAX(tests, (size_t)1));
}

void zh_spike_train(struct zh_explain *ex)
{
	size_t n = ex->record->n_samples + 1;
	struct train t = {.time = calloc(n, sizeof(double)),
		.number = calloc(n, sizeof(double)),
		.spike = calloc(n, sizeof(bool))};

	if (t.time && t.number && t.spike)
		examine(ex, &t);
	else
		ex->failed = true;
	free(t.time);
	free(t.number);
	free(t.spike);
}
