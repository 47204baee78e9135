/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The first pass over all samples: how long each stage took, and what is normal.
 */
#pragma once

#include "explain/attribution.h"

/* One sample's sums: `own` by stage and leg is what baselines are made of, `all` by stage. */
struct zh_stage_sums {
	uint64_t own[ZH_STAGE_MAX][2];
	uint64_t all[ZH_STAGE_MAX];
	bool valid; /* answered, in a phase that is explained */
};

/* Sums of every sample of the record; NULL when out of memory. The caller frees. */
struct zh_stage_sums *zh_stage_sums_new(struct zh_explain *ex, struct zh_attribution *a);

/* Phase kinds, medians, baselines and thresholds. False when out of memory. */
bool zh_baselines_find(
	struct zh_explain *ex, struct zh_attribution *a, const struct zh_stage_sums *sums);
