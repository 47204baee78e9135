/* SPDX-License-Identifier: BSD-2-Clause */
#include "explain/baseline.h"

#include <string.h>

#include "base/util.h"
#include "stats/spikes.h"
#include "stats/summary.h"

bool zh_piece_is_base(const struct zh_segment *segment, const struct zh_piece *piece)
{
	switch ((enum zh_activity)piece->activity) {
	case ZH_ACTIVITY_OWN:
	case ZH_ACTIVITY_UNKNOWN:
		return true;
	case ZH_ACTIVITY_IDLE:
		return zh_stage_kind(segment->stage) == ZH_STAGE_WAIT ||
		       segment->stage == ZH_STAGE_BACKLOG;
	case ZH_ACTIVITY_SLEEP:
		return segment->stage == ZH_STAGE_LATENESS;
	default:
		return false;
	}
}

/* Of one timeline: time on own work (by stage and leg), and all time by stage. */
static void add_up(const struct zh_timeline *tl, struct zh_stage_sums *sums)
{
	size_t i, k;

	for (i = 0; i < tl->n_segments; i++) {
		const struct zh_segment *seg = &tl->segments[i];

		sums->all[seg->stage] += seg->to_ns - seg->from_ns;
		for (k = seg->first_piece; k < seg->first_piece + seg->n_pieces; k++)
			if (zh_piece_is_base(seg, &tl->pieces[k]))
				sums->own[seg->stage][seg->leg] +=
					tl->pieces[k].to_ns - tl->pieces[k].from_ns;
	}
}

static bool sum_sample(struct zh_explain *ex, const struct zh_attribution *a,
	const struct zh_sample *s, struct zh_timeline *tl, struct zh_stage_sums *sums)
{
	const struct zh_phase *phase = zh_timeline_phase(ex->record, s);

	if (!phase || phase->clean_room || !zh_sample_answered(s) || s->recv_ns < s->send_ns)
		return true;
	sums->valid = true;
	if (!zh_timeline_build(ex->record, s, tl) || !zh_timeline_cut(ex->record, &a->ticks, tl))
		return false;
	add_up(tl, sums);
	if (zh_timeline_build_lateness(ex->record, s, tl)) {
		if (!zh_timeline_cut(ex->record, &a->ticks, tl))
			return false;
		add_up(tl, sums);
	}
	return true;
}

struct zh_stage_sums *zh_stage_sums_new(struct zh_explain *ex, struct zh_attribution *a)
{
	const struct zh_record *r = ex->record;
	struct zh_stage_sums *sums = calloc(r->n_samples + 1, sizeof(*sums));
	struct zh_timeline tl = {0};
	size_t i;

	for (i = 0; sums && i < r->n_samples; i++) {
		if (!sum_sample(ex, a, &r->samples[i], &tl, &sums[i])) {
			free(sums);
			sums = NULL;
			break;
		}
		a->n_samples += sums[i].valid;
	}
	zh_timeline_done(&tl);
	return sums;
}

static bool same_path(const struct zh_phase *a, const struct zh_phase *b)
{
	return a->transport == b->transport && a->clean_room == b->clean_room &&
	       strcmp(a->target, b->target) == 0;
}

static void find_kinds(const struct zh_record *r, uint32_t *kind)
{
	uint32_t i, k;

	for (i = 0; i < r->n_phases; i++) {
		for (k = 0; k < i; k++)
			if (same_path(&r->phases[k], &r->phases[i]) &&
				r->phases[k].gap_ns == r->phases[i].gap_ns)
				break;
		kind[i] = k;
	}
}

/* Collects one figure of all samples of a phase kind into `values`; returns how many. */
static size_t gather(const struct zh_explain *ex, const struct zh_attribution *a,
	const struct zh_stage_sums *sums, uint32_t kind, int stage, int leg, uint64_t *values)
{
	const struct zh_record *r = ex->record;
	size_t i, n = 0;

	for (i = 0; i < r->n_samples; i++) {
		const struct zh_sample *s = &r->samples[i];

		if (!sums[i].valid || a->kind[s->phase] != kind)
			continue;
		if (stage >= 0 && stage != ZH_STAGE_LATENESS && !sums[i].all[stage])
			continue; /* it had no such stage: not a time of 0 */
		values[n++] = stage < 0 ? zh_sample_rtt(s) : sums[i].own[stage][leg];
	}
	return n;
}

