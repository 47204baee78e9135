/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Long waits of samples whose events were not kept (the store was full, or the rings had been
 * overwritten). Their stage is known, but not who was in the way. When nearly all long waits of
 * that stage that were measured are due to one cause, the others are counted as due to it too, and
 * the finding says how much was counted so.
 */
#include "explain/attribution.h"

#include "base/util.h"

#define LONG_NS ZH_NSEC_PER_MSEC
#define MEASURED_MIN 5
#define SHARE_MIN 0.8
#define CAUSES_MAX 8

struct tally {
	const struct zh_cause *cause[CAUSES_MAX];
	uint64_t ns[CAUSES_MAX];
	size_t n_causes;
	uint64_t total_ns, pieces;
};

static void count(struct tally *t, const struct zh_piece *piece)
{
	size_t i;

	t->total_ns += piece->excess_ns;
	t->pieces++;
	if (!piece->cause)
		return;
	for (i = 0; i < t->n_causes && t->cause[i] != piece->cause; i++)
		;
	if (i == CAUSES_MAX)
		return;
	t->n_causes = ZH_MAX(t->n_causes, i + 1);
	t->cause[i] = piece->cause;
	t->ns[i] += piece->claimed_ns;
}

static const struct zh_cause *dominant(const struct tally *t)
{
	size_t i;

	for (i = 0; i < t->n_causes; i++)
		if (t->pieces >= MEASURED_MIN &&
			(double)t->ns[i] >= SHARE_MIN * (double)t->total_ns)
			return t->cause[i];
	return NULL;
}

static bool is_measured(const struct zh_piece *piece)
{
	return piece->flags & ZH_PIECE_MEASURED;
}

static void visit(
	struct zh_attribution *a, struct zh_timeline *tl, struct tally *tallies, bool claiming)
{
	size_t i, k;

	for (i = 0; i < tl->n_segments; i++) {
		struct tally *t = &tallies[tl->segments[i].stage];
		const struct zh_segment *seg = &tl->segments[i];

		for (k = seg->first_piece; k < seg->first_piece + seg->n_pieces; k++) {
			struct zh_piece *piece = &tl->pieces[k];

			if (piece->excess_ns < LONG_NS)
				continue;
			if (!claiming && is_measured(piece))
				count(t, piece);
			if (!claiming || is_measured(piece) || piece->cause || !dominant(t))
				continue;
			piece->cause = dominant(t);
			piece->claimed_ns = piece->excess_ns;
			tl->unexplained_ns -= piece->excess_ns;
			a->unexplained_ns -= piece->excess_ns;
		}
	}
}

void zh_claim_by_analogy(struct zh_attribution *a)
{
	struct tally tallies[ZH_STAGE_MAX] = {0};
	size_t i;

	for (i = 0; i < a->n_slow; i++)
		visit(a, &a->slow[i], tallies, false);
	for (i = 0; i < a->n_slow; i++)
		visit(a, &a->slow[i], tallies, true);
}
