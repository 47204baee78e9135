/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Events of the flight recorder: what the scheduler, interrupts, softirqs and idle did on a CPU.
 * Times are ns on CLOCK_MONOTONIC.
 */
#pragma once

#include <stdint.h>

#define ZH_COMM_LEN 16

/* Scheduler, interrupt and idle events around a kept sample: 40 bytes. */
enum zh_event_type {
	ZH_EVENT_NONE,
	ZH_EVENT_SWITCH, /* pid = next, arg = prev pid, arg2 = prev state | flags, comm = next */
	ZH_EVENT_WAKING, /* pid = woken, arg = target CPU, arg2 = waker pid */
	ZH_EVENT_WAKEUP, /* pid = woken, arg = target CPU */
	ZH_EVENT_IRQ_IN, /* arg = irq number, comm = action name (first 15 characters) */
	ZH_EVENT_IRQ_OUT,
	ZH_EVENT_VECTOR_IN, /* arg = enum zh_vector */
	ZH_EVENT_VECTOR_OUT,
	ZH_EVENT_SOFTIRQ_RAISE, /* arg = softirq vector number (3 = NET_RX) */
	ZH_EVENT_SOFTIRQ_IN,
	ZH_EVENT_SOFTIRQ_OUT,
	ZH_EVENT_NMI,     /* arg = duration in ns, at its end */
	ZH_EVENT_IDLE_IN, /* arg = state index */
	ZH_EVENT_IDLE_OUT,
	ZH_EVENT_IPI_SEND,   /* arg = target CPU */
	ZH_EVENT_NAPI_POLL,  /* arg = work, arg2 = budget */
	ZH_EVENT_RECLAIM_IN, /* direct reclaim or compaction begins; pid */
	ZH_EVENT_RECLAIM_OUT,
	ZH_EVENT_FAULT,   /* page fault of a probe thread; pid */
	ZH_EVENT_MIGRATE, /* pid, arg = new CPU */
	ZH_EVENT_TIMER,   /* the prober's wake-up timer fired; arg = lateness in ns */
	ZH_EVENT_DROP,    /* a foreign packet was dropped; arg = reason */
	ZH_EVENT_MAX
};

enum zh_vector { /* x86 names; only those that exist on the machine occur */
	ZH_VECTOR_TIMER,
	ZH_VECTOR_RESCHEDULE,
	ZH_VECTOR_CALL_FUNCTION,
	ZH_VECTOR_IRQ_WORK,
	ZH_VECTOR_PLATFORM_IPI,
	ZH_VECTOR_THERMAL,
	ZH_VECTOR_OTHER,
	ZH_VECTOR_MAX
};

/* arg2 of ZH_EVENT_SWITCH: low 16 bits the task state of prev, then these. */
enum zh_switch_flag {
	ZH_SWITCH_PREV_THROTTLED =
		1 << 16,             /* prev's CFS group is over its quota and prev is parked */
	ZH_SWITCH_NEXT_RT = 1 << 17, /* next is SCHED_FIFO / RR / DEADLINE */
	ZH_SWITCH_NEXT_KTHREAD = 1 << 18,
};

struct zh_event {
	uint64_t ns;
	uint32_t pid, arg, arg2;
	uint16_t cpu;
	uint8_t type; /* enum zh_event_type */
	uint8_t flags;
	char comm[ZH_COMM_LEN];
};
