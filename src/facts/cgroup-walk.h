/* SPDX-License-Identifier: BSD-2-Clause */
/* A bounded walk over a control group hierarchy, for the cgroups collector. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#define ZH_CGROUP_SEEN_MAX 400 /* groups looked at */
#define ZH_CGROUP_LISTED_MAX 64
#define ZH_CGROUP_DEPTH_MAX 12

/* Calls f for the groups below `mount` ("/a", "/a/b"; not for the root), parents first. False when
 * there were more than ZH_CGROUP_SEEN_MAX. */
bool zh_cgroup_walk(const char *mount, void (*f)(void *arg, const char *path), void *arg);

struct zh_cgroup_cpu {
	bool limited;       /* it has a CPU quota */
	uint64_t throttled; /* periods in which it was stopped */
};

/* Reads a group's quota and throttling, of either version; false when it has neither. */
bool zh_cgroup_read_cpu(struct zh_cgroup_cpu *ret, const char *mount, const char *path);
