/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Network namespaces, as file descriptors. A thread is in one at a time; entering concerns the
 * calling thread only.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/err.h"

/* The calling thread's namespace. An fd, or a negative errno. */
int zh_netns_current(struct zh_err *err);
/* That of a process, or a named one (/run/netns/NAME or a path). */
int zh_netns_of_pid(pid_t pid, struct zh_err *err);
/* The first namespace of the machine, as far as it can be told from here: that of the first
 * process, or of kernel threads. An fd, or a negative errno. */
int zh_netns_first(struct zh_err *err);
int zh_netns_by_name(const char *name, struct zh_err *err);
/* Makes a new namespace without a name (lo down) and returns its fd; the caller stays where it is.
 * It lives as long as an fd or a thread refers to it, so it cannot be left behind. */
int zh_netns_new(struct zh_err *err);
/* Brings lo up in the namespace. 0 or a negative errno. */
int zh_netns_lo_up(int fd, struct zh_err *err);
/* Moves the calling thread. 0 or a negative errno. */
int zh_netns_enter(int fd, struct zh_err *err);
/* The inode number that identifies a namespace (/proc/self/ns/net). 0 or a negative errno. */
int zh_netns_inode(int fd, uint64_t *ret);
/* The same of a link that names it ("net:[4026531840]"), as /proc/PID/ns/net is; without opening
 * it. 0 or a negative errno (-EINVAL: it names none). */
int zh_netns_inode_at(uint64_t *ret, const char *path, ...) __attribute__((format(printf, 2, 3)));
/* Calls f for each namespace that is mounted on a path, as those with a name are, until f returns
 * nonzero, which is then returned; else 0. */
int zh_netns_mounts(int (*f)(void *arg, uint64_t inode, const char *path), void *arg);
bool zh_netns_is_current(int fd);
/* Runs f(arg) there: on this thread when it is there already (then without privileges), else as
 * zh_netns_call(). f must not change anything of its thread. */
int zh_netns_ask(int fd, int (*f)(void *arg), void *arg);
/* The number that the kernel never gives to another namespace before the next boot
 * (SO_NETNS_COOKIE, 5.14). 0 or a negative errno. */
int zh_netns_cookie(int fd, uint64_t *ret);
/* A new fd of the namespace with this cookie and inode, if it is the caller's or one that it has
 * open, has a name (is mounted) or has a process. -ENOENT: none of these. */
int zh_netns_find(uint64_t cookie, uint64_t inode);

/*
 * Makes /sys/class/net and /sys/devices/virtual/net show the namespace that the calling thread is
 * in, as they do not after it was entered: /sys shows the one that it was mounted from. The thread
 * gets a mount namespace of its own for that, which ends with it; the rest of /sys stays as it is.
 * 0 or a negative errno (-EPERM: needs CAP_SYS_ADMIN; -ENOSYS: kernel before 5.2).
 */
int zh_netns_show_devices(struct zh_err *err);
