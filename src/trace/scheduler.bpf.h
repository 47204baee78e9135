/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Tier 1, scheduler: who runs and who is woken. The same hooks stamp the wake-up and the run of the
 * two probe threads.
 */
#pragma once

#include "trace/slots.bpf.h"
#include "trace/task.bpf.h"

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
