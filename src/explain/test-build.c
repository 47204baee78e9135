/* SPDX-License-Identifier: BSD-2-Clause */
#include "explain/test-build.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/util.h"
#include "explain/timeline.h"

#define STAMPS 64
#define EVENTS 128

void build_start(struct builder *b, size_t samples, enum zh_transport_id transport)
{
	const struct zh_record_limits limits = {.phases = 8,
		.samples = samples,
		.stamps = samples * STAMPS,
		.events = samples * EVENTS};

	*b = (struct builder){.r = zh_record_new(&limits), .now_ns = 1000 * MS};
	assert_non_null(b->r);
	b->r->n_cpus = 2;
	b->r->hz = 250;
	b->r->overhead_cpu_share = -1;
	build_phase(b, "main", 20 * MS, false);
	b->r->phases[0].transport = (uint8_t)transport;
}

void build_phase(struct builder *b, const char *label, uint64_t gap_ns, bool clean_room)
{
	struct zh_phase *phase = &b->r->phases[b->r->n_phases++];

	*phase = (struct zh_phase){.transport = b->r->phases[0].transport,
		.clean_room = clean_room,
		.traced = 1,
		.own_responder = 1,
		.gap_ns = gap_ns,
		.timeout_ns = 1000 * MS,
		.first = (uint32_t)b->r->n_samples,
		.prober_pid = PROBER,
		.responder_pid = RESPONDER,
		.start_ns = b->now_ns};
	snprintf(phase->label, sizeof(phase->label), "%s", label);
	snprintf(phase->target, sizeof(phase->target), "udp:127.0.0.1:4000");
	b->gap_ns = gap_ns;
}

struct synth build_healthy(unsigned int i)
{
	static const struct {
		uint8_t stage, us;
	} usual[] = {{ZH_STAGE_SEND, 5}, {ZH_STAGE_QDISC, 1}, {ZH_STAGE_DEVICE, 1},
		{ZH_STAGE_BACKLOG, 3}, {ZH_STAGE_PROTOCOL, 4}, {ZH_STAGE_WAKE_IPI, 2},
		{ZH_STAGE_IDLE_EXIT, 5}, {ZH_STAGE_RESUME, 5}};
	struct synth s = {0};
	size_t k, leg;

	for (k = 0; k < ZH_ARRAY_SIZE(usual); k++)
		for (leg = 0; leg < 2; leg++)
			s.d[leg][usual[k].stage] = usual[k].us * US + (i * 7919 + k * 131) % 400;
	s.d[0][ZH_STAGE_PEER] = 3 * US;
	return s;
}

static struct zh_sample *new_sample(struct builder *b, const struct synth *s)
{
	struct zh_record *r = b->r;
	struct zh_phase *phase = &r->phases[r->n_phases - 1];
	struct zh_sample *sample = &r->samples[r->n_samples];

	*sample = (struct zh_sample){.seq = (uint32_t)r->n_samples++,
		.phase = (uint16_t)(r->n_phases - 1),
		.flags = s->flags,
		.intended_ns = b->now_ns,
		.send_ns = b->now_ns + 1 * US + s->late_ns,
		.peer_cpu = 1,
		.stamps = (uint32_t)r->n_stamps,
		.events = (uint32_t)r->n_events};
	phase->n++;
	b->now_ns += b->gap_ns;
	phase->end_ns = r->end_ns = b->now_ns;
	return sample;
}

void build_stamp(struct builder *b, struct zh_sample *s, enum zh_point point, unsigned int leg,
	uint64_t ns, uint16_t cpu, uint32_t arg)
{
	b->r->stamps[b->r->n_stamps++] = (struct zh_stamp){
		.ns = ns, .arg = arg, .point = (uint8_t)point, .leg = (uint8_t)leg, .cpu = cpu};
	s->n_stamps++;
}

void build_event(struct builder *b, struct zh_event event)
{
	struct zh_record *r = b->r;
	struct zh_sample *s = &r->samples[r->n_samples - 1];
	size_t i = r->n_events++;

	for (; i > s->events && r->events[i - 1].ns > event.ns; i--)
		r->events[i] = r->events[i - 1];
	r->events[i] = event;
	s->n_events++;
}

static void switch_to(struct builder *b, uint64_t ns, uint16_t cpu, uint32_t next, uint32_t prev,
	uint32_t arg2, const char *comm)
{
	struct zh_event e = {.ns = ns,
		.pid = next,
		.arg = prev,
		.arg2 = arg2,
		.cpu = cpu,
		.type = ZH_EVENT_SWITCH};

	snprintf(e.comm, sizeof(e.comm), "%s", comm);
	build_event(b, e);
}

static uint64_t begin(struct synth *s, unsigned int leg, enum zh_stage_id stage, uint64_t t)
{
	s->at[leg][stage] = t;
	return t + s->d[leg][stage];
}

/* From the send call to the wake-up of the receiver. */
static uint64_t build_way(
	struct builder *b, struct zh_sample *sample, struct synth *s, unsigned int leg, uint64_t t)
{
	uint16_t cpu = leg ? 1 : 0, rx_cpu = s->hop ? 1 : cpu;

