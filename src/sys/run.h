/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Running a helper program (`nft -j list ruleset`) or a function in a child process, bounded in
 * time and in output. The child is in the caller's namespaces and is gone when the call returns.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

/* The path of a program in the usual system directories. 0 or -ENOENT. */
int zh_sys_find_program(char *path, size_t size, const char *name);

/*
 * Runs argv[0], looked for in the usual system directories and not in $PATH, without a shell. What
 * it prints on standard output (at most max_bytes) becomes *ret, NUL-terminated and owned by the
 * caller; *ret is untouched on failure.
 * 0, or: -ENOENT not installed, -ETIMEDOUT killed after timeout_ns, -EFBIG too much output, -EIO
 * it ended with another status than 0 (its first line of standard error is in err), another errno.
 */
int zh_sys_run(const char *const *argv, uint64_t timeout_ns, size_t max_bytes, char **ret,
	struct zh_err *err);

/* The same for a function that writes into `fd`, in a forked child. It must not use locks that
 * another thread may hold. */
int zh_sys_run_child(void (*f)(int fd, void *arg), void *arg, uint64_t timeout_ns, size_t max_bytes,
	char **ret, struct zh_err *err);
