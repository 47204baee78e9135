/* SPDX-License-Identifier: BSD-2-Clause */
#include "explain/claims.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/units.h"
#include "base/util.h"
#include "stats/summary.h"

#define BIG_NS ZH_NSEC_PER_MSEC

static bool same_culprit(const struct zh_piece *a, const struct zh_piece *b)
{
	const uint8_t by_arg = ZH_PIECE_VECTOR;

	if (a->activity != b->activity || (a->flags & by_arg) != (b->flags & by_arg))
		return false;
	if (a->activity == ZH_ACTIVITY_IRQ || a->activity == ZH_ACTIVITY_SOFTIRQ)
		return a->arg == b->arg;
	return a->activity == ZH_ACTIVITY_UNKNOWN || a->pid == b->pid;
}

/* Finds or adds; when the list is full the smallest makes room, so that the large ones stay. */
static struct zh_culprit *culprit_of(struct zh_claims *claims, const struct zh_piece *piece)
{
	struct zh_culprit *smallest = &claims->culprits[0];
	size_t i;

	for (i = 0; i < claims->n_culprits; i++) {
		if (same_culprit(&claims->culprits[i].piece, piece))
			return &claims->culprits[i];
		if (claims->culprits[i].ns < smallest->ns)
			smallest = &claims->culprits[i];
	}
	if (claims->n_culprits < ZH_CULPRITS_MAX)
		smallest = &claims->culprits[claims->n_culprits++];
	*smallest = (struct zh_culprit){.piece = *piece, .last_sample = ZH_NONE};
	return smallest;
}

static void blame(struct zh_claims *claims, const struct zh_piece *piece, uint32_t sample)
{
	struct zh_culprit *culprit = culprit_of(claims, piece);

	if (culprit->last_sample != sample) {
		culprit->samples++;
		culprit->last_sample = sample;
		culprit->last_ns = 0;
	}
	culprit->ns += piece->claimed_ns;
	culprit->last_ns += piece->claimed_ns;
	culprit->max_ns = ZH_MAX(culprit->max_ns, culprit->last_ns);
	if (!culprit->piece.comm[0])
		memcpy(culprit->piece.comm, piece->comm, ZH_COMM_LEN);
}

static void add_timeline(
	struct zh_claims *claims, const struct zh_timeline *tl, bool late, uint64_t *per_sample)
{
	size_t i, k;

	for (i = 0; i < tl->n_segments; i++) {
		const struct zh_segment *seg = &tl->segments[i];

		for (k = seg->first_piece; k < seg->first_piece + seg->n_pieces; k++) {
			const struct zh_piece *piece = &tl->pieces[k];

			if (piece->cause != claims->cause || !piece->claimed_ns)
				continue;
			claims->ns += piece->claimed_ns;
			claims->stage_ns[seg->stage] += piece->claimed_ns;
			claims->late_ns += late ? piece->claimed_ns : 0;
			claims->rt_ns += piece->flags & ZH_PIECE_RT ? piece->claimed_ns : 0;
			if (!(piece->flags & ZH_PIECE_MEASURED))
				claims->unmeasured_ns += piece->claimed_ns;
			per_sample[tl->sample] += piece->claimed_ns;
			blame(claims, piece, tl->sample);
		}
	}
}

static int compare_culprits(const void *left, const void *right)
{
	const struct zh_culprit *a = left, *b = right;

	if (a->ns != b->ns)
		return a->ns > b->ns ? -1 : 1;
	return (a->piece.pid > b->piece.pid) - (a->piece.pid < b->piece.pid);
}

static void count_hits(const uint64_t *per_sample, size_t n, uint64_t ret[static ZH_POLICY_MAX])
{
	size_t i;
	int policy;

	for (i = 0; i < n; i++)
		for (policy = 0; policy < ZH_POLICY_MAX; policy++)
			ret[policy] += per_sample[i] &&
				       per_sample[i] >= zh_policy_effect_ns((enum zh_policy)policy);
}

static void sum_up(struct zh_claims *claims, uint64_t *per_sample, size_t n)
{
	size_t i, hits = 0;

	for (i = 0; i < n; i++) {
		uint64_t ns = per_sample[i];

		if (!ns)
			continue;
		if (ns > claims->max_ns) {
			claims->max_ns = ns;
			claims->worst_sample = (uint32_t)i;
		}
		claims->big_samples += ns >= BIG_NS;
		claims->critical_samples += ns >= ZH_POLICY_CRITICAL_NS;
		per_sample[hits++] = ns;
	}
	claims->samples = hits;
	claims->median_ns = zh_stats_median(per_sample, hits);
	qsort(claims->culprits, claims->n_culprits, sizeof(claims->culprits[0]), compare_culprits);
}

