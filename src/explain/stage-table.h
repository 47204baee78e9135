/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The table of stages: what each took in all samples, and in the slow ones.
 */
#pragma once

#include "explain/baseline.h"

/* Fills out->stages in the order of the packet's way; sets ex->failed when out of memory. */
void zh_stage_table(
	struct zh_explain *ex, const struct zh_attribution *a, const struct zh_stage_sums *sums);
