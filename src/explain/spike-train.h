/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Spikes of the main target's round trips, and whether they come at regular intervals.
 */
#pragma once

#include "explain/attribution.h"

/* Fills out->spikes; sets ex->failed when out of memory. */
void zh_spike_train(struct zh_explain *ex);
