/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Settings of the machine, for the length of a step or a fault: the few that no namespace has of
 * its own. A guard process puts one back when the lab ends or dies; what it was is noted in
 * /run/zerohop before, so that zh_lab_gc() can when both were killed at once. A value that somebody
 * else set meanwhile stays.
 */
#pragma once

#include <stdint.h>

#include "base/err.h"
#include "lab/guard.h"
#include "lab/state.h"
#include "sys/net-tune.h"

struct lab_global {
	struct lab_guard guard;
	struct lab_state state;
	enum zh_nettune_global which;
	uint64_t before, now;
};

/* 0; -EBUSY: another lab changes it; -ENOENT, -EACCES, -EROFS: cannot be changed from here. */
int lab_global_set(struct lab_global *global, enum zh_nettune_global which, uint64_t value,
	struct zh_err *err);
/* Does nothing when it was not set. */
void lab_global_restore(struct lab_global *global);
/* What dead owners left; returns how many. */
unsigned int lab_global_gc(void);
