/* SPDX-License-Identifier: BSD-2-Clause */
/* Single questions to a sample's events. */
#include "explain/activity.h"

#include "base/util.h"
#include "explain/cpu-state.h"

struct zh_events zh_events_of(const struct zh_record *record, const struct zh_sample *sample)
{
	size_t n = sample->n_events;

	if (sample->events >= record->n_events)
		return (struct zh_events){0};
	n = ZH_MIN(n, record->n_events - sample->events);
	return (struct zh_events){.e = record->events + sample->events, .n = n};
}

bool zh_activity_idle_until(const struct zh_record *record, const struct zh_sample *sample,
	uint16_t cpu, uint64_t from_ns, uint64_t to_ns, uint64_t *ret)
{
	struct zh_events events = zh_events_of(record, sample);
	struct zh_cpu_state state;
	size_t i;

	if (!events.n)
		return false;
	zh_cpu_state_init(&state, events, cpu);
	for (i = 0; i < events.n && events.e[i].ns <= from_ns; i++)
		if (events.e[i].cpu == cpu)
			zh_cpu_state_apply(&state, &events.e[i]);
	if (!state.task_known)
		return false;
	*ret = from_ns;
	for (; state.idle && i < events.n && events.e[i].ns < to_ns; i++) {
		if (events.e[i].cpu == cpu)
			zh_cpu_state_apply(&state, &events.e[i]);
		*ret = events.e[i].ns;
	}
	if (state.idle)
		*ret = to_ns;
	return true;
}

bool zh_activity_in_net_rx(const struct zh_record *record, const struct zh_sample *sample,
	uint16_t cpu, uint64_t ns, bool *ret)
{
	struct zh_events events = zh_events_of(record, sample);
	struct zh_cpu_state state;
	bool recorded = false;
	size_t i;

	if (!events.n)
		return false;
	zh_cpu_state_init(&state, events, cpu);
	for (i = 0; i < events.n; i++) {
		recorded |= events.e[i].type == ZH_EVENT_SOFTIRQ_IN;
		if (events.e[i].ns < ns && events.e[i].cpu == cpu)
			zh_cpu_state_apply(&state, &events.e[i]);
	}
	*ret = state.in_softirq && state.softirq == ZH_SOFTIRQ_NET_RX;
	return recorded;
}
