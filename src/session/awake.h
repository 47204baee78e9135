/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Keeps CPUs awake: one spinning thread of policy SCHED_IDLE on each CPU this process may use. Any
 * other task preempts it at once, but the CPU never enters an idle state meanwhile. It needs no
 * privilege and changes no setting; it ends with the process.
 */
#pragma once

#include "base/err.h"

struct awake;

/* Starts the spinners and waits until each runs. The caller stops them. 0 or a negative errno. */
int awake_start(struct awake **ret, struct zh_err *err);
struct awake *awake_stop(struct awake *awake);
