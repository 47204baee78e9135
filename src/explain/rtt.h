/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * RTT figures of a record: over all main phases, for each phase, by the kernel's stamps; spikes.
 */
#pragma once

#include "explain/internal.h"

/* Fills ex->main_phase and out->rtt, phase_rtt, kernel_rtt. */
void zh_explain_rtts(struct zh_explain *ex);
