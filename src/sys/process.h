/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Child processes that cannot outlive their maker.
 *
 * A child gets SIGKILL when the thread that forked it dies (PR_SET_PDEATHSIG), so fork from a
 * thread that lives as long as the child shall: normally the main one.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/err.h"

/* Forks a child that runs f(arg) and ends with the low 8 bits of what f returned. Buffered output
 * of the parent is not written twice. 0 or a negative errno. */
int zh_process_fork(int (*f)(void *arg), void *arg, pid_t *ret, struct zh_err *err);

/* Sends a signal to one process; 0 or a negative errno. pid <= 0 is refused (-EINVAL). */
int zh_process_signal(pid_t pid, int signal);

/* Waits until a child ended, at most timeout_ns (0: only looks). 0 and the wait status, or
 * -ETIMEDOUT, -ECHILD. */
int zh_process_wait(pid_t pid, uint64_t timeout_ns, int *ret_status);

/* SIGKILL and wait; does nothing for pid <= 0. Returns 0, for `pid = zh_process_end(pid)`. */
pid_t zh_process_end(pid_t pid);

/* Start time in clock ticks since boot: with the pid it names a process for good.
 * -ESRCH when there is none (zombies count as gone). */
int zh_process_start_ticks(pid_t pid, uint64_t *ret);

/* What the scheduler counts for a thread: time on the CPU, time waiting for it, turns. 0 or a
 * negative errno. */
struct zh_schedstat {
	uint64_t run_ns, wait_ns, turns;
};
int zh_process_schedstat(pid_t tid, struct zh_schedstat *ret);

/* Calls f for the ksoftirqd of each CPU that is visible here. */
void zh_process_each_ksoftirqd(void (*f)(void *arg, unsigned int cpu, pid_t tid), void *arg);
/* True for the name of a ksoftirqd ("ksoftirqd/3"), and then whose it is. */
bool zh_process_is_ksoftirqd(const char *comm, unsigned int *ret_cpu);

/*
 * Runs a program (looked up in PATH) inside a network namespace (-1: the current one) with `input`
 * on its standard input; its standard output is discarded. -ENOENT when it is not installed;
 * -EIO when it ended with another status than 0, with its first line of standard error in err.
 */
int zh_process_run(const char *const *argv, int netns_fd, const char *input, size_t input_len,
	struct zh_err *err);
