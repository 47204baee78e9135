/* SPDX-License-Identifier: BSD-2-Clause */
#include "explain/attribution.h"

#include <stdlib.h>
#include <string.h>

#include "base/util.h"
#include "explain/baseline.h"
#include "explain/stage-phases.h"
#include "explain/stage-table.h"

/* A sample that may need an explanation. */
struct candidate {
	uint64_t excess_ns;
	uint32_t sample;
};

struct candidates {
	struct candidate *c;
	size_t n;
};

static uint64_t above(uint64_t value, uint64_t base)
{
	return value > base ? value - base : 0;
}

static uint32_t kind_of(
	const struct zh_explain *ex, const struct zh_attribution *a, uint32_t sample)
{
	return a->kind[ex->record->samples[sample].phase];
}

/* RTT minus baselines; foreign time is in `all` but in no `own`. */
static uint64_t rough_excess(const struct zh_explain *ex, const struct zh_attribution *a,
	uint32_t sample, const struct zh_stage_sums *sums)
{
	uint32_t kind = kind_of(ex, a, sample);
	uint64_t excess = 0;
	unsigned int stage;

	for (stage = 0; stage < ZH_STAGE_LATENESS; stage++) {
		const uint64_t *base = &a->base_ns[zh_baseline_index(kind, stage, 0)];
		const uint64_t *own = sums->own[stage];

		excess += sums->all[stage] - own[0] - own[1];
		excess += above(own[0], base[0]) + above(own[1], base[1]);
	}
	return excess;
}

static void find_candidates(const struct zh_explain *ex, const struct zh_attribution *a,
	const struct zh_stage_sums *sums, struct candidates *slow, struct candidates *late)
{
	uint32_t i;

	for (i = 0; i < ex->record->n_samples; i++) {
		const struct zh_sample *s = &ex->record->samples[i];
		uint64_t excess, late_ns, rtt;
		uint32_t kind;

		if (!sums[i].valid)
			continue;
		kind = kind_of(ex, a, i);
		rtt = zh_sample_rtt(s);
		excess = rough_excess(ex, a, i, &sums[i]);
		if (rtt > a->rtt_threshold_ns[kind] ||
			(excess > rtt / 2 && excess > ZH_EXCESS_MIN_NS))
			slow->c[slow->n++] = (struct candidate){excess, i};
		late_ns = zh_sample_lateness(s);
		if (late_ns > a->late_threshold_ns[kind])
			late->c[late->n++] = (struct candidate){late_ns, i};
	}
}

static int compare_candidates(const void *left, const void *right)
{
	const struct candidate *a = left, *b = right;

	if (a->excess_ns != b->excess_ns)
		return a->excess_ns > b->excess_ns ? -1 : 1;
	return (a->sample > b->sample) - (a->sample < b->sample);
}

/* Spends `budget` on the base pieces of one stage and leg, longest first: a stall is one long
 * piece, healthy work many short ones. */
static void spend(struct zh_timeline *tl, unsigned int stage, unsigned int leg, uint64_t budget)
{
	while (budget) {
		struct zh_piece *longest = NULL;
		uint64_t length, most = 0;
		size_t i, k;

		for (i = 0; i < tl->n_segments; i++) {
			struct zh_segment *seg = &tl->segments[i];

			if (seg->stage != stage || seg->leg != leg)
				continue;
			for (k = seg->first_piece; k < seg->first_piece + seg->n_pieces; k++) {
				length = tl->pieces[k].to_ns - tl->pieces[k].from_ns;
				if (!zh_piece_is_base(seg, &tl->pieces[k]) ||
					tl->pieces[k].excess_ns || length <= most)
					continue;
				longest = &tl->pieces[k];
				most = length;
			}
		}
		if (!longest)
			return;
		longest->excess_ns = ZH_MIN(budget, most);
		budget -= longest->excess_ns;
	}
}

static void set_excess(
	struct zh_explain *ex, const struct zh_attribution *a, struct zh_timeline *tl)
{
	uint64_t own[ZH_STAGE_MAX][2] = {0};
	uint32_t kind = kind_of(ex, a, tl->sample);
	unsigned int stage, leg;
	size_t i, k;

	for (i = 0; i < tl->n_segments; i++) {
		const struct zh_segment *seg = &tl->segments[i];

		for (k = seg->first_piece; k < seg->first_piece + seg->n_pieces; k++) {
			struct zh_piece *piece = &tl->pieces[k];
			uint64_t length = piece->to_ns - piece->from_ns;

			if (zh_piece_is_base(seg, piece))
				own[seg->stage][seg->leg] += length;
			else
				piece->excess_ns = length;
		}
	}
	for (stage = 0; stage < ZH_STAGE_MAX; stage++)
		for (leg = 0; leg < 2; leg++)
			spend(tl, stage, leg,
				above(own[stage][leg],
					a->base_ns[zh_baseline_index(kind, stage, leg)]));
}

