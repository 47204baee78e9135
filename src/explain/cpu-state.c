/* SPDX-License-Identifier: BSD-2-Clause */
#include "explain/cpu-state.h"

#include <string.h>

#include "base/util.h"

static void set_task(
	struct zh_cpu_state *state, uint32_t pid, const char comm[ZH_COMM_LEN], uint32_t flags)
{
	state->task_known = true;
	state->pid = pid;
	state->idle = pid == 0;
	state->task_flags = (flags & ZH_SWITCH_NEXT_RT ? ZH_PIECE_RT : 0) |
			    (flags & ZH_SWITCH_NEXT_KTHREAD ? ZH_PIECE_KTHREAD : 0);
	memcpy(state->comm, comm, ZH_COMM_LEN);
	state->irqs = state->vectors = 0;
	state->in_softirq = false;
	state->reclaim_pid = 0;
}

static const char nobody[ZH_COMM_LEN];

/* The last switch to `pid` that the events hold: its name and class. */
static const struct zh_event *switch_to(struct zh_events events, uint32_t pid)
{
	size_t i;

	for (i = 0; i < events.n; i++)
		if (events.e[i].type == ZH_EVENT_SWITCH && events.e[i].pid == pid)
			return &events.e[i];
	return NULL;
}

const char *zh_events_comm(struct zh_events events, uint32_t pid)
{
	const struct zh_event *e = switch_to(events, pid);

	return e ? e->comm : "";
}

/* What the first event of a kind says about the time before it. */
static void init_from(struct zh_cpu_state *state, struct zh_events events, const struct zh_event *e,
	uint32_t *seen)
{
	const struct zh_event *other;
	unsigned int kind = e->type;

	if (kind == ZH_EVENT_IRQ_OUT || kind == ZH_EVENT_VECTOR_OUT ||
		kind == ZH_EVENT_SOFTIRQ_OUT || kind == ZH_EVENT_IDLE_OUT ||
		kind == ZH_EVENT_RECLAIM_OUT)
		kind--; /* each end stands right behind its begin in the enumeration */
	if (*seen & 1u << kind)
		return;
	*seen |= 1u << kind;
	switch (e->type) {
	case ZH_EVENT_SWITCH:
		other = switch_to(events, e->arg);
		set_task(state, e->arg, other ? other->comm : nobody, other ? other->arg2 : 0);
		break;
	case ZH_EVENT_IRQ_OUT:
		state->irqs = 1;
		state->irq = e->arg;
		break;
	case ZH_EVENT_VECTOR_OUT:
		state->vectors = 1;
		state->vector = e->arg;
		break;
	case ZH_EVENT_SOFTIRQ_OUT:
		state->in_softirq = true;
		state->softirq = e->arg;
		break;
	case ZH_EVENT_IDLE_IN:
	case ZH_EVENT_IDLE_OUT:
		if (!state->task_known)
			set_task(state, 0, nobody, 0);
		state->idle = e->type == ZH_EVENT_IDLE_OUT;
		break;
	case ZH_EVENT_RECLAIM_OUT:
		state->reclaim_pid = e->pid;
		break;
	default:
		break;
	}
}

void zh_cpu_state_init(struct zh_cpu_state *state, struct zh_events events, uint16_t cpu)
{
	uint32_t seen = 0;
	size_t i;

	*state = (struct zh_cpu_state){.cpu = cpu};
	/* A switch resets the rest, so it must be looked at first. */
	for (i = 0; i < events.n; i++) {
		if (events.e[i].cpu == cpu && events.e[i].type == ZH_EVENT_SWITCH) {
			init_from(state, events, &events.e[i], &seen);
			break;
		}
	}
	for (i = 0; i < events.n; i++)
		if (events.e[i].cpu == cpu)
			init_from(state, events, &events.e[i], &seen);
}

void zh_cpu_state_prove(struct zh_cpu_state *state, struct zh_events events, uint32_t pid)
{
	const struct zh_event *e;

	if (state->task_known && state->pid == pid)
		return;
	e = switch_to(events, pid);
	set_task(state, pid, e ? e->comm : nobody, e ? e->arg2 : 0);
}

static void enter(uint8_t *depth)
{
	if (*depth < UINT8_MAX)
		(*depth)++;
}

static void leave(uint8_t *depth)
{
	if (*depth > 0)
		(*depth)--;
}

