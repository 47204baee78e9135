/* SPDX-License-Identifier: BSD-2-Clause */
/* A block of a trial: probes of a session, without tracing. */
#include <errno.h>
#include <stdlib.h>

#include "session/trial.h"
#include "stats/summary.h"

static int take(const struct zh_record *record, struct zh_trial_block *block, struct zh_err *err)
{
	block->rtt_ns = calloc(record->n_samples + 1, sizeof(*block->rtt_ns));
	if (!block->rtt_ns)
		return zh_err_set(err, -ENOMEM, "out of memory");
	for (size_t i = 0; i < record->n_samples; i++) {
		const struct zh_sample *sample = &record->samples[i];

		if (sample->flags & ZH_SAMPLE_WARMUP)
			continue;
		if (zh_sample_answered(sample))
			block->rtt_ns[block->n++] = zh_sample_rtt(sample);
		else
			block->lost++;
	}
	zh_stats_sort(block->rtt_ns, block->n);
	return 0;
}

static int measure(void *arg, bool is_b, struct zh_trial_block *ret, struct zh_err *err)
{
	const struct zh_trial_probes *probes = arg;
	struct zh_session_phase phase = {
		.label = "block", .count = probes->count, .gap_ns = probes->gap_ns};
	struct zh_session_config session = *probes->session;
	struct zh_record *record = NULL;
	int r;

	session.phases = &phase;
	session.n_phases = 1;
	session.tier = ZH_TIER_NONE;
	session.facts = session.overhead = false;
	session.progress = NULL;
	session.watch = NULL;
	if (probes->change && probes->change->shape)
		probes->change->shape(probes->change_arg, is_b, &session, &phase);
	r = zh_session_run(&session, &record, err);
	if (r == 0)
		r = take(record, ret, err);
	zh_record_free(record);
	return r;
}

const struct zh_trial_method zh_trial_probes = {.figures = zh_trial_round_trips,
	.n_figures = ZH_TRIAL_ROUND_TRIPS,
	.has_round_trips = true,
	.measure = measure};
