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

struct net_device {
	int ifindex;
} ZH_KERNEL;

struct sk_buff {
	struct net_device *dev;
	unsigned int len;
	__be16 protocol;
	uint16_t network_header;
	unsigned char *head, *data;
} ZH_KERNEL;

struct nf_hook_state {
	uint8_t hook;
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

#define PF_KTHREAD 0x00200000
#define MAX_RT_PRIO 100

/* The CPU a task is on, or was last on. */
static __always_inline uint32_t task_cpu(const struct task_struct *task)
{
	const struct task_struct___cpu *old = (const void *)task;

	if (bpf_core_field_exists(task->thread_info.cpu))
		return GET(task, thread_info.cpu);
	if (bpf_core_field_exists(old->cpu))
		return GET(old, cpu);
	return ZH_NONE;
}

/* The state bits, where sched_switch does not hand them over (before 5.18). */
static __always_inline uint32_t task_state(const struct task_struct *task)
{
	const struct task_struct___state *old = (const void *)task;

	if (bpf_core_field_exists(task->__state))
		return GET(task, __state);
	if (bpf_core_field_exists(old->state))
		return (uint32_t)GET(old, state);
	return 0;
}

/*
 * True when a task that is being switched out is parked because its group used up its quota.
 * Before 6.18 a whole group is throttled: then throttle_count says it. From 6.18 on that count is
 * also set while a task over quota still runs, and the task's own flag tells it is parked.
 */
static __always_inline bool task_throttled(const struct task_struct *task)
{
	const struct task_struct___throttled *new = (const void *)task;

	if (bpf_core_field_exists(new->throttled))
		return GET(new, throttled);
	if (bpf_core_field_exists(struct sched_entity, cfs_rq) &&
		bpf_core_field_exists(struct cfs_rq, throttle_count))
		return GET(task, se.cfs_rq, throttle_count) > 0;
	return false;
}

/*
 * The second argument of the system call that the current task is in: the message of send() and
 * sendto(). NULL where it cannot be told: the helper came with 5.15.
 */
static __always_inline const void *syscall_message(void)
{
	const struct pt_regs___arm64 *arm64;
	const struct pt_regs *regs;

	if (!bpf_core_enum_value_exists(enum bpf_func_id___regs, BPF_FUNC_task_pt_regs___regs))
		return NULL;
	regs = (const void *)bpf_task_pt_regs(bpf_get_current_task_btf());
	arm64 = (const void *)regs;
	if (bpf_core_field_exists(regs->si))
		return (const void *)GET(regs, si);
	if (bpf_core_field_exists(arm64->regs))
		return (const void *)GET(arm64, regs[1]);
	return NULL;
}
