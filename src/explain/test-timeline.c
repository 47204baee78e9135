/* SPDX-License-Identifier: BSD-2-Clause */
/* Stamps → segments: exact sums, mending of order, what is known without stamps. */
#include "explain/timeline.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/util.h"
#include "explain/activity.h"
#include "explain/test-build.h"

static const struct zh_ticks ticks = {.period_ns = 4 * MS};

static uint64_t stage_sum(const struct zh_timeline *tl, enum zh_stage_id stage)
{
	uint64_t sum = 0;
	size_t i;

	for (i = 0; i < tl->n_segments; i++)
		if (tl->segments[i].stage == stage)
			sum += tl->segments[i].to_ns - tl->segments[i].from_ns;
	return sum;
}

/* Builds and cuts; checks that segments and pieces are contiguous and cover the RTT. */
static struct zh_timeline build(const struct zh_record *r, const struct zh_sample *s)
{
	struct zh_timeline tl = {0};
	uint64_t at = s->send_ns;
	size_t i, k;

	assert_true(zh_timeline_build(r, s, &tl));
	assert_true(zh_timeline_cut(r, &ticks, &tl));
	for (i = 0; i < tl.n_segments; i++) {
		assert_true(tl.segments[i].from_ns == at);
		for (k = 0; k < tl.segments[i].n_pieces; k++) {
			const struct zh_piece *p = &tl.pieces[tl.segments[i].first_piece + k];

			assert_true(p->from_ns == at && p->to_ns > at);
			at = p->to_ns;
		}
		assert_true(tl.segments[i].to_ns == at);
	}
	assert_true(at == s->recv_ns);
	return tl;
}

static void stages_are_recovered(void **state)
{
	struct builder b;
	struct synth s = build_healthy(0);
	struct zh_timeline tl;
	unsigned int stage;

	(void)state;
	build_start(&b, 4, ZH_TRANSPORT_UDP);
	s.d[0][ZH_STAGE_NETFILTER] = 9 * US;
	s.d[1][ZH_STAGE_RUN_QUEUE] = 20 * US;
	s.events = true;
	tl = build(b.r, build_udp(&b, &s));
	assert_false(tl.incomplete);
	for (stage = 0; stage < ZH_STAGE_LATENESS; stage++)
		assert_int_equal(stage_sum(&tl, stage), s.d[0][stage] + s.d[1][stage]);
	zh_timeline_done(&tl);
	zh_record_free(b.r);
}

/* Without events the switch tells whether the CPU was idle before. */
static void waits_without_events(void **state)
{
	struct builder b;
	struct synth s = build_healthy(0);
	struct zh_timeline tl;

	(void)state;
	build_start(&b, 4, ZH_TRANSPORT_UDP);
	s.d[0][ZH_STAGE_IDLE_EXIT] = 0;
	s.d[0][ZH_STAGE_RUN_QUEUE] = 500 * US;
	s.hog = HOG;
	tl = build(b.r, build_udp(&b, &s));
	assert_int_equal(stage_sum(&tl, ZH_STAGE_RUN_QUEUE), 500 * US);
	assert_int_equal(stage_sum(&tl, ZH_STAGE_IDLE_EXIT), s.d[1][ZH_STAGE_IDLE_EXIT]);
	zh_timeline_done(&tl);
	zh_record_free(b.r);
}

static struct zh_sample *stamped_only(struct builder *b)
{
	struct synth s = build_healthy(0);
	struct zh_sample *sample = build_udp(b, &s);

	b->r->n_stamps = sample->stamps;
	sample->n_stamps = 0;
	return sample;
}

static void lower_tiers(void **state)
{
	struct builder b;
	struct zh_sample *sample;
	struct zh_timeline tl;

	(void)state;
	build_start(&b, 4, ZH_TRANSPORT_UDP);
	sample = stamped_only(&b);
	tl = build(b.r, sample);
	assert_int_equal(tl.n_segments, 3);
	assert_string_equal(zh_stage_name(tl.segments[0].stage), "request");
	assert_string_equal(zh_stage_name(tl.segments[1].stage), "peer");
	assert_string_equal(zh_stage_name(tl.segments[2].stage), "reply");
	zh_timeline_done(&tl);

	sample->krx_ns = sample->recv_ns - 7 * US;
	tl = build(b.r, sample);
	assert_int_equal(stage_sum(&tl, ZH_STAGE_DELIVER), 7 * US);
	zh_timeline_done(&tl);

	sample->krx_ns = sample->peer_recv_ns = sample->peer_send_ns = 0;
	tl = build(b.r, sample);
	assert_int_equal(tl.n_segments, 1);
	assert_string_equal(zh_stage_name(tl.segments[0].stage), "round-trip");
	zh_timeline_done(&tl);
	zh_record_free(b.r);
}

