/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Figures of the main target's phases. p50 and p99 are over all answered samples that know the
 * stage, slow p50 over the slow ones, both with both legs added; the slow share is the stage's part
 * of the slow samples' RTT. `lateness` is listed too, but is part of no RTT and has no share.
 */
#include "explain/stage-table.h"

#include "base/util.h"
#include "stats/summary.h"

/* In the order of the way, which is not quite the order of the enumeration. */
static const uint8_t order[] = {ZH_STAGE_SEND, ZH_STAGE_HELD, ZH_STAGE_QDISC, ZH_STAGE_DEVICE,
	ZH_STAGE_BACKLOG, ZH_STAGE_FORWARD, ZH_STAGE_NETFILTER, ZH_STAGE_PROTOCOL,
	ZH_STAGE_WAKE_IPI, ZH_STAGE_IDLE_EXIT, ZH_STAGE_RUN_QUEUE, ZH_STAGE_PICK_UP,
	ZH_STAGE_RESUME, ZH_STAGE_PEER, ZH_STAGE_REQUEST, ZH_STAGE_REPLY, ZH_STAGE_DELIVER,
	ZH_STAGE_ROUND_TRIP, ZH_STAGE_LATENESS};

_Static_assert(ZH_ARRAY_SIZE(order) == ZH_STAGE_MAX, "a stage is missing in the table");

struct table {
	const struct zh_explain *ex;
	const struct zh_stage_sums *sums;
	const bool *is_slow;
	uint64_t slow_rtt_ns;
	uint64_t *values;
};

static bool in_table(const struct table *t, size_t sample)
{
	return t->sums[sample].valid && t->ex->main_phase[t->ex->record->samples[sample].phase];
}

static size_t gather(const struct table *t, unsigned int stage, bool slow_only)
{
	size_t i, n = 0;

	for (i = 0; i < t->ex->record->n_samples; i++)
		if (in_table(t, i) && t->sums[i].all[stage] && (!slow_only || t->is_slow[i]))
			t->values[n++] = t->sums[i].all[stage];
	zh_stats_sort(t->values, n);
	return n;
}

static void add_row(const struct table *t, unsigned int stage)
{
	struct zh_explanation *out = t->ex->out;
	struct zh_stage_row *row = &out->stages[out->n_stages];
	uint64_t sum = 0;
	size_t n = gather(t, stage, false), i;

	if (!n)
		return;
	*row = (struct zh_stage_row){.id = zh_stage_rules[stage].id,
		.title = zh_stage_rules[stage].title,
		.count = n,
		.p50_ns = zh_stats_quantile(t->values, n, 0.5),
		.p99_ns = zh_stats_quantile(t->values, n, 0.99)};
	n = gather(t, stage, true);
	row->slow_p50_ns = zh_stats_quantile(t->values, n, 0.5);
	for (i = 0; i < n; i++)
		sum += t->values[i];
	if (stage != ZH_STAGE_LATENESS && t->slow_rtt_ns)
		row->slow_share = (double)sum / (double)t->slow_rtt_ns;
	out->n_stages++;
}

void zh_stage_table(
	struct zh_explain *ex, const struct zh_attribution *a, const struct zh_stage_sums *sums)
{
	size_t n = ex->record->n_samples + 1, i;
	zh_autofree bool *is_slow = calloc(n, sizeof(*is_slow));
	zh_autofree uint64_t *values = calloc(n, sizeof(*values));
	struct table t = {.ex = ex, .sums = sums, .is_slow = is_slow, .values = values};

	ex->out->stages = calloc(ZH_STAGE_MAX, sizeof(*ex->out->stages));
	if (!is_slow || !values || !ex->out->stages) {
		ex->failed = true;
		return;
	}
	for (i = 0; i < a->n_slow; i++) {
		uint32_t sample = a->slow[i].sample;

		is_slow[sample] = true;
		if (in_table(&t, sample))
			t.slow_rtt_ns += zh_sample_rtt(&ex->record->samples[sample]);
	}
	for (i = 0; i < ZH_ARRAY_SIZE(order); i++)
		add_row(&t, order[i]);
}