	t = begin(s, leg, ZH_STAGE_SEND, t);
	t = begin(s, leg, ZH_STAGE_HELD, t);
	build_stamp(b, sample, ZH_POINT_TX_QUEUE, leg, t, cpu, 1);
	t = begin(s, leg, ZH_STAGE_QDISC, t);
	build_stamp(b, sample, ZH_POINT_TX_XMIT, leg, t, cpu, 1);
	t = begin(s, leg, ZH_STAGE_DEVICE, t);
	build_stamp(b, sample, ZH_POINT_NETIF_RX, leg, t, cpu, 1);
	t = begin(s, leg, ZH_STAGE_BACKLOG, t);
	build_stamp(b, sample, ZH_POINT_RX, leg, t, rx_cpu, 1);
	if (s->d[leg][ZH_STAGE_NETFILTER]) {
		build_stamp(b, sample, ZH_POINT_NF_IN, leg, t, rx_cpu, 1);
		t = begin(s, leg, ZH_STAGE_NETFILTER, t);
		build_stamp(b, sample, ZH_POINT_NF_OUT, leg, t, rx_cpu, 1);
	}
	t = begin(s, leg, ZH_STAGE_PROTOCOL, t);
	build_stamp(b, sample, ZH_POINT_SOCK, leg, t, rx_cpu, 0);
	return t;
}

/* The receiver is woken, or (pick-up) finds the packet later by itself. */
static uint64_t build_wake(
	struct builder *b, struct zh_sample *sample, struct synth *s, unsigned int leg, uint64_t t)
{
	uint16_t cpu = leg ? 1 : 0, target = leg ? 0 : 1;
	bool hogged = leg == 0 && s->hog;

	if (s->d[leg][ZH_STAGE_PICK_UP])
		return begin(s, leg, ZH_STAGE_PICK_UP, t);
	build_stamp(b, sample, ZH_POINT_WAKING, leg, t, cpu, target);
	t = begin(s, leg, ZH_STAGE_WAKE_IPI, t);
	build_stamp(b, sample, ZH_POINT_WAKEUP, leg, t, cpu, target);
	t = begin(s, leg, ZH_STAGE_IDLE_EXIT, t);
	t = begin(s, leg, ZH_STAGE_RUN_QUEUE, t);
	build_stamp(b, sample, ZH_POINT_RUN, leg, t, target, hogged ? s->hog : 0);
	return begin(s, leg, ZH_STAGE_RESUME, t);
}

/* Who had which CPU when, so that it fits the stamps. */
static void build_events(struct builder *b, const struct zh_sample *sample, const struct synth *s)
{
	uint64_t start = sample->send_ns - 500 * US, run0 = s->at[0][ZH_STAGE_RESUME];
	uint64_t run1 = s->at[1][ZH_STAGE_RESUME];
	bool wakes = run0 != 0;

	switch_to(b, start, 0, PROBER, 0, 0, "prober");
	switch_to(b, start, 1, s->hog, RESPONDER, 1 | s->hog_flags, s->hog ? "hog" : "swapper/1");
	if (!wakes || !run1)
		return;
	build_event(b, (struct zh_event){.ns = s->at[0][ZH_STAGE_WAKE_IPI],
			       .pid = RESPONDER,
			       .arg = 1,
			       .type = ZH_EVENT_WAKING});
	if (!s->hog)
		build_event(b, (struct zh_event){.ns = s->at[0][ZH_STAGE_RUN_QUEUE],
				       .cpu = 1,
				       .type = ZH_EVENT_IDLE_OUT});
	switch_to(b, run0, 1, RESPONDER, s->hog, 0, "responder");
	switch_to(b, s->at[0][ZH_STAGE_WAKE_IPI] + 3 * US, 0, 0, PROBER, 1, "swapper/0");
	build_event(b, (struct zh_event){.ns = s->at[1][ZH_STAGE_WAKE_IPI],
			       .cpu = 1,
			       .pid = PROBER,
			       .type = ZH_EVENT_WAKING});
	build_event(b,
		(struct zh_event){
			.ns = s->at[1][ZH_STAGE_RUN_QUEUE], .cpu = 0, .type = ZH_EVENT_IDLE_OUT});
	switch_to(b, run1, 0, PROBER, 0, 0, "prober");
}

struct zh_sample *build_udp(struct builder *b, struct synth *s)
{
	struct zh_sample *sample = new_sample(b, s);
	uint64_t t = sample->send_ns;

	t = build_wake(b, sample, s, 0, build_way(b, sample, s, 0, t));
	sample->sent_ns = sample->send_ns + s->d[0][ZH_STAGE_SEND] + US;
	sample->peer_recv_ns = t;
	s->at[0][ZH_STAGE_PEER] = t;
	sample->peer_send_ns = t += s->d[0][ZH_STAGE_PEER];
	sample->peer_sent_ns = t + s->d[1][ZH_STAGE_SEND] + US;
	sample->recv_ns = build_wake(b, sample, s, 1, build_way(b, sample, s, 1, t));
	if (s->events)
		build_events(b, sample, s);
	return sample;
}

