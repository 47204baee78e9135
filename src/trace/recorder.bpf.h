/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Tier 1: scheduler, interrupts, idle, IPIs, memory reclaim. The scheduler's hooks also stamp the
 * wake-up and the run of the two probe threads.
 */
#pragma once

#include "trace/slots.bpf.h"

static __always_inline uint32_t current_tid(void)
{
	return (uint32_t)bpf_get_current_pid_tgid();
}

/*
 * What became of the task that is switched out. A preempted task may carry a sleeping state that it
 * has not acted on yet: it stays runnable, which is state 0.
 */
static __always_inline uint32_t prev_state(uint64_t *ctx, const struct task_struct *prev)
{
	uint32_t state;

	if (ctx[0])
		state = 0;
	else if (zh_settings.has_prev_state)
		state = ctx[3];
	else
		state = task_state(prev);
	state &= 0xffff;
	if (!state && task_throttled(prev))
		state |= ZH_SWITCH_PREV_THROTTLED;
	return state;
}

HOOK(sched_switch)
{
	const struct task_struct *prev = (const void *)ctx[1], *next = (const void *)ctx[2];
	uint32_t pid = GET(next, pid), arg2 = prev_state(ctx, prev), prev_pid = GET(prev, pid);
	uint64_t ns = bpf_ktime_get_ns();
	struct zh_event *event = event_begin(hook, ZH_EVENT_SWITCH);
	int role = thread_role(pid);

	if (!event)
		return;
	if (GET(next, prio) < MAX_RT_PRIO)
		arg2 |= ZH_SWITCH_NEXT_RT;
	if (GET(next, flags) & PF_KTHREAD)
		arg2 |= ZH_SWITCH_NEXT_KTHREAD;
	event->pid = pid;
	event->arg = prev_pid;
	event->arg2 = arg2;
	bpf_probe_read_kernel(event->comm, sizeof(event->comm), next->comm);
	event_end(event, ns);
	if (role >= 0)
		thread_runs(hook, ns, role, prev_pid);
}

/*
 * A Unix stream has neither a device nor a socket filter. But there the sender itself wakes the
 * receiver, inside its send(), and the message is still in its hands. (A receiver also wakes the
 * sender, when it frees buffer space inside its recv(): the leg in its buffer tells that apart.)
 */
static __always_inline void expect_from_sender(enum zh_trace_role role, int waker_role)
{
	const void *message;
	struct zh_wire wire;

	if (zh_control.transport != ZH_TRANSPORT_UNIX_STREAM || waker_role != !role)
		return;
	message = syscall_message();
	if (message && !bpf_probe_read_user(&wire, sizeof(wire), message) && is_ours(&wire) &&
		wire.leg == leg_of(role))
		thread_expects(role, wire.seq);
}

HOOK(sched_waking)
{
	const struct task_struct *task = (const void *)ctx[0];
	uint32_t pid = GET(task, pid), cpu = task_cpu(task), waker = current_tid();
	int role = thread_role(pid);

	event_put(hook, ZH_EVENT_WAKING, pid, cpu, waker);
	if (role < 0)
		return;
	expect_from_sender(role, thread_role(waker));
	thread_stamp(hook, bpf_ktime_get_ns(), role, ZH_POINT_WAKING, cpu);
}

HOOK(sched_wakeup)
{
	const struct task_struct *task = (const void *)ctx[0];
	uint32_t pid = GET(task, pid), cpu = task_cpu(task);
	int role = thread_role(pid);

	event_put(hook, ZH_EVENT_WAKEUP, pid, cpu, 0);
	if (role >= 0)
		thread_stamp(hook, bpf_ktime_get_ns(), role, ZH_POINT_WAKEUP, cpu);
}

HOOK(sched_migrate_task)
{
	uint32_t pid = GET((const struct task_struct *)ctx[0], pid);

	if (thread_role(pid) >= 0)
		event_put(hook, ZH_EVENT_MIGRATE, pid, ctx[1], 0);
}