static void settle(struct zh_attribution *a, struct zh_timeline *tl)
{
	size_t i;

	for (i = 0; i < tl->n_pieces; i++) {
		tl->excess_ns += tl->pieces[i].excess_ns;
		tl->unexplained_ns += tl->pieces[i].excess_ns - tl->pieces[i].claimed_ns;
	}
	a->excess_ns += tl->excess_ns;
	a->unexplained_ns += tl->unexplained_ns;
}

static bool explain_one(struct zh_explain *ex, struct zh_attribution *a, uint32_t sample,
	bool lateness, struct zh_timeline *tl)
{
	const struct zh_sample *s = &ex->record->samples[sample];
	bool built = lateness ? zh_timeline_build_lateness(ex->record, s, tl)
			      : zh_timeline_build(ex->record, s, tl);

	if (!built || !zh_timeline_cut(ex->record, &a->ticks, tl))
		return false;
	set_excess(ex, a, tl);
	zh_claim_pieces(ex, tl);
	settle(a, tl);
	return true;
}

static struct zh_timeline *explain_all(struct zh_explain *ex, struct zh_attribution *a,
	struct candidates *list, bool lateness, size_t *ret_n)
{
	size_t n = ZH_MIN(list->n, (size_t)ZH_EXPLAINED_MAX), i;
	struct zh_timeline *timelines = calloc(n + 1, sizeof(*timelines));

	if (list->n > 1)
		qsort(list->c, list->n, sizeof(*list->c), compare_candidates);
	for (i = 0; timelines && i < n; i++) {
		*ret_n = i + 1;
		if (!explain_one(ex, a, list->c[i].sample, lateness, &timelines[i])) {
			ex->failed = true;
			break;
		}
	}
	ex->failed |= !timelines;
	return timelines;
}

static bool records(const struct zh_record *r, unsigned int type)
{
	size_t i;

	for (i = 0; i < r->n_events; i++)
		if (r->events[i].type == type)
			return true;
	return false;
}

static void attribute(
	struct zh_explain *ex, struct zh_attribution *a, const struct zh_stage_sums *sums)
{
	size_t n = ex->record->n_samples + 1;
	struct candidates slow = {.c = calloc(n, sizeof(struct candidate))};
	struct candidates late = {.c = calloc(n, sizeof(struct candidate))};

	if (slow.c && late.c) {
		find_candidates(ex, a, sums, &slow, &late);
		a->slow = explain_all(ex, a, &slow, false, &a->n_slow);
		if (!ex->failed)
			zh_claim_by_analogy(a);
		if (!ex->failed)
			a->late = explain_all(ex, a, &late, true, &a->n_late);
		zh_stage_table(ex, a, sums);
		zh_phase_stages(ex, sums);
	} else {
		ex->failed = true;
	}
	free(slow.c);
	free(late.c);
}

void zh_attribute(struct zh_explain *ex)
{
	struct zh_attribution *a = calloc(1, sizeof(*a));
	struct zh_stage_sums *sums = NULL;

	ex->attribution = a;
	if (a) {
		a->ticks = zh_ticks_find(ex->record);
		a->softirqs_recorded = records(ex->record, ZH_EVENT_SOFTIRQ_IN);
		sums = zh_stage_sums_new(ex, a);
	}
	if (!sums || !zh_baselines_find(ex, a, sums)) {
		ex->failed = true;
		free(sums);
		return;
	}
	attribute(ex, a, sums);
	free(sums);
	zh_losses_find(ex, &a->losses);
	ex->out->excess_ns = a->excess_ns;
	ex->out->unexplained_ns = a->unexplained_ns;
	ex->out->unexplained_share =
		a->excess_ns ? (double)a->unexplained_ns / (double)a->excess_ns : -1;
	ex->out->n_slow = a->n_slow;
	ex->out->n_late = a->n_late;
}

static void free_timelines(struct zh_timeline *timelines, size_t n)
{
	size_t i;

	for (i = 0; timelines && i < n; i++)
		zh_timeline_done(&timelines[i]);
	free(timelines);
}

struct zh_attribution *zh_attribution_free(struct zh_attribution *a)
{
	if (!a)
		return NULL;
	free_timelines(a->slow, a->n_slow);
	free_timelines(a->late, a->n_late);
	free(a->losses.list);
	free(a->kind);
	free(a->median_ns);
	free(a->base_ns);
	free(a->rtt_threshold_ns);
	free(a->late_threshold_ns);
	free(a);
	return NULL;
}
