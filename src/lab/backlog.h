/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The limit of the CPUs' backlogs for the length of a step: the one setting of the machine that a
 * scenario changes, since no namespace has one of its own. A guard process puts it back when the
 * lab ends or dies; what it was is noted in /run/zerohop before, so that zh_lab_gc() can when both
 * were killed at once. A value that somebody else set meanwhile stays.
 */
#pragma once

#include <stdint.h>

#include "base/err.h"
#include "lab/guard.h"
#include "lab/state.h"

struct lab_backlog {
	struct lab_guard guard;
	struct lab_state state;
	uint64_t before, now;
};

/* 0; -EBUSY: another lab changes it; -ENOENT, -EACCES, -EROFS: cannot be changed from here. */
int lab_backlog_set(struct lab_backlog *backlog, uint64_t packets, struct zh_err *err);
/* Does nothing when it was not set. */
void lab_backlog_restore(struct lab_backlog *backlog);
/* What dead owners left; returns how many. */
unsigned int lab_backlog_gc(void);