void zh_cpu_state_apply(struct zh_cpu_state *state, const struct zh_event *e)
{
	switch ((enum zh_event_type)e->type) {
	case ZH_EVENT_SWITCH:
		set_task(state, e->pid, e->comm, e->arg2);
		break;
	case ZH_EVENT_IRQ_IN:
		enter(&state->irqs);
		state->irq = e->arg;
		memcpy(state->irq_name, e->comm, ZH_COMM_LEN);
		break;
	case ZH_EVENT_IRQ_OUT:
		leave(&state->irqs);
		break;
	case ZH_EVENT_VECTOR_IN:
		enter(&state->vectors);
		state->vector = e->arg;
		break;
	case ZH_EVENT_VECTOR_OUT:
		leave(&state->vectors);
		break;
	case ZH_EVENT_SOFTIRQ_IN:
		state->in_softirq = true;
		state->softirq = e->arg;
		state->softirq_since_ns = e->ns;
		break;
	case ZH_EVENT_SOFTIRQ_OUT:
		state->in_softirq = false;
		break;
	case ZH_EVENT_IDLE_IN:
		state->idle = true;
		break;
	case ZH_EVENT_IDLE_OUT:
		state->idle = false;
		break;
	case ZH_EVENT_RECLAIM_IN:
		state->reclaim_pid = e->pid;
		break;
	case ZH_EVENT_RECLAIM_OUT:
		state->reclaim_pid = 0;
		break;
	case ZH_EVENT_NAPI_POLL:
		state->budget_used = e->arg2 && e->arg >= e->arg2;
		break;
	default:
		break;
	}
}

void zh_thread_state_init(struct zh_thread_state *state, struct zh_events events, uint32_t pid)
{
	size_t i;

	*state = (struct zh_thread_state){.pid = pid};
	for (i = 0; i < events.n && pid; i++) {
		const struct zh_event *e = &events.e[i];

		if (e->type == ZH_EVENT_SWITCH && e->arg == pid)
			state->status = ZH_THREAD_RUNNING;
		else if (e->type == ZH_EVENT_SWITCH && e->pid == pid)
			state->status = ZH_THREAD_WAITING;
		else if ((e->type == ZH_EVENT_WAKING || e->type == ZH_EVENT_WAKEUP) &&
			 e->pid == pid)
			state->status = ZH_THREAD_SLEEPING;
		if (state->status != ZH_THREAD_UNKNOWN)
			return;
	}
}

/* Bounds of the search in earlier samples' events. */
#define LOOK_BACK_EVENTS 50000
#define LOOK_BACK_NS ZH_NSEC_PER_SEC

static bool is_about(const struct zh_event *e, uint32_t pid)
{
	if (e->type == ZH_EVENT_SWITCH)
		return e->pid == pid || e->arg == pid;
	return (e->type == ZH_EVENT_WAKING || e->type == ZH_EVENT_WAKEUP) && e->pid == pid;
}

void zh_thread_look_back(struct zh_thread_state *state, const struct zh_record *record,
	const struct zh_sample *sample, uint64_t ns)
{
	struct zh_events own = zh_events_of(record, sample);
	size_t i, scanned, first = ZH_MIN((size_t)sample->events, record->n_events);
	const struct zh_event *latest = NULL;

	for (i = 0; i < own.n && own.e[i].ns <= ns; i++)
		if (is_about(&own.e[i], state->pid))
			return;
	for (i = first, scanned = 0; i-- > 0 && scanned < LOOK_BACK_EVENTS; scanned++) {
		const struct zh_event *e = &record->events[i];

		if (e->ns > ns || e->ns + LOOK_BACK_NS < ns || !is_about(e, state->pid))
			continue;
		if (!latest || e->ns > latest->ns)
			latest = e;
	}
	if (!latest || latest->type != ZH_EVENT_SWITCH || latest->pid == state->pid)
		return;
	if (state->status == ZH_THREAD_WAITING && latest->arg2 & ZH_SWITCH_PREV_THROTTLED)
		state->status = ZH_THREAD_THROTTLED;
	if (state->status == ZH_THREAD_SLEEPING)
		state->task_state = latest->arg2 & 0xffff;
}

void zh_thread_state_apply(struct zh_thread_state *state, const struct zh_event *e)
{
	if (!state->pid)
		return;
	if (e->type == ZH_EVENT_SWITCH && e->pid == state->pid) {
		state->status = ZH_THREAD_RUNNING;
	} else if (e->type == ZH_EVENT_SWITCH && e->arg == state->pid) {
		state->task_state = e->arg2 & 0xffff;
		if (e->arg2 & ZH_SWITCH_PREV_THROTTLED)
			state->status = ZH_THREAD_THROTTLED;
		else
			state->status = state->task_state ? ZH_THREAD_SLEEPING : ZH_THREAD_WAITING;
	} else if ((e->type == ZH_EVENT_WAKING || e->type == ZH_EVENT_WAKEUP) &&
		   e->pid == state->pid && state->status == ZH_THREAD_SLEEPING) {
		state->status = ZH_THREAD_WAITING;
	}
}