HOOK(irq_handler_entry)
{
	const struct irqaction *action = (const void *)ctx[1];
	uint64_t ns = bpf_ktime_get_ns();
	struct zh_event *event = event_begin(hook, ZH_EVENT_IRQ_IN);

	if (!event)
		return;
	event->pid = 0;
	event->arg = ctx[0];
	event->arg2 = 0;
	if (bpf_probe_read_kernel_str(event->comm, sizeof(event->comm), GET(action, name)) < 0)
		event->comm[0] = '\0';
	event_end(event, ns);
}

HOOK(irq_handler_exit)
{
	event_put(hook, ZH_EVENT_IRQ_OUT, 0, ctx[0], 0);
}

#define VECTOR(name, vector)                                                                       \
	HOOK(name##_entry)                                                                         \
	{                                                                                          \
		event_put(hook, ZH_EVENT_VECTOR_IN, 0, vector, 0);                                 \
	}                                                                                          \
	HOOK(name##_exit)                                                                          \
	{                                                                                          \
		event_put(hook, ZH_EVENT_VECTOR_OUT, 0, vector, 0);                                \
	}

VECTOR(local_timer, ZH_VECTOR_TIMER)
VECTOR(reschedule, ZH_VECTOR_RESCHEDULE)
VECTOR(call_function, ZH_VECTOR_CALL_FUNCTION)
VECTOR(call_function_single, ZH_VECTOR_CALL_FUNCTION)
VECTOR(irq_work, ZH_VECTOR_IRQ_WORK)
VECTOR(x86_platform_ipi, ZH_VECTOR_PLATFORM_IPI)
VECTOR(thermal_apic, ZH_VECTOR_THERMAL)

HOOK(nmi_handler)
{
	event_put(hook, ZH_EVENT_NMI, 0, ctx[1], 0);
}

HOOK(cpu_idle)
{
	uint32_t state = ctx[0];

	if (state == UINT32_MAX)
		event_put(hook, ZH_EVENT_IDLE_OUT, 0, 0, 0);
	else
		event_put(hook, ZH_EVENT_IDLE_IN, 0, state, 0);
}

HOOK(ipi_send_cpu)
{
	event_put(hook, ZH_EVENT_IPI_SEND, 0, ctx[0], 0);
}

#define RECLAIM(name)                                                                              \
	HOOK(name##_begin)                                                                         \
	{                                                                                          \
		event_put(hook, ZH_EVENT_RECLAIM_IN, current_tid(), 0, 0);                         \
	}                                                                                          \
	HOOK(name##_end)                                                                           \
	{                                                                                          \
		event_put(hook, ZH_EVENT_RECLAIM_OUT, current_tid(), 0, 0);                        \
	}

RECLAIM(mm_vmscan_direct_reclaim)
RECLAIM(mm_vmscan_memcg_reclaim)
RECLAIM(mm_compaction)

static __always_inline void fault(struct hook *hook)
{
	uint32_t tid = current_tid();

	if (thread_role(tid) >= 0)
		event_put(hook, ZH_EVENT_FAULT, tid, 0, 0);
}

HOOK(page_fault_user)
{
	fault(hook);
}

HOOK(page_fault_kernel)
{
	fault(hook);
}

HOOK(softirq_raise)
{
	event_put(hook, ZH_EVENT_SOFTIRQ_RAISE, 0, ctx[0], 0);
}

HOOK(softirq_entry)
{
	event_put(hook, ZH_EVENT_SOFTIRQ_IN, 0, ctx[0], 0);
}

HOOK(softirq_exit)
{
	event_put(hook, ZH_EVENT_SOFTIRQ_OUT, 0, ctx[0], 0);
}

HOOK(napi_poll)
{
	event_put(hook, ZH_EVENT_NAPI_POLL, 0, ctx[1], ctx[2]);
}
