/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "session/trial.h"

#define TRIAL_BLOCKS (4 * ZH_TRIAL_QUADS)

struct trial {
	const struct zh_trial_config *config;
	struct zh_trial_block blocks[TRIAL_BLOCKS]; /* in order of time, four a quad */
	size_t n_blocks;
	struct zh_trial_quad quads[ZH_TRIAL_QUADS];
	uint64_t *scratch; /* room for all round trips */
	uint64_t threshold_ns;
	bool is_on; /* the change is made */
};

/* Fills t->quads from the blocks; room for all round trips is in t->scratch afterwards. */
int trial_make_quads(struct trial *t, struct zh_err *err);
/* After trial_make_quads(). */
void trial_sum_up_arm(struct trial *t, bool is_b, struct zh_trial_arm *ret);
