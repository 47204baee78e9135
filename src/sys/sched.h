/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Scheduling of the calling thread: CPU affinity, policy, timer slack, locked memory.
 * What is called zh_sched_ concerns the calling thread only, but for zh_sched_lock_memory().
 */
#pragma once

#include <stdint.h>
#include <sys/types.h>

#include "base/err.h"
#include "base/units.h"

/* The thread's id, as the kernel's tracepoints show it. */
uint32_t zh_sched_tid(void);

/* Pins to one CPU. 0 or a negative errno (-EINVAL: offline, or not in the cpuset). */
int zh_sched_pin(int cpu, struct zh_err *err);
int zh_sched_get_affinity(struct zh_cpuset *ret, struct zh_err *err);
int zh_sched_set_affinity(const struct zh_cpuset *set, struct zh_err *err);

/* Those of any thread, which this may not be permitted to change. 0 or a negative errno (-EROFS
 * below a captured root). */
int zh_affinity_get(pid_t tid, struct zh_cpuset *ret);
int zh_affinity_set(pid_t tid, const struct zh_cpuset *set);

/* A policy (SCHED_OTHER, SCHED_IDLE, SCHED_FIFO, ...) with its real-time priority (0 otherwise). */
int zh_sched_set_policy(int policy, int priority, struct zh_err *err);

/* Sets how far the kernel may delay this thread's timers, in ns (at least 1). Returns the slack
 * that was set before, for putting it back; real-time threads have none anyway. */
uint64_t zh_sched_set_timer_slack(uint64_t ns);

/* Keeps all pages that the process has now in memory. 0 or a negative errno; not being allowed to
 * is common without privileges and never fatal. */
int zh_sched_lock_memory(void);
void zh_sched_unlock_memory(void);
/* Touches the next 64 KiB of this thread's stack, so that no page fault comes later. */
void zh_sched_prefault_stack(void);
