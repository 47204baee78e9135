/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Losses without an event: which counter moved over the run.
 */
#pragma once

#include "explain/loss.h"

/* Sets cause, arg and detail of the loss by the counter or setting that speaks most clearly; false
 * when none does. */
bool zh_loss_by_counter(
	const struct zh_explain *ex, const struct zh_phase *phase, struct zh_loss *loss);
