/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Reading the event rings while they are being written. Pure: works on any memory of that shape.
 */
#pragma once

#include "trace/shared.h"

/* Where the reader stands in one CPU's ring; indices count events since the start. */
struct zh_window_cursor {
	uint64_t first;     /* of the window */
	uint64_t next, end; /* events of the window not yet copied; end 0: there are none */
	uint64_t switch_index, idle_index; /* state before the window; UINT64_MAX: not found */
	struct zh_event event;             /* the one at `next` - 1, if `valid` */
	bool valid;
};

struct zh_window_rings {
	const struct zh_event *events;    /* n_cpus * ring_events */
	const struct zh_trace_cpu *cpus;  /* n_cpus */
	struct zh_window_cursor *cursors; /* n_cpus, scratch */
	uint32_t n_cpus, ring_events;
};

/* See zh_trace_window(). */
void zh_window_read(const struct zh_window_rings *rings, struct zh_record *record,
	struct zh_sample *sample, uint64_t from_ns, uint64_t to_ns);
