/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Which nanoseconds of which samples need an explanation, and who claims them.
 *
 * Baseline: for each kind of phase (same transport, target and gap), stage and leg, the median over
 * the samples of the time spent on the sample's OWN work; never more than zh_stage_cap_ns(), so
 * that a fault in every sample is not taken for normal. Time of anything else (interrupts, other
 * tasks, throttling, a silent host) has the baseline 0. Idle exit and wake-up issue are compared
 * with the fastest kind of phase to the same target.
 *
 * Excess: of a piece of own work its part of what its stage took above the baseline, of any other
 * piece its whole length. A sample's excess is the sum over its pieces, so every ns of it belongs
 * to one piece, and each piece to one cause or to nobody (unexplained).
 *
 * Worth explaining: RTT above the spike threshold, or excess above half of the RTT and above
 * ZH_EXCESS_MIN_NS. Lateness before the send is handled alike, with its own threshold; its excess
 * counts for findings but is no part of any RTT.
 */
#pragma once

#include "explain/activity.h"
#include "explain/internal.h"
#include "explain/loss.h"

#define ZH_EXCESS_MIN_NS 30000ull
/* At most this many samples get a timeline of their own: those with the largest excess. */
#define ZH_EXPLAINED_MAX 4096

struct zh_attribution {
	struct zh_ticks ticks;
	bool softirqs_recorded;   /* SOFTIRQ events are among the events */
	struct zh_timeline *slow; /* explained samples, largest excess first */
	size_t n_slow;
	struct zh_timeline *late; /* lateness of samples, largest excess first */
	size_t n_late;
	uint64_t excess_ns, unexplained_ns; /* of slow and late */
	struct zh_losses losses;
	uint64_t n_samples;  /* answered samples outside the clean room */
	uint64_t *median_ns; /* [phase kind][stage][leg]: uncapped median of own work */
	uint64_t *base_ns;   /* the same, as used */
	uint32_t *kind;      /* [phase]: index of the first phase of its kind */
	uint64_t *rtt_threshold_ns, *late_threshold_ns; /* [phase kind] */
};

/* Fills ex->attribution, out->spikes' threshold and count, out->stages. Sets ex->failed when out of
 * memory. */
void zh_attribute(struct zh_explain *ex);
struct zh_attribution *zh_attribution_free(struct zh_attribution *attribution);

static inline size_t zh_baseline_index(uint32_t kind, unsigned int stage, unsigned int leg)
{
	return ((size_t)kind * ZH_STAGE_MAX + stage) * 2 + leg;
}

/* Pieces whose time is measured against a baseline; all others count in full. */
bool zh_piece_is_base(const struct zh_segment *segment, const struct zh_piece *piece);

/* Gives each piece with excess to a cause (claim-table.c). */
void zh_claim_pieces(const struct zh_explain *ex, struct zh_timeline *tl);

/* Long waits without events, where measured ones of the same stage agree (analogy.c). */
void zh_claim_by_analogy(struct zh_attribution *a);
