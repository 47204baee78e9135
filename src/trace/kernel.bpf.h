/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The kernel's types as far as our BPF programs read them, and what differs between kernels.
 *
 * Only the names and types of members matter: their offsets are relocated when the object is
 * loaded, from the BTF of the running kernel. Names behind ___ are other shapes of the same type.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* Types and constants that bpf_helpers.h wants; the UAPI header would need the machine's own. */
typedef uint8_t __u8;
typedef uint16_t __u16;
typedef uint32_t __u32;
typedef uint64_t __u64;
typedef int32_t __s32;
typedef int64_t __s64;
typedef uint16_t __be16;
typedef uint32_t __be32;
typedef uint32_t __wsum;

#include <bpf/bpf_helpers.h>
#include <bpf/bpf_core_read.h>

enum { BPF_MAP_TYPE_ARRAY = 2, BPF_F_MMAPABLE = 1024 };

#define ZH_KERNEL __attribute__((preserve_access_index))

struct thread_info {
	uint32_t cpu;
} ZH_KERNEL;

struct cfs_rq {
	int throttle_count; /* CONFIG_CFS_BANDWIDTH */
} ZH_KERNEL;

struct sched_entity {
	struct cfs_rq *cfs_rq; /* CONFIG_FAIR_GROUP_SCHED */
} ZH_KERNEL;

struct task_struct {
	struct thread_info thread_info;
	unsigned int __state;
	unsigned int flags;
	int pid;
	int prio;
	struct sched_entity se;
	char comm[16];
} ZH_KERNEL;

struct task_struct___cpu { /* x86 before 5.16 (commit bcf9033e5449, v5.16) */
	unsigned int cpu;
} ZH_KERNEL;

struct task_struct___state { /* before 5.14 (commit 2f064a59a11f) */
	long state;
} ZH_KERNEL;

struct task_struct___throttled { /* since 6.18: tasks are throttled, not groups */
	bool throttled;
} ZH_KERNEL;

struct pt_regs { /* x86 */
	unsigned long si;
} ZH_KERNEL;

struct pt_regs___arm64 {
	uint64_t regs[31];
} ZH_KERNEL;

enum bpf_func_id___regs { BPF_FUNC_task_pt_regs___regs = 175 };

struct irqaction {
	const char *name;
} ZH_KERNEL;

struct ns_common {
	unsigned int inum;
} ZH_KERNEL;

struct net {
	struct ns_common ns;
} ZH_KERNEL;

struct net_reference { /* possible_net_t: the names of nested types do not matter */
	struct net *net; /* CONFIG_NET_NS */
} ZH_KERNEL;

struct net_device {
	int ifindex;
	struct net_reference nd_net;
} ZH_KERNEL;

struct dst_entry {
	struct net_device *dev;
} ZH_KERNEL;

struct sock_common {
	struct net_reference skc_net;
} ZH_KERNEL;

struct sock {
	struct sock_common __sk_common;
} ZH_KERNEL;

struct sk_buff {
	struct net_device *dev;
	struct sock *sk;
	unsigned long _skb_refdst;
	unsigned int len, data_len;
	__be16 protocol;
	uint16_t network_header;
	unsigned char *head, *data;
} ZH_KERNEL;

struct nf_hook_state {
	uint8_t hook;
	struct net_device *in, *out;
	struct net *net;
} ZH_KERNEL;

/* Contexts: their layout is what the verifier rewrites, hence without relocation. */
struct bpf_nf_ctx {
	const struct nf_hook_state *state;
	struct sk_buff *skb;
};

struct __sk_buff {
	uint32_t len;
};

/*
 * GET(pointer, member, ...) reads pointer->member->...: directly where the verifier knows the
 * pointer's type (tp_btf), through a helper where it does not (raw_tp).
 */
#ifdef ZH_TRACE_COMPAT
#define GET(p, ...) BPF_CORE_READ(p, __VA_ARGS__)
#else
#define ZH_GET1(p, a) ((p)->a)
#define ZH_GET2(p, a, b) ((p)->a->b)
#define ZH_GET3(p, a, b, c) ((p)->a->b->c)
#define ZH_GET_PICK(a, b, c, name, ...) name
#define GET(p, ...) ZH_GET_PICK(__VA_ARGS__, ZH_GET3, ZH_GET2, ZH_GET1, )(p, __VA_ARGS__)
#endif