/* The waker's stamp of the wake-up comes after the woken thread is back in user space. */
static void late_wakeup_stamp(void **state)
{
	struct builder b;
	struct synth s = build_healthy(0);
	struct zh_sample *sample;
	struct zh_timeline tl;
	size_t i;

	(void)state;
	build_start(&b, 4, ZH_TRANSPORT_UDP);
	sample = build_udp(&b, &s);
	for (i = 0; i < sample->n_stamps; i++)
		if (b.r->stamps[i].point == ZH_POINT_WAKEUP)
			b.r->stamps[i].ns += 60 * US;
	tl = build(b.r, sample);
	assert_false(tl.incomplete);
	assert_int_equal(stage_sum(&tl, ZH_STAGE_WAKE_IPI),
		s.d[0][ZH_STAGE_WAKE_IPI] + s.d[0][ZH_STAGE_IDLE_EXIT] + s.d[1][ZH_STAGE_WAKE_IPI] +
			s.d[1][ZH_STAGE_IDLE_EXIT]);
	zh_timeline_done(&tl);
	zh_record_free(b.r);
}

static void move(struct builder *b, enum zh_point point, unsigned int leg, int64_t by_ns)
{
	size_t i;

	for (i = 0; i < b->r->n_stamps; i++)
		if (b->r->stamps[i].point == point && b->r->stamps[i].leg == leg)
			b->r->stamps[i].ns += (uint64_t)by_ns;
}

static void small_inversions_are_mended(void **state)
{
	struct builder b;
	struct synth s = build_healthy(0);
	struct zh_sample *sample;
	struct zh_timeline tl;

	(void)state;
	build_start(&b, 4, ZH_TRANSPORT_UDP);
	sample = build_udp(&b, &s);
	move(&b, ZH_POINT_RX, 0, -4 * (int64_t)US); /* a us before netif_rx */
	tl = build(b.r, sample);
	assert_false(tl.incomplete);
	assert_int_equal(stage_sum(&tl, ZH_STAGE_REQUEST), 0);
	zh_timeline_done(&tl);

	move(&b, ZH_POINT_NETIF_RX, 0, 50 * (int64_t)US); /* far off: another packet's */
	tl = build(b.r, sample);
	assert_true(tl.incomplete);
	zh_timeline_done(&tl);

	move(&b, ZH_POINT_TX_QUEUE, 1, -900 * (int64_t)MS); /* before its leg began */
	tl = build(b.r, sample);
	assert_true(tl.incomplete);
	zh_timeline_done(&tl);
	zh_record_free(b.r);
}

static void icmp_on_lo_never_sleeps(void **state)
{
	struct builder b;
	struct synth s = build_healthy(0);
	struct zh_timeline tl;

	(void)state;
	build_start(&b, 4, ZH_TRANSPORT_ICMP);
	s.events = true;
	tl = build(b.r, build_icmp(&b, &s));
	assert_int_equal(stage_sum(&tl, ZH_STAGE_WAKE_IPI), 0);
	assert_int_equal(stage_sum(&tl, ZH_STAGE_ROUND_TRIP), 0);
	assert_int_equal(stage_sum(&tl, ZH_STAGE_PICK_UP), s.d[1][ZH_STAGE_RESUME]);
	assert_int_equal(stage_sum(&tl, ZH_STAGE_BACKLOG),
		s.d[0][ZH_STAGE_BACKLOG] + s.d[1][ZH_STAGE_BACKLOG]);
	zh_timeline_done(&tl);
	zh_record_free(b.r);
}

/* Nesting counts once: a softirq inside a hog's time, an interrupt inside the softirq, an NMI in
 * that. */
