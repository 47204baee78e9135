/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Files of the kernel below a root that can be redirected: with ZH_SYSROOT=DIR in the environment
 * every path below is looked up in DIR, so that captured trees of other machines can be read.
 * Paths are absolute ("/proc/stat"), made by a printf format.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The redirected root without a trailing slash, "" for the real one. */
const char *zh_sys_root(void);
/* True when ZH_SYSROOT stands in for the machine: netlink and system calls must then not be asked.
 */
bool zh_sys_is_captured(void);

/* Reads a whole file of at most size-1 bytes into buf, NUL-terminated, trailing newline cut.
 * Returns the length or a negative errno (-EFBIG when it does not fit). */
int zh_sys_read(char *buf, size_t size, const char *path, ...)
	__attribute__((format(printf, 3, 4)));
/* Reads a whole file of any size (up to 64 MiB); *ret is owned by the caller. Length or negative.
 */
int64_t zh_sys_slurp(char **ret, const char *path, ...) __attribute__((format(printf, 2, 3)));
/* Reads a file that holds one unsigned number (decimal or 0x...). 0 or a negative errno. */
int zh_sys_read_u64(uint64_t *ret, const char *path, ...) __attribute__((format(printf, 2, 3)));
/* Writes text into an existing file. 0 or a negative errno; refused (-EROFS) below a captured root.
 */
int zh_sys_write(const char *text, const char *path, ...) __attribute__((format(printf, 2, 3)));
/* Whether this process may write the file: neither its permissions nor a read-only mount forbid. */
bool zh_sys_may_write(const char *path, ...) __attribute__((format(printf, 1, 2)));
bool zh_sys_exists(const char *path, ...) __attribute__((format(printf, 1, 2)));
/* Calls f for each entry of a directory but "." and "..", in sorted order, until f returns nonzero,
 * which is then returned. 0 or a negative errno otherwise. */
int zh_sys_list(int (*f)(void *arg, const char *name), void *arg, const char *path, ...)
	__attribute__((format(printf, 3, 4)));
/* Reads a symbolic link's target. Length or a negative errno. */
int zh_sys_readlink(char *buf, size_t size, const char *path, ...)
	__attribute__((format(printf, 3, 4)));
