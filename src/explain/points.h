/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The stamps of one sample, from user space and kernel, in one order.
 *
 * Stamps come from several CPUs and from user space, so small inversions occur: a softirq stamp may
 * predate netif_rx, and the local sched_wakeup often fires after the remote CPU already runs the
 * receiver. They are sorted by time, known inversions of neighbours are swapped and the later one
 * clamped; what lies outside its own leg is clamped to it or, if far off, left out. The first is
 * always SEND at send_ns, the last RECV at recv_ns.
 */
#pragma once

#include "explain/timeline.h"

#define ZH_POINTS_MAX 96

struct zh_one_point {
	uint64_t ns;
	uint32_t arg;
	uint16_t cpu;
	uint8_t point, leg;
};

struct zh_points {
	struct zh_one_point p[ZH_POINTS_MAX];
	size_t n;
	bool incomplete;
	uint64_t from_ns[2], to_ns[2]; /* of each leg */
	const struct zh_phase *phase;
};

/* Fills `ps` from an answered sample; ps->phase must be set. */
void zh_points_find(
	struct zh_points *ps, const struct zh_record *record, const struct zh_sample *sample);
