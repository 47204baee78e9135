/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What we ask of a task, whatever the kernel's version.
 */
#pragma once

#include "trace/kernel.bpf.h"

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
