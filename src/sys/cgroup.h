/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * CPU control groups of our own, in whichever hierarchy has the cpu controller: v1 (cpu.cfs_*) or
 * v2 (cpu.max). A group is named zerohop.PID.STARTTIME.LABEL after the process that made it, so
 * that what a killed owner left behind is recognised and removed by zh_cgroup_gc().
 *
 * On v1 the group stands directly below the root and takes single threads. On v2 threads of one
 * process may only be split below a threaded domain; the group then takes whole processes.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/err.h"

struct zh_cgroup {
	char path[320];
	bool unified; /* v2 */
};

/* Makes an empty group without a limit. The caller removes it with zh_cgroup_remove(). Errors:
 * -ENOTSUP (no cpu controller mounted), -EACCES, -EROFS. */
int zh_cgroup_new(const char *label, struct zh_cgroup *ret, struct zh_err *err);
/* Moves what is still inside to the parent and removes the group. Waits up to 200 ms for dying
 * members. 0 or a negative errno. */
int zh_cgroup_remove(const struct zh_cgroup *group, struct zh_err *err);

/* At most quota_us of CPU time in each period_us; quota 0 lifts the limit. */
int zh_cgroup_set_quota(
	const struct zh_cgroup *group, uint64_t quota_us, uint64_t period_us, struct zh_err *err);

/* Single threads can be moved (v1), not only processes. */
bool zh_cgroup_takes_threads(const struct zh_cgroup *group);
int zh_cgroup_add_thread(const struct zh_cgroup *group, pid_t tid, struct zh_err *err);
int zh_cgroup_add_process(const struct zh_cgroup *group, pid_t pid, struct zh_err *err);

/* How many periods of the group ended throttled so far (cpu.stat). */
int zh_cgroup_throttled(const struct zh_cgroup *group, uint64_t *ret);

/* Removes the groups whose owner is dead. *ret_removed may be NULL. 0 or a negative errno of the
 * first group that resisted. */
int zh_cgroup_gc(unsigned int *ret_removed, struct zh_err *err);
