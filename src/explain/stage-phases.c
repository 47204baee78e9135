/* SPDX-License-Identifier: BSD-2-Clause */
#include "explain/stage-phases.h"

#include "base/util.h"
#include "stats/summary.h"

static size_t phase_end(const struct zh_record *r, const struct zh_phase *phase)
{
	return ZH_MIN((size_t)phase->first + phase->n, r->n_samples);
}

static void add_sample(
	const struct zh_sample *s, const struct zh_stage_sums *sums, struct zh_phase_stages *ret)
{
	unsigned int stage;

	ret->samples++;
	ret->rtt_ns += zh_sample_rtt(s);
	/* Lateness lies before the send. */
	for (stage = 0; stage < ZH_STAGE_MAX; stage++)
		if (stage != ZH_STAGE_LATENESS)
			ret->stage_ns[stage] += sums->all[stage];
}

static void add_phase(const struct zh_record *r, const struct zh_phase *phase,
	const struct zh_stage_sums *sums, uint64_t *values, struct zh_phase_stages *ret)
{
	uint64_t low, high, rtt;
	size_t n = 0, i;

	for (i = phase->first; i < phase_end(r, phase); i++)
		if (sums[i].valid)
			values[n++] = zh_sample_rtt(&r->samples[i]);
	if (!n)
		return;
	zh_stats_sort(values, n);
	low = zh_stats_quantile(values, n, 0.25);
	high = zh_stats_quantile(values, n, 0.75);
	for (i = phase->first; i < phase_end(r, phase); i++) {
		if (!sums[i].valid)
			continue;
		rtt = zh_sample_rtt(&r->samples[i]);
		if (rtt >= low && rtt <= high)
			add_sample(&r->samples[i], &sums[i], ret);
	}
}

void zh_phase_stages(struct zh_explain *ex, const struct zh_stage_sums *sums)
{
	const struct zh_record *r = ex->record;
	zh_autofree uint64_t *values = calloc(r->n_samples + 1, sizeof(*values));
	size_t i;

	ex->out->phase_stages = calloc(r->n_phases + 1, sizeof(*ex->out->phase_stages));
	if (!values || !ex->out->phase_stages) {
		ex->failed = true;
		return;
	}
	for (i = 0; i < r->n_phases; i++)
		add_phase(r, &r->phases[i], sums, values, &ex->out->phase_stages[i]);
}