static void nesting_counts_once(void **state)
{
	uint64_t sum[ZH_ACTIVITY_MAX] = {0};
	struct builder b;
	struct synth s = build_healthy(0);
	struct zh_timeline tl;
	uint64_t at;
	size_t i;

	(void)state;
	build_start(&b, 4, ZH_TRANSPORT_UDP);
	s.d[0][ZH_STAGE_RUN_QUEUE] = 1000 * US;
	s.d[0][ZH_STAGE_IDLE_EXIT] = 0;
	s.events = true;
	s.hog = HOG;
	build_udp(&b, &s);
	at = s.at[0][ZH_STAGE_RUN_QUEUE];
#define EVENT(us, type_, arg_)                                                                     \
	build_event(&b,                                                                            \
		(struct zh_event){.ns = at + (us)*US, .cpu = 1, .type = (type_), .arg = (arg_)})
	EVENT(100, ZH_EVENT_SOFTIRQ_IN, 1);
	EVENT(200, ZH_EVENT_IRQ_IN, 9);
	EVENT(260, ZH_EVENT_NMI, 10 * US); /* its end */
	EVENT(300, ZH_EVENT_IRQ_OUT, 9);
	EVENT(600, ZH_EVENT_SOFTIRQ_OUT, 1);
#undef EVENT
	tl = build(b.r, &b.r->samples[0]);
	for (i = 0; i < tl.n_segments; i++) {
		const struct zh_segment *seg = &tl.segments[i];
		size_t k;

		for (k = seg->first_piece;
			seg->stage == ZH_STAGE_RUN_QUEUE && k < seg->first_piece + seg->n_pieces;
			k++)
			sum[tl.pieces[k].activity] += tl.pieces[k].to_ns - tl.pieces[k].from_ns;
	}
	assert_int_equal(sum[ZH_ACTIVITY_NMI], 10 * US);
	assert_int_equal(sum[ZH_ACTIVITY_IRQ], 90 * US);
	assert_int_equal(sum[ZH_ACTIVITY_SOFTIRQ], 400 * US);
	assert_int_equal(sum[ZH_ACTIVITY_TASK], 500 * US);
	zh_timeline_done(&tl);
	zh_record_free(b.r);
}

/* A tick on time ends a silent stretch of a computing task: no stall. A missed one: a stall. */
static void ticks_tell_stalls(void **state)
{
	struct zh_stretch found[4];
	struct builder b;
	struct zh_timeline tl = {0};
	struct zh_ticks with_phase;
	struct synth s;
	uint64_t tick;
	size_t i;

	(void)state;
	build_start(&b, 40, ZH_TRANSPORT_UDP);
	for (i = 0; i < 20; i++) {
		s = build_healthy((unsigned int)i);
		s.events = true;
		s.d[0][ZH_STAGE_PEER] = 7 * MS;
		build_udp(&b, &s);
		tick = (s.at[0][ZH_STAGE_PEER] / (4 * MS) + 1) * 4 * MS;
		build_event(&b, (struct zh_event){.ns = tick,
					.cpu = 1,
					.type = ZH_EVENT_VECTOR_IN,
					.arg = ZH_VECTOR_TIMER});
		build_event(&b, (struct zh_event){.ns = tick + US,
					.cpu = 1,
					.type = ZH_EVENT_VECTOR_OUT,
					.arg = ZH_VECTOR_TIMER});
	}
	with_phase = zh_ticks_find(b.r);
	assert_true(with_phase.recorded && with_phase.phase_known);
	assert_true(with_phase.phase_ns <= 60 * US || with_phase.phase_ns >= 3940 * US);
	assert_true(zh_timeline_build(b.r, &b.r->samples[19], &tl));
	assert_int_equal(zh_stalls_find(b.r, &with_phase, &tl, found, 4),
		tick + 4 * MS + 200 * US < s.at[0][ZH_STAGE_PEER] + 7 * MS);
	/* without the tick's events the same stretch misses it */
	b.r->samples[19].n_events -= 2;
	for (i = b.r->samples[19].events; i < b.r->n_events; i++)
		if (b.r->events[i].type == ZH_EVENT_VECTOR_IN) {
			memmove(&b.r->events[i], &b.r->events[i + 2],
				(b.r->n_events - i - 2) * sizeof(struct zh_event));
			break;
		}
	assert_true(zh_timeline_build(b.r, &b.r->samples[19], &tl));
	assert_int_equal(zh_stalls_find(b.r, &with_phase, &tl, found, 4), 1);
	assert_true(found[0].to_ns - found[0].from_ns >= 6900 * US);
	zh_timeline_done(&tl);
	zh_record_free(b.r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(stages_are_recovered),
		cmocka_unit_test(waits_without_events),
		cmocka_unit_test(lower_tiers),
		cmocka_unit_test(late_wakeup_stamp),
		cmocka_unit_test(small_inversions_are_mended),
		cmocka_unit_test(icmp_on_lo_never_sleeps),
		cmocka_unit_test(nesting_counts_once),
		cmocka_unit_test(ticks_tell_stalls),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
