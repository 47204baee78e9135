/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Tier 1, everything that takes a CPU away from a task, or wakes it from idle: interrupts, IPIs,
 * softirqs, idle, memory reclaim and page faults.
 */
#pragma once

#include "trace/slots.bpf.h"

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
