/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Stamps of our probes, and the link between a probe and the thread that waits for it.
 */
#pragma once

#include "trace/rings.bpf.h"

static __always_inline bool is_ours(const struct zh_wire *wire)
{
	return wire->magic == ZH_WIRE_MAGIC && wire->run == zh_control.run;
}

/* Makes `seq` the owner of its slot, or finds that it is; false for a probe older than the owner.
 * *ret_index is the place of the stamp. */
static __always_inline bool slot_take(struct zh_trace_slot *slot, uint32_t seq, uint64_t *ret_index)
{
	uint64_t old = *(volatile uint64_t *)&slot->owner, mine = (uint64_t)(seq + 1) << 32;

	if (old >> 32 < mine >> 32) {
#ifdef ZH_TRACE_COMPAT
		slot->owner = mine | 1;
		*ret_index = 0;
		return true;
#else
		if (__sync_val_compare_and_swap(&slot->owner, old, mine | 1) == old) {
			*ret_index = 0;
			return true;
		}
#endif
	}
	old = fetch_add(&slot->owner, 1);
	*ret_index = (uint32_t)old;
	return old >> 32 == mine >> 32;
}

static __always_inline void stamp(struct hook *hook, uint64_t ns, uint32_t seq, enum zh_point point,
	uint32_t leg, uint32_t arg)
{
	uint32_t key = seq & (ZH_TRACE_SLOTS - 1);
	struct zh_trace_slot *slot = bpf_map_lookup_elem(&zh_slots, &key);
	struct zh_stamp *s;
	uint64_t i;

	if (!slot || (slot->owner >> 32) > (uint64_t)seq + 1 || !slot_take(slot, seq, &i))
		return;
	/* The register that is compared must be the one that is used, or the verifier objects. */
	asm volatile("" : "+r"(i));
	if (i >= ZH_TRACE_STAMPS) {
		hook->counters->lost++;
		return;
	}
	s = &slot->stamps[i];
	*(volatile uint64_t *)&s->ns = 0;
	barrier();
	s->arg = arg;
	s->point = point;
	s->leg = leg;
	s->cpu = hook->cpu;
	barrier();
	*(volatile uint64_t *)&s->ns = ns;
}

/* A thread receives the leg that ends at it. */
static __always_inline uint32_t leg_of(enum zh_trace_role role)
{
	return role == ZH_TRACE_PROBER;
}

/* A probe was put into the socket of a thread: the thread's next wake-up and run are on its way. */
static __always_inline void thread_expects(enum zh_trace_role role, uint32_t seq)
{
	struct zh_trace_thread *thread = &zh_control.threads[role];

	if (!thread->pending || seq != thread->last + 1)
		thread->first = seq;
	thread->last = seq;
	thread->pending = 1;
}

/* Stamps the newest probe that the thread has not run for yet. */
static __always_inline void thread_stamp(
	struct hook *hook, uint64_t ns, enum zh_trace_role role, enum zh_point point, uint32_t arg)
{
	struct zh_trace_thread *thread = &zh_control.threads[role];

	if (thread->pending)
		stamp(hook, ns, thread->last, point, leg_of(role), arg);
}

/* The thread runs: this is the RUN stamp of every probe that waits for it. */
static __always_inline void thread_runs(
	struct hook *hook, uint64_t ns, enum zh_trace_role role, uint32_t prev_pid)
{
	struct zh_trace_thread *thread = &zh_control.threads[role];
	uint32_t seq, i;

	if (!thread->pending)
		return;
	seq = thread->last;
	for (i = 0; i < ZH_TRACE_BATCH; i++) {
		stamp(hook, ns, seq, ZH_POINT_RUN, leg_of(role), prev_pid);
		if (seq-- == thread->first)
			break;
	}
	thread->pending = 0;
}

static __always_inline uint32_t current_tid(void)
{
	return (uint32_t)bpf_get_current_pid_tgid();
}

/* The role of a thread, or -1. */
static __always_inline int thread_role(uint32_t tid)
{
	if (tid == 0)
		return -1;
	if (tid == zh_control.threads[ZH_TRACE_PROBER].tid)
		return ZH_TRACE_PROBER;
	if (tid == zh_control.threads[ZH_TRACE_RESPONDER].tid)
		return ZH_TRACE_RESPONDER;
	return -1;
}
