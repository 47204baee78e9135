/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A process that outlives its maker: in a session of its own, without its terminal, descriptors and
 * directory; a hangup does not end it, and the kernel does not choose it when memory is short.
 */
#pragma once

#include <sys/types.h>

#include "base/err.h"

/*
 * Runs f(arg, ready_fd) there and returns when f wrote a byte to ready_fd: whatever must have
 * happened before the caller goes on has happened then. 0; -ECHILD: it ended without.
 * keep_fd: stays open there, -1: none.
 */
int zh_detach(
	int (*f)(void *arg, int ready_fd), void *arg, int keep_fd, pid_t *ret, struct zh_err *err);

/* For a process that stays: a session of its own, no terminal, no descriptors but standard ones
 * (now /dev/null), `a` and `b` (-1: none), and / as its directory. */
void zh_detach_files(int a, int b);
