/* SPDX-License-Identifier: BSD-2-Clause */
#include "trace/window.h"

#include <string.h>

/*
 * Hooks interrupt each other, so that neighbours in a ring may be out of order by as many places
 * as interrupts nest. Only after this many older events in a row the window has surely ended.
 */
#define NESTING 16
/* How far before the window the state of a CPU is looked for, in events. */
#define LOOK_BACK 4096
/* The oldest events of a full ring are left alone: they are about to be overwritten. */
#define GUARD 64

#define NOWHERE UINT64_MAX

static const struct zh_event *place(
	const struct zh_window_rings *rings, uint32_t cpu, uint64_t index)
{
	return &rings->events[(size_t)cpu * rings->ring_events +
			      (index & (rings->ring_events - 1))];
}

static uint64_t head_of(const struct zh_window_rings *rings, uint32_t cpu)
{
	return __atomic_load_n(&rings->cpus[cpu].head, __ATOMIC_ACQUIRE);
}

/* Copies an event; false when it is being written, or was overwritten meanwhile. */
static bool copy(
	const struct zh_window_rings *rings, uint32_t cpu, uint64_t index, struct zh_event *ret)
{
	const struct zh_event *event = place(rings, cpu, index);
	uint64_t ns = __atomic_load_n(&event->ns, __ATOMIC_ACQUIRE);

	if (ns == 0)
		return false;
	memcpy(ret, event, sizeof(*ret));
	ret->ns = ns;
	__atomic_thread_fence(__ATOMIC_ACQUIRE);
	return __atomic_load_n(&event->ns, __ATOMIC_RELAXED) == ns &&
	       head_of(rings, cpu) - index <= rings->ring_events;
}

static bool is_idle(const struct zh_event *event)
{
	return event->type == ZH_EVENT_IDLE_IN || event->type == ZH_EVENT_IDLE_OUT;
}

/* Remembers the latest SWITCH and the latest IDLE before the window. Latest by time: a place that
 * was reserved but not yet written still shows an event from a whole turn of the ring ago. */
static void note_state(struct zh_window_cursor *cursor, const struct zh_event *event,
	uint64_t index, uint64_t ns, uint64_t latest[2])
{
	if (event->type == ZH_EVENT_SWITCH && ns > latest[0]) {
		latest[0] = ns;
		cursor->switch_index = index;
	} else if (is_idle(event) && ns > latest[1]) {
		latest[1] = ns;
		cursor->idle_index = index;
	}
}

/*
 * Walks back from the newest event and finds the part of the ring that lies in the window, and the
 * state before it. False when the ring does not reach back to the window's start.
 */
static bool find(const struct zh_window_rings *rings, uint32_t cpu, uint64_t from_ns,
	uint64_t to_ns, struct zh_window_cursor *cursor)
{
	uint64_t head = head_of(rings, cpu), i, ns, older = 0, latest[2] = {0, 0};
	uint64_t held = rings->ring_events - GUARD;
	uint64_t oldest = head > held ? head - held : 0;

	*cursor = (struct zh_window_cursor){.switch_index = NOWHERE, .idle_index = NOWHERE};
	for (i = head; i-- > oldest;) {
		const struct zh_event *event = place(rings, cpu, i);

		ns = __atomic_load_n(&event->ns, __ATOMIC_ACQUIRE);
		if (ns == 0 || ns > to_ns)
			continue;
		if (ns >= from_ns) {
			cursor->first = cursor->next = i;
			cursor->end = cursor->end ? cursor->end : i + 1;
			continue;
		}
		note_state(cursor, event, i, ns, latest);
		older++;
		if ((older >= NESTING && latest[0] && latest[1]) || older >= LOOK_BACK)
			break;
	}
	return older || oldest == 0;
}

/* Moves to the next event of the window that can be read. */
static void advance(const struct zh_window_rings *rings, uint32_t cpu, uint64_t from_ns,
	uint64_t to_ns, struct zh_window_cursor *cursor)
{
	cursor->valid = false;
	while (!cursor->valid && cursor->next < cursor->end)
		cursor->valid = copy(rings, cpu, cursor->next++, &cursor->event) &&
				cursor->event.ns >= from_ns && cursor->event.ns <= to_ns;
}

static bool append(struct zh_record *record, struct zh_sample *sample, const struct zh_event *event)
{
	if (record->n_events == record->max_events) {
		sample->flags |= ZH_SAMPLE_INCOMPLETE;
		return false;
	}
	record->events[record->n_events++] = *event;
	sample->n_events++;
	return true;
}

static void append_state(const struct zh_window_rings *rings, uint32_t cpu,
	struct zh_record *record, struct zh_sample *sample)
{
	const struct zh_window_cursor *cursor = &rings->cursors[cpu];
	struct zh_event event;

	if (cursor->switch_index != NOWHERE && copy(rings, cpu, cursor->switch_index, &event))
		append(record, sample, &event);
	if (cursor->idle_index != NOWHERE && copy(rings, cpu, cursor->idle_index, &event))
		append(record, sample, &event);
}

/* Nearly sorted already, hence insertion; stable. */
static void sort(struct zh_event *events, size_t n)
{
	size_t i, j;

	for (i = 1; i < n; i++) {
		struct zh_event event = events[i];

		for (j = i; j > 0 && events[j - 1].ns > event.ns; j--)
			events[j] = events[j - 1];
		if (j != i)
			events[j] = event;
	}
}

/* The CPU whose next event is the earliest; NULL when all are done. */
static struct zh_window_cursor *earliest(const struct zh_window_rings *rings, uint32_t *ret_cpu)
{
	struct zh_window_cursor *best = NULL;
	uint32_t cpu;

	for (cpu = 0; cpu < rings->n_cpus; cpu++) {
		struct zh_window_cursor *cursor = &rings->cursors[cpu];

		if (!cursor->valid || (best && best->event.ns <= cursor->event.ns))
			continue;
		best = cursor;
		*ret_cpu = cpu;
	}
	return best;
}

void zh_window_read(const struct zh_window_rings *rings, struct zh_record *record,
	struct zh_sample *sample, uint64_t from_ns, uint64_t to_ns)
{
	struct zh_window_cursor *cursor;
	uint32_t cpu;

	sample->events = (uint32_t)record->n_events;
	sample->n_events = 0;
	for (cpu = 0; cpu < rings->n_cpus; cpu++) {
		cursor = &rings->cursors[cpu];
		if (!find(rings, cpu, from_ns, to_ns, cursor))
			sample->flags |= ZH_SAMPLE_OVERRUN;
		append_state(rings, cpu, record, sample);
		advance(rings, cpu, from_ns, to_ns, cursor);
	}
	while ((cursor = earliest(rings, &cpu)) && append(record, sample, &cursor->event))
		advance(rings, cpu, from_ns, to_ns, cursor);
	for (cpu = 0; cpu < rings->n_cpus; cpu++) {
		cursor = &rings->cursors[cpu];
		if (cursor->end && head_of(rings, cpu) - cursor->first > rings->ring_events)
			sample->flags |= ZH_SAMPLE_OVERRUN;
	}
	sort(&record->events[sample->events], sample->n_events);
}
