/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * How devices of a namespace receive: steering (RPS), generic receive offload, threaded NAPI; and
 * the limits of the CPUs' receive work, which are the machine's. A namespace is always given by its
 * fd: nothing here changes devices of the caller's own by mistake.
 *
 * All functions return 0 or a negative errno with err set.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "base/units.h"

/* Receive packet steering of the device's first queue; an empty set: off. */
int zh_nettune_rps(
	int netns_fd, const char *device, const struct zh_cpuset *cpus, struct zh_err *err);
/* The same to one CPU; -1: off. */
int zh_nettune_rps_cpu(int netns_fd, const char *device, int cpu, struct zh_err *err);

/* A veth has NAPI while its generic receive offload is on (or an XDP program is loaded). */
int zh_nettune_gro(int netns_fd, const char *device, bool on, struct zh_err *err);
/* Segmentation offload of TCP. A veth whose offload is on sends past its peer's NAPI what is not
 * TCP: into a CPU's backlog. */
int zh_nettune_tso(int netns_fd, const char *device, bool on, struct zh_err *err);
/* NAPI in kernel threads. -ENOENT: this kernel has none (before 5.12). */
int zh_nettune_threaded(int netns_fd, const char *device, bool on, struct zh_err *err);

/*
 * Values of the machine, which only the first network namespace shows; asked for there when the
 * caller's has none. -ENOENT: not visible from here.
 */
enum zh_nettune_global {
	ZH_NETTUNE_BACKLOG, /* net.core.netdev_max_backlog: packets that wait for a CPU */
	ZH_NETTUNE_BUDGET,  /* net.core.netdev_budget: packets that one run of NET_RX takes */
	ZH_NETTUNE_GLOBALS,
};
/* As sysctl writes it; static. */
const char *zh_nettune_global_name(enum zh_nettune_global which);
int zh_nettune_global(enum zh_nettune_global which, uint64_t *ret, struct zh_err *err);
int zh_nettune_global_set(enum zh_nettune_global which, uint64_t value, struct zh_err *err);