/* Fewer samples than this that know a stage are a rare detour, no measure of what is normal. */
#define BASELINE_SAMPLES_MIN 3

static void find_kind(const struct zh_explain *ex, struct zh_attribution *a,
	const struct zh_stage_sums *sums, uint32_t kind, uint64_t *values)
{
	uint64_t rtt;
	int stage, leg;
	size_t n;

	n = gather(ex, a, sums, kind, -1, 0, values);
	a->rtt_threshold_ns[kind] = zh_stats_spike_threshold(values, n);
	rtt = zh_stats_median(values, n);
	for (stage = 0; stage < ZH_STAGE_MAX; stage++) {
		for (leg = 0; leg < 2; leg++) {
			size_t at = zh_baseline_index(kind, (unsigned int)stage, (unsigned int)leg);
			uint64_t cap = zh_stage_cap_ns((enum zh_stage_id)stage);

			n = gather(ex, a, sums, kind, stage, leg, values);
			a->median_ns[at] = zh_stats_median(values, n);
			/* Samples whose stamps were lost know only the whole. */
			if (n < BASELINE_SAMPLES_MIN && cap == UINT64_MAX)
				a->median_ns[at] = rtt;
			a->base_ns[at] = ZH_MIN(a->median_ns[at], cap);
		}
	}
	n = gather(ex, a, sums, kind, ZH_STAGE_LATENESS, 1, values);
	a->late_threshold_ns[kind] = zh_stats_spike_threshold(values, n);
}

/* Idle exit and wake-up issue grow with the gap between probes: what is normal is their cost in
 * the fastest kind of phase on the same path. */
static void compare_kinds(const struct zh_record *r, struct zh_attribution *a)
{
	static const uint8_t stages[] = {ZH_STAGE_IDLE_EXIT, ZH_STAGE_WAKE_IPI};
	size_t i, k, n, leg;

	for (i = 0; i < r->n_phases; i++) {
		for (k = 0; k < r->n_phases; k++) {
			if (a->kind[i] != i || a->kind[k] != k ||
				!same_path(&r->phases[i], &r->phases[k]))
				continue;
			for (n = 0; n < 2 * ZH_ARRAY_SIZE(stages); n++) {
				uint64_t *mine, other;

				leg = n & 1;
				mine = &a->base_ns[zh_baseline_index(
					(uint32_t)i, stages[n / 2], (unsigned int)leg)];
				other = a->median_ns[zh_baseline_index(
					(uint32_t)k, stages[n / 2], (unsigned int)leg)];
				if (other && other < *mine)
					*mine = other;
			}
		}
	}
}

bool zh_baselines_find(
	struct zh_explain *ex, struct zh_attribution *a, const struct zh_stage_sums *sums)
{
	const struct zh_record *r = ex->record;
	size_t n = ZH_MAX(r->n_phases, (size_t)1);
	zh_autofree uint64_t *values = calloc(r->n_samples + 1, sizeof(*values));
	uint32_t i;

	a->kind = calloc(n, sizeof(*a->kind));
	a->median_ns = calloc(n * ZH_STAGE_MAX * 2, sizeof(uint64_t));
	a->base_ns = calloc(n * ZH_STAGE_MAX * 2, sizeof(uint64_t));
	a->rtt_threshold_ns = calloc(n, sizeof(uint64_t));
	a->late_threshold_ns = calloc(n, sizeof(uint64_t));
	if (!values || !a->kind || !a->median_ns || !a->base_ns || !a->rtt_threshold_ns ||
		!a->late_threshold_ns)
		return false;
	find_kinds(r, a->kind);
	for (i = 0; i < r->n_phases; i++)
		if (a->kind[i] == i)
			find_kind(ex, a, sums, i, values);
	compare_kinds(r, a);
	return true;
}
