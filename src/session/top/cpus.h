/* SPDX-License-Identifier: BSD-2-Clause */
/* The part of top that is about CPUs: their totals, interrupts and idle states. */
#pragma once

#include "session/top/top.h"

#define TOP_CPUS 1024

struct top_cpu_totals {
	uint64_t rx, dropped, squeezed, rps, backlog; /* softnet */
	uint64_t user, system, idle, irq, softirq, steal;
	uint64_t ksoftirqd_run, ksoftirqd_wait; /* ns */
	bool has_softnet, has_backlog, has_time, has_ksoftirqd;
};

/* Interrupts of all CPUs: a row each, a column a CPU. */
struct top_interrupts {
	char (*names)[ZH_TOP_NAME]; /* owned */
	uint64_t *counts;           /* [n * n_cpus], owned */
	size_t n, n_cpus;
	unsigned int cpus[TOP_CPUS]; /* which CPU a column is */
};

#define TOP_IDLE_STATES 10

struct top_idle {
	char names[TOP_IDLE_STATES][ZH_TOP_NAME];
	uint64_t (*time)[TOP_IDLE_STATES]; /* [TOP_CPUS], us; owned; NULL: no idle driver */
	size_t n;
};

/* cpus.c, interrupts.c, idle.c: fill reading->cpus. */
int top_cpus_open(struct zh_top *top, struct zh_err *err);
int top_cpus_read(struct zh_top *top, uint64_t interval_ns, struct zh_err *err);
void top_interrupts_read(struct zh_top *top, uint64_t interval_ns);
void top_interrupts_done(struct top_interrupts *interrupts);
void top_idle_open(struct top_idle *idle);
void top_idle_read(struct zh_top *top);
/* The row of a CPU, NULL: none. */
struct zh_top_cpu *top_cpu(struct zh_top_reading *reading, unsigned int cpu);
