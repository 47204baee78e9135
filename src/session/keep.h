/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Which samples are worth keeping with their events: the first few of each phase and one in many
 * (what is usual), and all that were slow, late or lost against the run so far.
 *
 * "Slow" is judged against the median of the last KEEP_WINDOW answered samples; explain decides
 * later, with the whole run at hand, what really was slow, so this may keep too many, not too few.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "record/record.h"

#define KEEP_WINDOW 64

struct keep {
	uint64_t recent_ns[KEEP_WINDOW]; /* RTTs of the last answered samples, a ring */
	uint32_t n;                      /* answered samples seen in this phase */
	uint32_t seen;                   /* samples seen in this phase */
	uint64_t median_ns;              /* 0: not known yet */
};

/* Starts a phase. */
void keep_start(struct keep *keep);
/* True when the sample's events should be kept; takes the sample into account. */
bool keep_sample(struct keep *keep, const struct zh_sample *sample);
