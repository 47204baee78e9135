/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What BPF programs and links the kernel holds, all of the host's. Needs CAP_SYS_ADMIN (or
 * CAP_BPF for parts of it); a refusal is an error with the reason.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

struct zh_bpf_prog {
	uint32_t id;
	const char *type; /* "sched_cls", "xdp", ...; static, "other" when unknown */
	char name[17];
	uint64_t run_time_ns, run_cnt; /* 0 unless kernel.bpf_stats_enabled */
};

struct zh_bpf_link {
	uint32_t id, prog_id;
	const char *type;   /* "tcx", "netfilter", "cgroup", ...; static */
	uint32_t ifindex;   /* of a device it sits on, else 0 */
	uint32_t attach;    /* attach type, where there is one, else 0 */
	uint64_t cgroup_id; /* of a cgroup it sits on, else 0 */
};

/* Calls f for at most `max` of them, in order of their numbers. *ret_more is 1 when there were
 * more. 0, or a negative errno. */
int zh_bpf_each_prog(size_t max, void (*f)(void *arg, const struct zh_bpf_prog *prog), void *arg,
	int *ret_more, struct zh_err *err);
int zh_bpf_each_link(size_t max, void (*f)(void *arg, const struct zh_bpf_link *link), void *arg,
	int *ret_more, struct zh_err *err);

/* How many programs act on a cgroup (inherited ones included) at one attach type, an enum
 * bpf_attach_type. A count or a negative errno. */
int zh_bpf_cgroup_count(const char *cgroup_path, int attach_type);

/* Where programs sit on a cgroup's sockets, with short names; ends with a NULL name. */
struct zh_bpf_attach {
	int type; /* enum bpf_attach_type */
	const char *name;
};
extern const struct zh_bpf_attach zh_bpf_cgroup_attaches[];
