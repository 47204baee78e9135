/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Maps, the control block, and the event rings.
 *
 * Hooks interrupt each other, so an event reserves its place by an atomic add. Its time is cleared
 * first and written last: a reader that meets a record that is being written sees time 0, or a time
 * that differs before and after its copy, and skips it.
 */
#pragma once

#include "trace/shared.h"

#include "trace/kernel.bpf.h"

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, 1); /* set at load: CPUs */
	__type(key, uint32_t);
	__type(value, struct zh_trace_cpu);
} zh_cpus SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, 1); /* set at load: CPUs * events a ring */
	__type(key, uint32_t);
	__type(value, struct zh_event);
} zh_rings SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, ZH_TRACE_SLOTS);
	__type(key, uint32_t);
	__type(value, struct zh_trace_slot);
} zh_slots SEC(".maps");

struct zh_trace_control zh_control;
const volatile struct zh_trace_settings zh_settings = {};

#define barrier() asm volatile("" ::: "memory")

/*
 * Adds to a counter of this CPU and returns the old value. Fetching atomics need 5.12; the compat
 * object does without, and then a hook that interrupts another one between the load and the store
 * may have its event overwritten (uncounted).
 */
#ifdef ZH_TRACE_COMPAT
static __always_inline uint64_t fetch_add(uint64_t *p, uint64_t n)
{
	uint64_t old = *(volatile uint64_t *)p;

	*(volatile uint64_t *)p = old + n;
	return old;
}
#else
#define fetch_add(p, n) __sync_fetch_and_add(p, n)
#endif

/* What every hook has at hand: where it runs, and this CPU's counters. */
struct hook {
	struct zh_trace_cpu *counters;
	uint32_t cpu;
};

/* False when the hook has nothing to do: tracing is off, or the CPU is not one of ours. */
static __always_inline bool hook_begin(struct hook *hook, enum zh_hook id)
{
	if (!*(volatile uint32_t *)&zh_control.armed)
		return false;
	hook->cpu = bpf_get_smp_processor_id();
	hook->counters = bpf_map_lookup_elem(&zh_cpus, &hook->cpu);
	if (!hook->counters)
		return false;
	hook->counters->runs[id]++;
	return true;
}

/* Reserves the next place of this CPU's ring; NULL never happens, but the verifier must be told. */
static __always_inline struct zh_event *event_begin(struct hook *hook, enum zh_event_type type)
{
	uint32_t n = zh_settings.ring_events, key;
	struct zh_event *event;

	key = hook->cpu * n + (fetch_add(&hook->counters->head, 1) & (n - 1));
	event = bpf_map_lookup_elem(&zh_rings, &key);
	if (!event)
		return NULL;
	*(volatile uint64_t *)&event->ns = 0;
	barrier();
	event->cpu = hook->cpu;
	event->type = type;
	event->flags = 0;
	return event;
}

static __always_inline void event_end(struct zh_event *event, uint64_t ns)
{
	barrier();
	*(volatile uint64_t *)&event->ns = ns;
}

/* An event that is nothing but numbers. */
static __always_inline void event_put(
	struct hook *hook, enum zh_event_type type, uint32_t pid, uint32_t arg, uint32_t arg2)
{
	uint64_t ns = bpf_ktime_get_ns();
	struct zh_event *event = event_begin(hook, type);

	if (!event)
		return;
	event->pid = pid;
	event->arg = arg;
	event->arg2 = arg2;
	*(uint64_t *)event->comm = 0;
	*(uint64_t *)(event->comm + 8) = 0;
	event_end(event, ns);
}

/*
 * HOOK(name) { body } defines the program for the tracepoint `name`. The body has `ctx`, the
 * tracepoint's arguments as 64-bit words, and `hook`; it runs only while tracing is armed.
 */
#ifdef ZH_TRACE_COMPAT
#define ZH_SEC "raw_tp/"
#else
#define ZH_SEC "tp_btf/"
#endif

#define HOOK(name)                                                                                 \
	static __always_inline void on_##name(uint64_t *ctx, struct hook *hook);                   \
	SEC(ZH_SEC #name) int zh_##name(uint64_t *ctx)                                             \
	{                                                                                          \
		struct hook hook;                                                                  \
                                                                                                   \
		if (hook_begin(&hook, ZH_HOOK_##name))                                             \
			on_##name(ctx, &hook);                                                     \
		return 0;                                                                          \
	}                                                                                          \
	static __always_inline void on_##name(uint64_t *ctx, struct hook *hook)
