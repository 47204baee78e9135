/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What makes a topology's host slow: firewall rules that every forwarded packet passes, and receive
 * work that is steered to few CPUs, as a device with a single queue does.
 */
#pragma once

#include "base/err.h"
#include "base/units.h"
#include "lab/lab.h"
#include "lab/topologies/build.h"

/* `n` nft rules one after the other that never match, in the forward chain of a table of the
 * namespace's own. 0: none. -ENOENT: nft is not installed. */
int lab_add_rules(int netns_fd, unsigned int n, struct zh_err *err);

/* The next of the host's devices that a pod is behind, from `device` on; NULL: no more. */
const struct lab_device *lab_next_host_device(const struct lab_device *device);

/* Steers what those devices receive; an empty set: not at all. `name` is the lab's, or NULL. */
int lab_steer(const struct lab_plan *plan, const char *name, int host_netns_fd,
	const struct zh_cpuset *cpus, struct zh_err *err);
