/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A process whose only work is to undo something: when its maker says so, and when its maker dies,
 * of whatever. It stands in a session of its own and takes no signal but SIGKILL, so that neither
 * Ctrl-C nor the end of a terminal reaches it; it holds none of its maker's files.
 */
#pragma once

#include <sys/types.h>

#include "base/err.h"

struct lab_guard {
	pid_t pid; /* 0: none */
};

/* From now on undo(arg) will be run once, in the guard; `arg` is what it is now. Call it from a
 * thread that lives as long as the program (the main one), and before what it shall undo. */
int lab_guard_start(
	void (*undo)(const void *arg), const void *arg, struct lab_guard *ret, struct zh_err *err);
/* Undone when it returns; does nothing without a guard. 0, or -ETIMEDOUT, -ECHILD (it was killed).
 */
int lab_guard_end(struct lab_guard *guard);
