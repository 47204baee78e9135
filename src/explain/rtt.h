/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * RTT figures of a record: over all main phases, for each phase, by the kernel's stamps; spikes.
 */
#pragma once

#include "explain/internal.h"

/* Fills ex->main_phase and out->rtt, phase_rtt, kernel_rtt. */
void zh_explain_rtts(struct zh_explain *ex);

/* The figures of n round trips, which are sorted in place. */
void zh_rtt_sum_up(uint64_t *values_ns, size_t n, uint64_t lost, struct zh_rtt *ret);
