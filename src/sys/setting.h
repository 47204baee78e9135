/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Reading and writing one setting of the kernel: a file below /proc or /sys, an offload feature.
 * Written in one piece, never through a symbolic link, and only where the kernel's own file systems
 * are mounted.
 *
 * netns_fd is the namespace that /proc/sys/net and /sys/class/net shall show; -1: the caller's.
 * All return 0 or a negative errno; no sentence is made here.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "base/units.h"

/* The text without its last newline; buf is a string on success. */
int zh_setting_read(int netns_fd, const char *path, char *buf, size_t size);
/* -EROFS below a captured root; -EXDEV: the path is not on proc, sysfs or cgroup2. */
int zh_setting_write(int netns_fd, const char *path, const char *text);

/* By ethtool's name, "rx-gro". -EOPNOTSUPP: the device has no such feature; -EBUSY: it cannot be
 * changed there (fixed, or held by another one). */
int zh_feature_get(int netns_fd, const char *device, const char *feature, bool *ret);
int zh_feature_set(int netns_fd, const char *device, const char *feature, bool on);

/* What /dev/cpu_dma_latency says now, in us: the least of all holders. */
int zh_dma_latency_get(long long *ret_us);
/* Asks for it as long as the returned fd is open. */
int zh_dma_latency_hold(long long us);
