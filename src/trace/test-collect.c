/* SPDX-License-Identifier: BSD-2-Clause */
#include "trace/collect.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "base/util.h"

#define NO_SOCKET 3
#define SEQ (ZH_TRACE_SLOTS + 5)

static struct zh_trace_slot slots[ZH_TRACE_SLOTS];
static struct zh_stamp kept[100];
static struct zh_record record;
static struct zh_sample sample;

static int reset(void **state)
{
	(void)state;
	memset(slots, 0, sizeof(slots));
	record = (struct zh_record){.stamps = kept, .max_stamps = ZH_ARRAY_SIZE(kept)};
	sample = (struct zh_sample){.seq = SEQ, .send_ns = 100, .recv_ns = 200};
	return 0;
}

static void put(uint64_t ns, enum zh_point point, uint8_t leg, uint32_t arg)
{
	struct zh_trace_slot *slot = &slots[SEQ % ZH_TRACE_SLOTS];
	uint32_t n = (uint32_t)slot->owner;

	if (n < ZH_TRACE_STAMPS)
		slot->stamps[n] = (struct zh_stamp){
			.ns = ns, .point = (uint8_t)point, .leg = leg, .arg = arg};
	slot->owner = ((uint64_t)SEQ + 1) << 32 | (n + 1);
}

static void collect(void)
{
	zh_collect(slots, ZH_TRANSPORT_ICMP, NO_SOCKET, &record, &sample);
}

static void sorts_by_time(void **state)
{
	(void)state;
	put(120, ZH_POINT_RX, 0, 0);
	put(110, ZH_POINT_NETIF_RX, 0, 0);
	put(130, ZH_POINT_SOCK, 1, 0);
	record.n_stamps = 4;
	collect();
	assert_int_equal(sample.stamps, 4);
	assert_int_equal(sample.n_stamps, 3);
	assert_int_equal(record.n_stamps, 7);
	assert_int_equal(kept[4].point, ZH_POINT_NETIF_RX);
	assert_int_equal(kept[6].point, ZH_POINT_SOCK);
	assert_int_equal(sample.flags, 0);
}

static void the_slot_of_another_probe_gives_nothing(void **state)
{
	(void)state;
	put(120, ZH_POINT_RX, 0, 0);
	sample.seq = SEQ - ZH_TRACE_SLOTS;
	collect();
	assert_int_equal(sample.n_stamps, 0);
	sample.seq = SEQ + ZH_TRACE_SLOTS;
	collect();
	assert_int_equal(sample.n_stamps, 0);
}

static void what_is_not_of_this_probe_is_left_out(void **state)
{
	(void)state;
	put(0, ZH_POINT_RX, 0, 0);       /* being written */
	put(50, ZH_POINT_RX, 0, 0);      /* the former owner's */
	put(120, ZH_POINT_RX, 0, 0);     /* fine */
	put(250, ZH_POINT_WAKING, 1, 0); /* the prober wakes for its next send */
	put(250, ZH_POINT_RUN, 0, 0);    /* the responder, after it answered: kept */
	collect();
	assert_int_equal(sample.n_stamps, 2);
	assert_int_equal(kept[0].ns, 120);
	assert_int_equal(kept[1].leg, 0);
}

static void a_lost_probe_keeps_late_stamps(void **state)
{
	(void)state;
	sample.recv_ns = 0;
	put(120, ZH_POINT_RX, 0, 0);
	put(130, ZH_POINT_DROP, 0, 6);
	put(9000, ZH_POINT_WAKING, 1, 0);
	collect();
	assert_int_equal(sample.n_stamps, 3);
}

static void a_delivered_echo_reply_is_not_dropped(void **state)
{
	(void)state;
	put(120, ZH_POINT_SOCK, 1, 0);
	put(130, ZH_POINT_DROP, 1, NO_SOCKET);
	put(140, ZH_POINT_DROP, 1, 7); /* another reason is a drop */
	collect();
	assert_int_equal(sample.n_stamps, 2);
	assert_int_equal(kept[1].arg, 7);
}

static void an_undelivered_echo_reply_is_dropped(void **state)
{
	(void)state;
	put(130, ZH_POINT_DROP, 1, NO_SOCKET);
	collect();
	assert_int_equal(sample.n_stamps, 1);
}

static void too_many_stamps_are_flagged(void **state)
{
	uint32_t i;

	(void)state;
	for (i = 0; i < ZH_TRACE_STAMPS + 3; i++)
		put(110 + i, ZH_POINT_RX, 0, 0);
	collect();
	assert_int_equal(sample.n_stamps, ZH_TRACE_STAMPS);
	assert_int_equal(sample.flags, ZH_SAMPLE_INCOMPLETE);
}

static void a_full_record_is_flagged(void **state)
{
	(void)state;
	put(120, ZH_POINT_RX, 0, 0);
	put(130, ZH_POINT_RX, 1, 0);
	record.n_stamps = ZH_ARRAY_SIZE(kept) - 1;
	collect();
	assert_int_equal(sample.n_stamps, 1);
	assert_int_equal(sample.flags, ZH_SAMPLE_INCOMPLETE);
	assert_int_equal(record.n_stamps, ZH_ARRAY_SIZE(kept));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(sorts_by_time, reset),
		cmocka_unit_test_setup(the_slot_of_another_probe_gives_nothing, reset),
		cmocka_unit_test_setup(what_is_not_of_this_probe_is_left_out, reset),
		cmocka_unit_test_setup(a_lost_probe_keeps_late_stamps, reset),
		cmocka_unit_test_setup(a_delivered_echo_reply_is_not_dropped, reset),
		cmocka_unit_test_setup(an_undelivered_echo_reply_is_dropped, reset),
		cmocka_unit_test_setup(too_many_stamps_are_flagged, reset),
		cmocka_unit_test_setup(a_full_record_is_flagged, reset),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
