/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Where an ordinary round trip of each phase goes: sums over the middle half of its samples by RTT,
 * so that neither a few slow ones nor a few lucky ones decide, and the parts still add up.
 */
#pragma once

#include "explain/baseline.h"

struct zh_phase_stages {
	uint64_t samples, rtt_ns; /* of the middle half: how many, and their sum */
	uint64_t stage_ns[ZH_STAGE_MAX];
};

/* Fills out->phase_stages, one a phase; sets ex->failed when out of memory. */
void zh_phase_stages(struct zh_explain *ex, const struct zh_stage_sums *sums);
