/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Does a change of the machine matter? The verdict on a randomised, interleaved experiment.
 *
 * The unit is a quad: four blocks of measurements in the order A B B A or B A A B, drawn by a coin.
 * A drift that is linear in time cancels within a quad, and the coin makes the test exact: if A and
 * B are the same, each quad's difference is as likely to have the other sign, whatever the
 * distribution, the drift or the dependence inside a quad. A quad gives each figure (p50, p99, lost
 * share ...) one difference, B minus A, of logarithms where a ratio is meant.
 *
 * Per figure: Hodges and Lehmann's estimate (the median of all Walsh averages; a stall of the host
 * in a few quads does not move it), its bootstrap interval over quads, expanded for few of them
 * (Hesterberg 2015, "What teachers should know about the bootstrap", section 4), and Wilcoxon's
 * signed-rank test by flipping the signs of quads. Of the figures that decide, signs are flipped
 * together and the largest standardised statistic counts (Westfall and Young 1993, max-T): the
 * chance that any of them is called different when nothing is, is the stated one.
 *
 * The experiment may end early: it is looked at after zh_trial_look() quads, each look spends a
 * part of the error rate, and all parts sum to it (a union bound), so looking often costs nothing
 * in honesty.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "stats/compare.h"

#define ZH_TRIAL_FIGURES 6
#define ZH_TRIAL_QUADS 64
#define ZH_TRIAL_ALPHA 0.05 /* of a wrong "helps" or "harms", over all looks */
#define ZH_TRIAL_CONFIDENCE 0.95

struct zh_trial_figure {
	const char *name;
	bool is_ratio;       /* differences are of natural logarithms */
	bool decides;        /* else it is only shown */
	bool more_is_better; /* throughput */
	/* Smaller effects do not matter: a share of the ratio (0.03), or a difference. */
	double margin;
};

/* A quad's differences, of each figure; NAN: it has none there. */
struct zh_trial_quad {
	double difference[ZH_TRIAL_FIGURES]; /* B minus A, mean of two each */
	double noise[ZH_TRIAL_FIGURES];      /* between its two blocks of A */
};

enum zh_trial_verdict {
	ZH_TRIAL_INCONCLUSIVE,
	ZH_TRIAL_HELPS,
	ZH_TRIAL_HARMS,
	ZH_TRIAL_NO_EFFECT, /* every deciding figure's interval lies within its margin */
	ZH_TRIAL_MIXED,     /* one figure better, another one worse */
};

struct zh_trial_effect {
	size_t n;                    /* quads that have this figure */
	struct zh_interval interval; /* a ratio B / A, or a difference */
	double p_value;              /* of the deciding figures: of all of them together */
	/* 95 % of pairs of equal blocks differ by less: a ratio's excess above 1, or a difference.
	 */
	double noise_floor;
	int direction; /* 1 better, -1 worse, 0 neither: significant at this look, and it matters */
	bool is_equal; /* the interval lies within the margin */
};

struct zh_trial_result {
	enum zh_trial_verdict verdict;
	struct zh_trial_effect effect[ZH_TRIAL_FIGURES];
	bool is_final;           /* no need for more quads: decided, or the last look */
	unsigned int more_quads; /* inconclusive: about so many more would decide; 0: unknown */
};

/* Number of quads of the k-th look (from 0); 0: there is none. */
size_t zh_trial_look(unsigned int k);
/* The part of ZH_TRIAL_ALPHA that the k-th look may spend. */
double zh_trial_spend(unsigned int k);

/*
 * Judges n quads (at most ZH_TRIAL_QUADS) at look k. With fewer quads than the first look asks for
 * the verdict is inconclusive. Everything random has a fixed seed. False when out of memory.
 */
bool zh_trial_judge(const struct zh_trial_figure *figures, size_t n_figures,
	const struct zh_trial_quad *quads, size_t n, unsigned int k, struct zh_trial_result *ret);

const char *zh_trial_verdict_name(enum zh_trial_verdict verdict);
