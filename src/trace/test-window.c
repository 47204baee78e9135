/* SPDX-License-Identifier: BSD-2-Clause */
#include "trace/window.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "base/util.h"

#define CPUS 3
#define RING 256

static struct zh_event events[CPUS * RING];
static struct zh_trace_cpu cpus[CPUS];
static struct zh_window_cursor cursors[CPUS];
static const struct zh_window_rings rings = {
	.events = events, .cpus = cpus, .cursors = cursors, .n_cpus = CPUS, .ring_events = RING};
static struct zh_event kept[2048];
static struct zh_record record;
static struct zh_sample sample;

static int reset(void **state)
{
	(void)state;
	memset(events, 0, sizeof(events));
	memset(cpus, 0, sizeof(cpus));
	memset(&record, 0, sizeof(record));
	record.events = kept;
	record.max_events = ZH_ARRAY_SIZE(kept);
	memset(&sample, 0, sizeof(sample));
	return 0;
}

static void put(uint32_t cpu, uint64_t ns, enum zh_event_type type, uint32_t pid)
{
	events[cpu * RING + (cpus[cpu].head++ & (RING - 1))] = (struct zh_event){
		.ns = ns, .type = (uint8_t)type, .pid = pid, .cpu = (uint16_t)cpu};
}

static void merges_cpus_by_time(void **state)
{
	uint32_t i;

	(void)state;
	for (i = 1; i <= 90; i++)
		put(i % CPUS, 1000 + i, ZH_EVENT_WAKING, i);
	zh_window_read(&rings, &record, &sample, 1031, 1060);
	assert_int_equal(sample.flags, 0);
	assert_int_equal(sample.n_events, 30);
	for (i = 0; i < 30; i++)
		assert_int_equal(kept[i].pid, 31 + i);
}

static void appends_behind_what_is_there(void **state)
{
	(void)state;
	put(0, 5, ZH_EVENT_NMI, 1);
	record.n_events = 7;
	zh_window_read(&rings, &record, &sample, 1, 10);
	assert_int_equal(sample.events, 7);
	assert_int_equal(sample.n_events, 1);
	assert_int_equal(record.n_events, 8);
}

/* A hook that interrupted another one took its place in the ring first, or its time. */
static void sorts_nested_hooks(void **state)
{
	static const uint64_t times[] = {100, 103, 102, 101, 110, 99, 120};
	uint32_t i;

	(void)state;
	for (i = 0; i < ZH_ARRAY_SIZE(times); i++)
		put(0, times[i], ZH_EVENT_NMI, 0);
	zh_window_read(&rings, &record, &sample, 99, 119);
	assert_int_equal(sample.n_events, 6);
	for (i = 1; i < sample.n_events; i++)
		assert_true(kept[i - 1].ns <= kept[i].ns);
}

static void keeps_the_state_before(void **state)
{
	uint32_t i;

	(void)state;
	put(0, 10, ZH_EVENT_SWITCH, 1);
	put(0, 20, ZH_EVENT_SWITCH, 2);
	put(0, 30, ZH_EVENT_IDLE_IN, 0);
	for (i = 0; i < 50; i++)
		put(0, 40 + i, ZH_EVENT_WAKING, 3);
	put(0, 200, ZH_EVENT_SWITCH, 4);
	zh_window_read(&rings, &record, &sample, 150, 300);
	assert_int_equal(sample.n_events, 3);
	assert_int_equal(kept[0].pid, 2);
	assert_int_equal(kept[1].type, ZH_EVENT_IDLE_IN);
	assert_int_equal(kept[2].pid, 4);
}

static void skips_a_record_being_written(void **state)
{
	(void)state;
	put(0, 10, ZH_EVENT_WAKING, 1);
	put(0, 0, ZH_EVENT_WAKING, 2);
	put(0, 30, ZH_EVENT_WAKING, 3);
	zh_window_read(&rings, &record, &sample, 1, 100);
	assert_int_equal(sample.n_events, 2);
	assert_int_equal(kept[1].pid, 3);
}

/* The place is reserved, but still holds what was written a whole turn ago. */
static void a_stale_place_is_not_the_state(void **state)
{
	uint32_t i;

	(void)state;
	put(0, 5, ZH_EVENT_SWITCH, 99);
	for (i = 1; i < RING; i++)
		put(0, 10 * i, i == 200 ? ZH_EVENT_SWITCH : ZH_EVENT_WAKING, i);
	cpus[0].head++; /* reserves the place of pid 99 */
	zh_window_read(&rings, &record, &sample, 2200, 2210);
	assert_int_equal(sample.n_events, 3);
	assert_int_equal(kept[0].pid, 200);
}

static void an_overrun_is_flagged(void **state)
{
	uint32_t i;

	(void)state;
	for (i = 0; i < 10 * RING; i++)
		put(1, 1000 + i, ZH_EVENT_WAKING, i);
	zh_window_read(&rings, &record, &sample, 1500, 1000 + 10 * RING);
	assert_int_equal(sample.flags, ZH_SAMPLE_OVERRUN);
	reset(state);
	for (i = 0; i < 10 * RING; i++)
		put(1, 1000 + i, ZH_EVENT_WAKING, i);
	zh_window_read(&rings, &record, &sample, 1000 + 10 * RING - 20, 1000 + 10 * RING);
	assert_int_equal(sample.flags, 0);
	assert_int_equal(sample.n_events, 20);
}

static void a_full_record_is_flagged(void **state)
{
	uint32_t i;

	(void)state;
	record.max_events = 10;
	for (i = 0; i < 20; i++)
		put(2, 1000 + i, ZH_EVENT_WAKING, i);
	zh_window_read(&rings, &record, &sample, 1, 2000);
	assert_int_equal(sample.flags, ZH_SAMPLE_INCOMPLETE);
	assert_int_equal(sample.n_events, 10);
	assert_int_equal(record.n_events, 10);
}

static void an_empty_ring_has_no_events(void **state)
{
	(void)state;
	zh_window_read(&rings, &record, &sample, 1, 2000);
	assert_int_equal(sample.flags, 0);
	assert_int_equal(sample.n_events, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(merges_cpus_by_time, reset),
		cmocka_unit_test_setup(appends_behind_what_is_there, reset),
		cmocka_unit_test_setup(sorts_nested_hooks, reset),
		cmocka_unit_test_setup(keeps_the_state_before, reset),
		cmocka_unit_test_setup(skips_a_record_being_written, reset),
		cmocka_unit_test_setup(a_stale_place_is_not_the_state, reset),
		cmocka_unit_test_setup(an_overrun_is_flagged, reset),
		cmocka_unit_test_setup(a_full_record_is_flagged, reset),
		cmocka_unit_test_setup(an_empty_ring_has_no_events, reset),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