bool zh_claims_collect(struct zh_explain *ex, const struct zh_cause *cause, struct zh_claims *ret)
{
	const struct zh_attribution *a = ex->attribution;
	zh_autofree uint64_t *per_sample = calloc(ex->record->n_samples + 1, sizeof(uint64_t));
	uint64_t slow_hits[ZH_POLICY_MAX] = {0};
	size_t i;

	*ret = (struct zh_claims){.cause = cause};
	if (!per_sample) {
		ex->failed = true;
		return false;
	}
	for (i = 0; i < a->n_slow; i++)
		add_timeline(ret, &a->slow[i], false, per_sample);
	count_hits(per_sample, ex->record->n_samples, slow_hits);
	for (i = 0; i < a->n_late; i++)
		add_timeline(ret, &a->late[i], true, per_sample);
	count_hits(per_sample, ex->record->n_samples, ret->hits);
	for (i = 0; i < ZH_POLICY_MAX; i++)
		ret->late_hits[i] = ret->hits[i] - slow_hits[i];
	if (!ret->ns)
		return false;
	sum_up(ret, per_sample, ex->record->n_samples);
	ret->share = (double)ret->ns / (double)a->excess_ns;
	if (ret->share < ZH_CLAIM_SHARE_MIN && ret->max_ns < ZH_CLAIM_SAMPLE_MIN_NS) {
		ex->out->minor_ns += ret->ns;
		return false;
	}
	return true;
}

struct zh_finding *zh_claims_finding(struct zh_explain *ex, const struct zh_claims *claims,
	enum zh_policy policy, enum zh_confidence confidence, const char *fmt, ...)
{
	char summary[240];
	struct zh_finding *finding;
	va_list args;

	va_start(args, fmt);
	vsnprintf(summary, sizeof(summary), fmt, args);
	va_end(args);
	finding = zh_finding_add(ex, &claims->cause->rule, zh_policy_severity(ex, claims, policy),
		confidence, "%s", summary);
	if (!finding)
		return NULL;
	finding->has_attribution = true;
	if ((policy == ZH_POLICY_FAULT || policy == ZH_POLICY_PEER) &&
		claims->share >= ZH_FAULT_SHARE_MIN)
		finding->weight = ZH_WEIGHT_FAULT;
	finding->attributed_ns = claims->ns;
	finding->attributed_share = claims->share;
	finding->samples = claims->samples;
	if (2 * claims->unmeasured_ns > claims->ns && finding->confidence > ZH_CONFIDENCE_MEDIUM)
		finding->confidence = ZH_CONFIDENCE_MEDIUM;
	return finding;
}

void zh_claims_name_culprits(
	struct zh_finding *finding, const struct zh_claims *claims, const char *verb, size_t max)
{
	char name[64];
	size_t i;

	for (i = 0; i < claims->n_culprits && i < max; i++) {
		const struct zh_culprit *c = &claims->culprits[i];
		double share = (double)c->ns / (double)claims->ns;

		if (i > 0 && share < 0.02)
			break;
		if (c->piece.cpu == ZH_CPU_NONE)
			zh_finding_evidence(finding,
				"%s %s: %.0f %% of this time, in %" PRIu32
				" samples, %s at most in one",
				zh_piece_name(&c->piece, name, sizeof(name)), verb, 100 * share,
				c->samples, ZH_NS_TEXT(c->max_ns));
		else
			zh_finding_evidence(finding,
				"%s %s on CPU %u: %.0f %% of this time, in %" PRIu32
				" samples, %s at most in one",
				zh_piece_name(&c->piece, name, sizeof(name)), verb, c->piece.cpu,
				100 * share, c->samples, ZH_NS_TEXT(c->max_ns));
	}
}

struct zh_finding *zh_cause_report(struct zh_explain *ex, const struct zh_cause *cause,
	enum zh_policy policy, enum zh_confidence confidence, struct zh_claims *ret_claims)
{
	struct zh_claims *c = ret_claims;
	struct zh_finding *finding;

	if (!zh_claims_collect(ex, cause, c))
		return NULL;
	finding = zh_claims_finding(ex, c, policy, confidence,
		"%s: %s in %" PRIu64 " of %" PRIu64 " samples, %s at most, %.0f %% of the excess",
		cause->rule.title, ZH_NS_TEXT(c->ns), c->samples, ex->attribution->n_samples,
		ZH_NS_TEXT(c->max_ns), 100 * c->share);
	zh_finding_evidence(finding,
		"median %s, longest %s in an affected sample; %" PRIu64
		" samples with a millisecond or more",
		ZH_NS_TEXT(c->median_ns), ZH_NS_TEXT(c->max_ns), c->big_samples);
	if (c->unmeasured_ns && c->unmeasured_ns < c->ns)
		zh_finding_evidence(finding,
			"%s of it in samples without events, by analogy with the measured ones",
			ZH_NS_TEXT(c->unmeasured_ns));
	if (c->late_ns)
		zh_finding_evidence(finding,
			"%s of it delayed probes before they were sent, so no RTT shows it",
			ZH_NS_TEXT(c->late_ns));
	return finding;
}
