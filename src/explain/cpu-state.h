/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * State of one CPU and of one thread while events are replayed.
 *
 * Events before the first one in the window are unknown, so the state starts from what the first
 * event of each kind implies: an interrupt that ends was running, a task that is switched out had
 * the CPU. A switch of tasks cannot happen inside an interrupt: it heals a lost end.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "explain/activity.h"

struct zh_cpu_state {
	uint16_t cpu;
	bool task_known, idle;
	uint32_t pid;       /* current task, when known */
	uint8_t task_flags; /* enum zh_piece_flag */
	char comm[ZH_COMM_LEN];
	uint8_t irqs, vectors; /* nesting */
	uint32_t irq, vector;
	char irq_name[ZH_COMM_LEN];
	bool in_softirq;
	uint32_t softirq;
	uint64_t softirq_since_ns;
	uint32_t reclaim_pid;
	bool budget_used; /* a NAPI poll ended with work == budget */
};

void zh_cpu_state_init(struct zh_cpu_state *state, struct zh_events events, uint16_t cpu);
void zh_cpu_state_apply(struct zh_cpu_state *state, const struct zh_event *event);

/* A user stamp proves that `pid` has the CPU: heals a switch that was not recorded. */
void zh_cpu_state_prove(struct zh_cpu_state *state, struct zh_events events, uint32_t pid);

enum zh_thread_status {
	ZH_THREAD_UNKNOWN,
	ZH_THREAD_RUNNING,
	ZH_THREAD_WAITING, /* runnable */
	ZH_THREAD_THROTTLED,
	ZH_THREAD_SLEEPING,
};

struct zh_thread_state {
	uint32_t pid;
	uint32_t task_state; /* kernel's state bits while asleep */
	enum zh_thread_status status;
};

void zh_thread_state_init(struct zh_thread_state *state, struct zh_events events, uint32_t pid);
/*
 * When the sample's own events say nothing about the thread before `ns`, those kept for earlier
 * samples may, at most a second back: whether a thread that is runnable at `ns` was parked by its
 * quota, and in which state one slept. What the thread did between the windows is unknown, so they
 * never overrule what its next event implies.
 */
void zh_thread_look_back(struct zh_thread_state *state, const struct zh_record *record,
	const struct zh_sample *sample, uint64_t ns);
void zh_thread_state_apply(struct zh_thread_state *state, const struct zh_event *event);