struct zh_sample *build_icmp(struct builder *b, struct synth *s)
{
	struct zh_sample *sample = new_sample(b, s);
	uint64_t t = sample->send_ns;
	unsigned int leg;

	sample->peer_cpu = 0;
	for (leg = 0; leg < 2; leg++) {
		t = begin(s, leg, ZH_STAGE_SEND, t);
		build_stamp(b, sample, ZH_POINT_TX_QUEUE, leg, t, 0, 1);
		t = begin(s, leg, ZH_STAGE_QDISC, t);
		build_stamp(b, sample, ZH_POINT_TX_XMIT, leg, t, 0, 1);
		t = begin(s, leg, ZH_STAGE_DEVICE, t);
		build_stamp(b, sample, ZH_POINT_NETIF_RX, leg, t, 0, 1);
		t = begin(s, leg, ZH_STAGE_BACKLOG, t);
		build_stamp(b, sample, ZH_POINT_RX, leg, t, 0, 1);
		s->d[1][ZH_STAGE_SEND] = 0;
	}
	t = begin(s, 1, ZH_STAGE_PROTOCOL, t);
	build_stamp(b, sample, ZH_POINT_SOCK, 1, t, 0, 0);
	sample->recv_ns = begin(s, 1, ZH_STAGE_RESUME, t);
	if (s->events) {
		switch_to(b, sample->intended_ns - US, 0, 0, PROBER, 1, "swapper/0");
		switch_to(b, sample->send_ns - US / 2, 0, PROBER, 0, 0, "prober");
	}
	return sample;
}

struct zh_sample *build_lost(struct builder *b)
{
	const struct synth nothing = {.flags = ZH_SAMPLE_LOST};

	return new_sample(b, &nothing);
}

void build_healthy_run(struct builder *b, size_t n)
{
	unsigned int i;

	for (i = 0; i < n; i++) {
		struct synth s = build_healthy(i);

		s.events = i % 10 == 0;
		build_udp(b, &s);
	}
}

struct zh_explanation *explain_or_fail(struct builder *b)
{
	struct zh_explanation *e = NULL;
	struct zh_err err = {0};

	zh_fact_set_sort(&b->r->before);
	zh_fact_set_sort(&b->r->after);
	assert_int_equal(zh_explain(b->r, &e, &err), 0);
	check_sums(b->r, e);
	return e;
}

const struct zh_finding *finding_of(const struct zh_explanation *e, const char *id)
{
	size_t i;

	for (i = 0; i < e->n_findings; i++)
		if (strcmp(e->findings[i].rule->id, id) == 0)
			return &e->findings[i];
	return NULL;
}

static void check_timeline(const struct zh_record *r, const struct zh_timeline *tl)
{
	const struct zh_sample *s = &r->samples[tl->sample];
	uint64_t at = s->send_ns, excess = 0, unexplained = 0;
	size_t i, k;

	for (i = 0; i < tl->n_segments; i++) {
		const struct zh_segment *seg = &tl->segments[i];
		uint64_t piece_at = seg->from_ns;

		assert_true(seg->from_ns == at && seg->to_ns > seg->from_ns);
		assert_true(seg->stage < ZH_STAGE_LATENESS);
		at = seg->to_ns;
		for (k = seg->first_piece; k < seg->first_piece + seg->n_pieces; k++) {
			const struct zh_piece *p = &tl->pieces[k];

			assert_true(p->from_ns == piece_at && p->to_ns > p->from_ns);
			assert_true(p->excess_ns <= p->to_ns - p->from_ns);
			assert_true(p->claimed_ns <= p->excess_ns);
			assert_true(p->cause || !p->claimed_ns);
			piece_at = p->to_ns;
			excess += p->excess_ns;
			unexplained += p->excess_ns - p->claimed_ns;
		}
		assert_true(piece_at == seg->to_ns);
	}
	assert_true(at == s->recv_ns);
	assert_true(tl->excess_ns == excess && tl->unexplained_ns == unexplained);
}

void check_sums(const struct zh_record *r, const struct zh_explanation *e)
{
	uint64_t attributed = 0;
	size_t i;

	for (i = 0; i < e->n_timelines; i++)
		check_timeline(r, &e->timelines[i]);
	for (i = 0; i < e->n_findings; i++) {
		assert_true(e->findings[i].attributed_share >= 0);
		assert_true(e->findings[i].attributed_share <= 1);
		attributed += e->findings[i].attributed_ns;
	}
	assert_true(e->unexplained_ns <= e->excess_ns);
	assert_true(attributed + e->minor_ns + e->unexplained_ns == e->excess_ns);
	for (i = 0; i < e->n_stages; i++)
		assert_true(e->stages[i].slow_share >= 0 && e->stages[i].slow_share <= 1.0000001);
}
