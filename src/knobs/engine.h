/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Writing settings and taking them back. Nothing is written before the journal has it; what cannot
 * be finished is undone; what somebody else changed meanwhile is left alone.
 */
#pragma once

#include "knobs/journal.h"

struct zh_apply {
	const char *label;             /* "tune" */
	uint64_t confirm_ns;           /* undone after this time unless confirmed; 0: stays */
	const char *const *guard_argv; /* NULL: none. What runs at the deadline, the
					* transaction's id behind it; argv[0] is an absolute path */
	bool guard_caller;             /* run it when the caller dies, too */
};

struct zh_undo {
	size_t undone, already, gone, foreign, failed;
};

/*
 * Writes the plan's changes, in its order. *ret_tx is 0 when nothing differs. On failure all that
 * was written is undone and err says what failed. The plan's changes get phase and observed value.
 */
int zh_tune_apply(struct zh_journal *journal, struct zh_plan *plan, const struct zh_apply *apply,
	int64_t *ret_tx, struct zh_err *err);

/*
 * In reverse order; each value is put back only where it still is what was set, or with `force`.
 * *ret_plan (may be NULL) tells what happened to each change; to be ended by the caller.
 * 0; 1: something was left (ret->foreign, ret->failed); -EALREADY: it is undone, or void.
 */
int zh_tune_undo(struct zh_journal *journal, int64_t tx, bool force, struct zh_undo *ret,
	struct zh_plan *ret_plan, struct zh_err *err);

/* 0 stands for the newest one that waits. -ENOENT: none does; -ETIME: it was undone already. */
int zh_tune_confirm(struct zh_journal *journal, int64_t tx, int64_t *ret_tx, struct zh_err *err);

/* Undoes what was left unfinished, and what is past its deadline. Returns how many transactions, or
 * a negative errno. *ret_last is the last one. */
int zh_tune_recover(struct zh_journal *journal, int64_t *ret_last, struct zh_err *err);

/* At the deadline: undoes it if it is still unconfirmed, or its maker died. 0 also when there was
 * nothing to do. */
int zh_tune_expire(struct zh_journal *journal, int64_t tx, struct zh_err *err);

/* The newest transaction that still holds something. -ENOENT: none. */
int zh_tune_newest(struct zh_journal *journal, struct zh_tx *ret, struct zh_err *err);

/* For tests: dies here, by SIGKILL, when ZEROHOP_CRASH_AT is this point's name or running number.
 */
void zh_crash_point(const char *name);
