/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What had a CPU, replayed from the events around a sample.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "explain/timeline.h"

#define ZH_SOFTIRQ_NET_TX 2
#define ZH_SOFTIRQ_NET_RX 3

/* The events kept for a sample, sorted by time; n 0 when none. */
struct zh_events {
	const struct zh_event *e;
	size_t n;
};
struct zh_events zh_events_of(const struct zh_record *record, const struct zh_sample *sample);

/*
 * Until when `cpu` stayed idle in [from_ns, to_ns]: *ret is from_ns when it was not idle at
 * from_ns. False when the events do not tell.
 */
bool zh_activity_idle_until(const struct zh_record *record, const struct zh_sample *sample,
	uint16_t cpu, uint64_t from_ns, uint64_t to_ns, uint64_t *ret);

/* Whether `cpu` was in NET_RX softirq just before `ns`. False when the events do not tell. */
bool zh_activity_in_net_rx(const struct zh_record *record, const struct zh_sample *sample,
	uint16_t cpu, uint64_t ns, bool *ret);

/* The name of a task as the events know it; "" unknown. */
const char *zh_events_comm(struct zh_events events, uint32_t pid);

/* "NET_RX" of 3; NULL out of range. "timer" of ZH_VECTOR_TIMER. */
const char *zh_softirq_name(uint32_t vec);
const char *zh_vector_name(uint32_t vector);

/* The timer tick of this machine, as far as the record's events tell. */
struct zh_ticks {
	uint64_t period_ns, phase_ns;
	bool recorded;    /* timer interrupts are among the events, and no CPU stops its tick */
	bool phase_known; /* ticks come at phase_ns + k * period_ns */
};
struct zh_ticks zh_ticks_find(const struct zh_record *record);

/*
 * Stretches in which the whole machine stood still: no event on any CPU and no stamp of the probe
 * for at least ZH_STALL_MIN_NS while some CPU was busy and a timer tick that was due did not come
 * (or two whole periods passed). Returns how many were written to `ret`.
 */
#define ZH_STALL_MIN_NS 1000000ull
struct zh_stretch {
	uint64_t from_ns, to_ns;
	uint32_t arg;
	uint8_t activity;
};
size_t zh_stalls_find(const struct zh_record *record, const struct zh_ticks *ticks,
	const struct zh_timeline *tl, struct zh_stretch *ret, size_t max);
