/* SPDX-License-Identifier: BSD-2-Clause */
/* Between the files of this module. */
#pragma once

#include "knobs/engine.h"

/*
 * Writes undo-ID.sh beside the journal: a shell script that puts back what the plan's changes say
 * may be set. For people without this program at hand; on the disk when it returns.
 */
int knobs_script_write(
	struct zh_journal *journal, int64_t tx, const struct zh_plan *plan, struct zh_err *err);
void knobs_script_remove(struct zh_journal *journal, int64_t tx);

/* Arms what undoes the transaction at its deadline, outside this process. Sets tx->guard. */
int knobs_watchdog_arm(struct zh_journal *journal, struct zh_tx *tx, const struct zh_apply *apply,
	struct zh_err *err);
void knobs_watchdog_disarm(const struct zh_tx *tx);
