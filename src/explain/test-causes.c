/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Each cause of time: a run in which some samples suffer from it must name it first and give it
 * most of the excess; the same run without must stay silent.
 */
#include "explain/test-build.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/util.h"

#define SAMPLES 200
#define EVERY 5

/* Shapes one affected sample; returns it as built. */
typedef void inject(struct builder *b, struct synth *s);

static void event(struct builder *b, uint64_t ns, uint16_t cpu, enum zh_event_type type,
	uint32_t pid, uint32_t arg)
{
	build_event(
		b, (struct zh_event){
			   .ns = ns, .cpu = cpu, .type = (uint8_t)type, .pid = pid, .arg = arg});
}

static void in_and_out(struct builder *b, uint64_t from, uint64_t to, uint16_t cpu,
	enum zh_event_type in, uint32_t arg)
{
	event(b, from, cpu, in, 0, arg);
	event(b, to, cpu, (enum zh_event_type)(in + 1), 0, arg);
}

static void named_switch(struct builder *b, uint64_t ns, uint16_t cpu, uint32_t next, uint32_t prev,
	uint32_t arg2, const char *comm)
{
	struct zh_event e = {.ns = ns,
		.cpu = cpu,
		.type = ZH_EVENT_SWITCH,
		.pid = next,
		.arg = prev,
		.arg2 = arg2};

	snprintf(e.comm, sizeof(e.comm), "%s", comm);
	build_event(b, e);
}

static void qdisc(struct builder *b, struct synth *s)
{
	s->d[0][ZH_STAGE_QDISC] = 30 * MS;
	build_udp(b, s);
}

static void netfilter(struct builder *b, struct synth *s)
{
	s->d[0][ZH_STAGE_NETFILTER] = s->d[1][ZH_STAGE_NETFILTER] = 110 * US;
	build_udp(b, s);
}

static void bpf(struct builder *b, struct synth *s)
{
	s->d[0][ZH_STAGE_PROTOCOL] += 2 * MS;
	build_udp(b, s)->bpf_ns = 2 * MS;
}

static void queue_ahead(struct builder *b, struct synth *s)
{
	uint64_t at;

	s->d[0][ZH_STAGE_BACKLOG] += 900 * US;
	s->events = true;
	build_udp(b, s);
	at = s->at[0][ZH_STAGE_BACKLOG];
	in_and_out(b, at + US, s->at[0][ZH_STAGE_PROTOCOL] + US, 0, ZH_EVENT_SOFTIRQ_IN, 3);
}

static void squeeze(struct builder *b, struct synth *s)
{
	queue_ahead(b, s);
	build_event(b, (struct zh_event){.ns = s->at[0][ZH_STAGE_BACKLOG] + 400 * US,
			       .type = ZH_EVENT_NAPI_POLL,
			       .arg = 64,
			       .arg2 = 64});
}

static void deferred(struct builder *b, struct synth *s)
{
	uint64_t at;

	s->d[0][ZH_STAGE_BACKLOG] += 4 * MS;
	s->events = true;
	build_udp(b, s);
	at = s->at[0][ZH_STAGE_BACKLOG];
	named_switch(b, at + US, 0, HOG, PROBER, 0, "hog");
	named_switch(b, at + 4 * MS, 0, 15, HOG, ZH_SWITCH_NEXT_KTHREAD, "ksoftirqd/0");
	event(b, at + 4 * MS + US, 0, ZH_EVENT_SOFTIRQ_IN, 0, 3);
	event(b, s->at[0][ZH_STAGE_PROTOCOL] + US, 0, ZH_EVENT_SOFTIRQ_OUT, 0, 3);
}

/* Received on the other CPU, where a task keeps softirqs off. */
static void blocked(struct builder *b, struct synth *s)
{
	s->d[0][ZH_STAGE_BACKLOG] += 3 * MS;
	s->events = s->hop = true;
	s->hog = HOG;
	build_udp(b, s);
}

static void interrupt(struct builder *b, struct synth *s)
{
	uint64_t at;

	s->d[0][ZH_STAGE_PROTOCOL] += 2 * MS;
	s->events = true;
	build_udp(b, s);
	at = s->at[0][ZH_STAGE_PROTOCOL];
	in_and_out(b, at + US, at + US + 2 * MS, 0, ZH_EVENT_IRQ_IN, 27);
}

static void softirq_load(struct builder *b, struct synth *s)
{
	uint64_t at;

	s->d[0][ZH_STAGE_RUN_QUEUE] = 3 * MS;
	s->events = true;
	s->hog = HOG;
	build_udp(b, s);
	at = s->at[0][ZH_STAGE_RUN_QUEUE];
	in_and_out(b, at + 100 * US, at + 2 * MS, 1, ZH_EVENT_SOFTIRQ_IN, 3);
}

static void hop(struct builder *b, struct synth *s)
{
	s->d[0][ZH_STAGE_BACKLOG] += 150 * US;
	s->events = s->hop = true;
	build_udp(b, s);
}

static void ipi(struct builder *b, struct synth *s)
{
	s->d[0][ZH_STAGE_WAKE_IPI] = s->d[1][ZH_STAGE_WAKE_IPI] = 80 * US;
	s->events = true;
	build_udp(b, s);
}

static void idle(struct builder *b, struct synth *s)
{
	s->d[0][ZH_STAGE_IDLE_EXIT] = 14 * MS;
	s->events = true;
	build_udp(b, s);
}

static void run_queue(struct builder *b, struct synth *s)
{
	s->d[0][ZH_STAGE_RUN_QUEUE] = 3 * MS;
	s->events = true;
	s->hog = HOG;
	build_udp(b, s);
}

static void throttle(struct builder *b, struct synth *s)
{
	uint64_t at;

	s->d[0][ZH_STAGE_RESUME] += 60 * MS;
	s->events = true;
	build_udp(b, s);
	at = s->at[0][ZH_STAGE_RESUME];
	named_switch(b, at + US, 1, HOG, RESPONDER, ZH_SWITCH_PREV_THROTTLED, "hog");
	named_switch(b, at + US + 60 * MS, 1, RESPONDER, HOG, 0, "responder");
}

/* Both CPUs silent for 9 ms; ticks of the run tell the period. */
static void host(struct builder *b, struct synth *s)
{
	struct zh_sample *sample;

	s->d[0][ZH_STAGE_PROTOCOL] += 9 * MS;
	s->events = true;
	sample = build_udp(b, s);
	in_and_out(b, sample->send_ns - 300 * US, sample->send_ns - 299 * US, 0, ZH_EVENT_VECTOR_IN,
		ZH_VECTOR_TIMER);
	in_and_out(b, sample->recv_ns + 10 * US, sample->recv_ns + 12 * US, 0, ZH_EVENT_VECTOR_IN,
		ZH_VECTOR_TIMER);
}

static void dark(struct builder *b, struct synth *s)
{
	s->d[0][ZH_STAGE_RESUME] += 400 * US;
	s->events = true;
	build_udp(b, s);
}

static void reclaim(struct builder *b, struct synth *s)
{
	uint64_t at;

	s->d[0][ZH_STAGE_SEND] += 5 * MS;
	s->events = true;
	build_udp(b, s);
	at = s->at[0][ZH_STAGE_SEND];
	event(b, at + US, 0, ZH_EVENT_RECLAIM_IN, PROBER, 0);
	event(b, at + 5 * MS, 0, ZH_EVENT_RECLAIM_OUT, PROBER, 0);
}

static void nagle(struct builder *b, struct synth *s)
{
	s->d[0][ZH_STAGE_HELD] = 40 * MS;
	build_udp(b, s);
}

/* The first part of the message woke the responder, the second came 40 ms later. */
static void second_part(struct builder *b, struct synth *s)
{
	uint64_t at;

	s->d[0][ZH_STAGE_RESUME] += 40 * MS;
	s->events = true;
	build_udp(b, s);
	at = s->at[0][ZH_STAGE_RESUME];
	named_switch(b, at + 4 * US, 1, 0, RESPONDER, 1, "swapper/1");
	event(b, at + 40 * MS, 1, ZH_EVENT_WAKING, RESPONDER, 1);
	named_switch(b, at + 40 * MS + 2 * US, 1, RESPONDER, 0, 0, "responder");
}

static void slow_peer(struct builder *b, struct synth *s)
{
	s->d[0][ZH_STAGE_PEER] = 8 * MS;
	s->events = true;
	build_udp(b, s);
}

/* The responder is stopped while the request lies in its socket. */
static void stopped(struct builder *b, struct synth *s)
{
	uint64_t at;

	s->d[0][ZH_STAGE_PICK_UP] = 20 * MS;
	s->events = true;
	build_udp(b, s);
	at = s->at[0][ZH_STAGE_PICK_UP];
	named_switch(b, at - 300 * US, 1, 0, RESPONDER, 0x104, "swapper/1");
	event(b, at + 20 * MS - 30 * US, 1, ZH_EVENT_WAKING, RESPONDER, 1);
	named_switch(b, at + 20 * MS - 20 * US, 1, RESPONDER, 0, 0, "responder");
}

/* A timer wakes the responder long after the request came up to its socket. */
static void sleeping_elsewhere(struct builder *b, struct synth *s)
{
	struct zh_sample *sample;
	uint64_t at;
	size_t i;

	s->events = true;
	sample = build_udp(b, s);
	/* Everything from the wake-up on comes 9 ms later. */
	at = s->at[0][ZH_STAGE_WAKE_IPI];
	for (i = sample->stamps; i < b->r->n_stamps; i++)
		if (b->r->stamps[i].ns >= at && b->r->stamps[i].point != ZH_POINT_SOCK)
			b->r->stamps[i].ns += 9 * MS;
	for (i = sample->events; i < b->r->n_events; i++)
		if (b->r->events[i].ns >= at)
			b->r->events[i].ns += 9 * MS;
	sample->peer_recv_ns += 9 * MS;
	sample->peer_send_ns += 9 * MS;
	sample->peer_sent_ns += 9 * MS;
	sample->recv_ns += 9 * MS;
	event(b, at + 5 * MS, 0, ZH_EVENT_SOFTIRQ_IN, 0, 7);
	event(b, at + 5 * MS + US, 0, ZH_EVENT_SOFTIRQ_OUT, 0, 7);
}

/* A responder that is not ours, stopped for 15 ms: no user stamps, its reply looks like a request.
 */
static void foreign_stopped(struct builder *b, struct synth *s)
{
	struct zh_sample *sample;
	uint64_t at, send;
	size_t i;

	s->d[0][ZH_STAGE_PICK_UP] = 15 * MS;
	s->events = true;
	sample = build_udp(b, s);
	at = s->at[0][ZH_STAGE_PICK_UP];
	send = sample->peer_send_ns;
	for (i = sample->stamps; i < b->r->n_stamps; i++)
		if (b->r->stamps[i].ns >= send && b->r->stamps[i].point <= ZH_POINT_RX)
			b->r->stamps[i].leg = 0;
	sample->peer_recv_ns = sample->peer_send_ns = sample->peer_sent_ns = 0;
	named_switch(b, at - 300 * US, 1, 0, RESPONDER, 0x104, "swapper/1");
	event(b, at + 15 * MS - 30 * US, 1, ZH_EVENT_WAKING, RESPONDER, 1);
	named_switch(b, at + 15 * MS - 20 * US, 1, RESPONDER, 0, 0, "responder");
}

/* The second packet of a message left 40 ms after the first had woken the responder. */
static void next_part(struct builder *b, struct synth *s)
{
	struct zh_sample *sample;
	uint64_t first;
	size_t i, n;

	s->d[0][ZH_STAGE_HELD] = 40 * MS;
	sample = build_udp(b, s);
	first = sample->send_ns + 5 * US;
	n = b->r->n_stamps;
	for (i = sample->stamps; i < n && b->r->stamps[i].leg == 0; i++)
		build_stamp(b, sample, b->r->stamps[i].point, 0, first + (i - sample->stamps) * US,
			b->r->stamps[i].cpu, b->r->stamps[i].arg);
}

/* Parked by its quota before the window begins: only earlier samples' events know. */
static void parked_before(struct builder *b, struct synth *s)
{
	struct synth before = build_healthy(1);
	uint64_t at;

	before.events = true;
	b->now_ns -= b->gap_ns;
	build_udp(b, &before);
	named_switch(b, b->r->samples[b->r->n_samples - 1].recv_ns, 1, HOG, RESPONDER,
		ZH_SWITCH_PREV_THROTTLED, "hog");
	s->d[0][ZH_STAGE_PICK_UP] = 50 * MS;
	build_udp(b, s);
	at = s->at[0][ZH_STAGE_PICK_UP];
	named_switch(b, at + 50 * MS - 20 * US, 1, RESPONDER, HOG, 0, "responder");
}

static void late_timer(struct builder *b, struct synth *s)
{
	s->late_ns = 7 * MS;
	s->events = true;
	build_icmp(b, s);
}

/* A hog on the prober's CPU: an ICMP probe on lo shows it only as lateness. */
static void late_by_hog(struct builder *b, struct synth *s)
{
	struct zh_sample *sample;

	s->late_ns = 7 * MS;
	s->events = true;
	sample = build_icmp(b, s);
	event(b, sample->intended_ns + 5 * US, 0, ZH_EVENT_WAKING, PROBER, 0);
	named_switch(b, sample->intended_ns + 6 * US, 0, HOG, 0, 0, "hog");
}

static void tool(struct builder *b, struct synth *s)
{
	struct zh_record *r = b->r;
	size_t i;

	run_queue(b, s);
	for (i = r->samples[r->n_samples - 1].events; i < r->n_events; i++)
		if (r->events[i].type == ZH_EVENT_SWITCH && r->events[i].pid == HOG)
			snprintf(r->events[i].comm, sizeof(r->events[i].comm), "zerohop");
}

static const struct {
	const char *id;
	inject *inject;
	enum zh_transport_id transport;
	enum zh_severity at_least, at_most;
} cases[] = {
	{"qdisc-delay", qdisc, ZH_TRANSPORT_UDP, ZH_SEVERITY_CRITICAL, ZH_SEVERITY_CRITICAL},
	{"netfilter-rules", netfilter, ZH_TRANSPORT_UDP, ZH_SEVERITY_WARNING, ZH_SEVERITY_WARNING},
	{"bpf-program", bpf, ZH_TRANSPORT_UDP, ZH_SEVERITY_WARNING, ZH_SEVERITY_WARNING},
	{"queue-ahead", queue_ahead, ZH_TRANSPORT_UDP, ZH_SEVERITY_WARNING, ZH_SEVERITY_WARNING},
	{"softirq-squeeze", squeeze, ZH_TRANSPORT_UDP, ZH_SEVERITY_WARNING, ZH_SEVERITY_WARNING},
	{"softirq-deferred", deferred, ZH_TRANSPORT_UDP, ZH_SEVERITY_WARNING, ZH_SEVERITY_WARNING},
	{"softirq-blocked", blocked, ZH_TRANSPORT_UDP, ZH_SEVERITY_WARNING, ZH_SEVERITY_WARNING},
	{"interference", interrupt, ZH_TRANSPORT_UDP, ZH_SEVERITY_WARNING, ZH_SEVERITY_WARNING},
	{"softirq-load", softirq_load, ZH_TRANSPORT_UDP, ZH_SEVERITY_WARNING, ZH_SEVERITY_WARNING},
	{"rps-hop", hop, ZH_TRANSPORT_UDP, ZH_SEVERITY_WARNING, ZH_SEVERITY_WARNING},
	{"ipi-send", ipi, ZH_TRANSPORT_UDP, ZH_SEVERITY_INFO, ZH_SEVERITY_INFO},
	{"idle-exit", idle, ZH_TRANSPORT_UDP, ZH_SEVERITY_WARNING, ZH_SEVERITY_CRITICAL},
	{"run-queue-wait", run_queue, ZH_TRANSPORT_UDP, ZH_SEVERITY_WARNING, ZH_SEVERITY_WARNING},
	{"cfs-throttle", throttle, ZH_TRANSPORT_UDP, ZH_SEVERITY_CRITICAL, ZH_SEVERITY_CRITICAL},
	{"host-stall", host, ZH_TRANSPORT_UDP, ZH_SEVERITY_LOW, ZH_SEVERITY_LOW},
	{"host-stall", dark, ZH_TRANSPORT_UDP, ZH_SEVERITY_INFO, ZH_SEVERITY_LOW},
	{"memory-reclaim", reclaim, ZH_TRANSPORT_UDP, ZH_SEVERITY_WARNING, ZH_SEVERITY_WARNING},
	{"tcp-delayed-ack", nagle, ZH_TRANSPORT_TCP, ZH_SEVERITY_CRITICAL, ZH_SEVERITY_CRITICAL},
	{"tcp-delayed-ack", second_part, ZH_TRANSPORT_TCP, ZH_SEVERITY_CRITICAL,
		ZH_SEVERITY_CRITICAL},
	{"late-responder", slow_peer, ZH_TRANSPORT_UDP, ZH_SEVERITY_WARNING, ZH_SEVERITY_WARNING},
	{"late-responder", stopped, ZH_TRANSPORT_UDP, ZH_SEVERITY_CRITICAL, ZH_SEVERITY_CRITICAL},
	{"late-responder", sleeping_elsewhere, ZH_TRANSPORT_UDP, ZH_SEVERITY_WARNING,
		ZH_SEVERITY_WARNING},
	{"late-responder", foreign_stopped, ZH_TRANSPORT_UDP, ZH_SEVERITY_CRITICAL,
		ZH_SEVERITY_CRITICAL},
	{"tcp-delayed-ack", next_part, ZH_TRANSPORT_TCP, ZH_SEVERITY_CRITICAL,
		ZH_SEVERITY_CRITICAL},
	{"cfs-throttle", parked_before, ZH_TRANSPORT_UDP, ZH_SEVERITY_CRITICAL,
		ZH_SEVERITY_CRITICAL},
	{"timer-lateness", late_timer, ZH_TRANSPORT_ICMP, ZH_SEVERITY_LOW, ZH_SEVERITY_LOW},
	{"run-queue-wait", late_by_hog, ZH_TRANSPORT_ICMP, ZH_SEVERITY_WARNING,
		ZH_SEVERITY_WARNING},
	{"tool-overhead", tool, ZH_TRANSPORT_UDP, ZH_SEVERITY_LOW, ZH_SEVERITY_LOW},
};

static void build_healthy_sample(struct builder *b, unsigned int i, enum zh_transport_id transport)
{
	struct synth s = build_healthy(i);

	s.events = i % 10 == 1;
	if (transport == ZH_TRANSPORT_ICMP)
		build_icmp(b, &s);
	else
		build_udp(b, &s);
}

static struct zh_explanation *run_case(struct builder *b, size_t n, bool control)
{
	unsigned int i;

	build_start(b, 2 * SAMPLES, cases[n].transport);
	for (i = 0; i < SAMPLES; i++) {
		struct synth s = build_healthy(i);

		if (i % EVERY == EVERY - 1 && !control)
			cases[n].inject(b, &s);
		else
			build_healthy_sample(b, i, cases[n].transport);
	}
	return explain_or_fail(b);
}

static void print_findings(const char *expected, const struct zh_explanation *e)
{
	size_t i;

	print_message("expected %s first; unexplained %.3f\n", expected, e->unexplained_share);
	for (i = 0; i < e->n_findings; i++)
		print_message("  %s %s %.3f: %s\n", zh_severity_name(e->findings[i].severity),
			e->findings[i].rule->id, e->findings[i].attributed_share,
			e->findings[i].summary);
}

static void fires_first_with_its_share(void **state)
{
	size_t n;

	(void)state;
	for (n = 0; n < ZH_ARRAY_SIZE(cases); n++) {
		struct builder b;
		struct zh_explanation *e = run_case(&b, n, false);
		const struct zh_finding *f = e->n_findings ? &e->findings[0] : NULL;

		if (!f || strcmp(f->rule->id, cases[n].id) != 0 || f->attributed_share < 0.9 ||
			f->samples != SAMPLES / EVERY || f->severity < cases[n].at_least ||
			f->severity > cases[n].at_most || e->unexplained_share > 0.05) {
			print_findings(cases[n].id, e);
			fail();
		}
		zh_explanation_free(e);
		zh_record_free(b.r);
	}
}

static void stays_silent_on_healthy_runs(void **state)
{
	size_t n, i;

	(void)state;
	for (n = 0; n < ZH_ARRAY_SIZE(cases); n++) {
		struct builder b;
		struct zh_explanation *e = run_case(&b, n, true);

		for (i = 0; i < e->n_findings; i++)
			if (e->findings[i].has_attribution ||
				e->findings[i].severity >= ZH_SEVERITY_WARNING)
				print_findings("nothing", e);
		assert_int_equal(e->n_slow, 0);
		assert_string_equal(zh_explanation_verdict(e, b.r), "healthy");
		zh_explanation_free(e);
		zh_record_free(b.r);
	}
}

/* Two long waits among 200 samples: named, but no reason to act. */
static void one_offs_do_not_warn(void **state)
{
	struct builder b;
	struct zh_explanation *e;
	const struct zh_finding *f;
	unsigned int i;

	(void)state;
	build_start(&b, SAMPLES, ZH_TRANSPORT_UDP);
	for (i = 0; i < SAMPLES; i++) {
		struct synth s = build_healthy(i);

		if (i == 50 || i == 120)
			run_queue(&b, &s);
		else
			build_healthy_sample(&b, i, ZH_TRANSPORT_UDP);
	}
	e = explain_or_fail(&b);
	f = finding_of(e, "run-queue-wait");
	assert_non_null(f);
	assert_int_equal(f->severity, ZH_SEVERITY_LOW);
	assert_string_equal(zh_explanation_verdict(e, b.r), "healthy");
	zh_explanation_free(e);
	zh_record_free(b.r);
}

/* The same waits behind a real-time task warn at a third of the share. */
static void real_time_hogs_are_faults(void **state)
{
	struct builder b;
	struct zh_explanation *e;
	unsigned int i;

	(void)state;
	build_start(&b, SAMPLES, ZH_TRANSPORT_UDP);
	for (i = 0; i < SAMPLES; i++) {
		struct synth s = build_healthy(i);

		s.hog_flags = ZH_SWITCH_NEXT_RT;
		if (i % 50 == 7)
			run_queue(&b, &s);
		else
			build_healthy_sample(&b, i, ZH_TRANSPORT_UDP);
	}
	e = explain_or_fail(&b);
	assert_int_equal(finding_of(e, "run-queue-wait")->severity, ZH_SEVERITY_WARNING);
	zh_explanation_free(e);
	zh_record_free(b.r);
}

/* Half of the throttled samples have no events: counted by analogy, and said so. */
static void waits_without_events_go_by_analogy(void **state)
{
	const struct zh_finding *f;
	struct builder b;
	struct zh_explanation *e;
	unsigned int i, k, said = 0;

	(void)state;
	build_start(&b, SAMPLES, ZH_TRANSPORT_UDP);
	for (i = 0; i < SAMPLES; i++) {
		struct synth s = build_healthy(i);

		if (i % 10 == 3) {
			throttle(&b, &s);
		} else if (i % 10 == 7) {
			s.d[0][ZH_STAGE_RESUME] += 60 * MS;
			build_udp(&b, &s);
		} else {
			build_healthy_sample(&b, i, ZH_TRANSPORT_UDP);
		}
	}
	e = explain_or_fail(&b);
	f = &e->findings[0];
	assert_string_equal(f->rule->id, "cfs-throttle");
	assert_int_equal(f->samples, SAMPLES / 5);
	assert_true(e->unexplained_share < 0.01);
	for (k = 0; f->evidence[k]; k++)
		said += strstr(f->evidence[k], "by analogy") != NULL;
	assert_int_equal(said, 1);
	zh_explanation_free(e);
	zh_record_free(b.r);
}

/* A program that sends in two writes without Nagle: the second packet comes 40 us later. */
static void two_writes_are_no_fault(void **state)
{
	struct builder b;
	struct zh_explanation *e;
	unsigned int i;

	(void)state;
	build_start(&b, SAMPLES, ZH_TRANSPORT_TCP);
	for (i = 0; i < SAMPLES; i++) {
		struct synth s = build_healthy(i);

		s.d[0][ZH_STAGE_HELD] = 20 * US + (i % 5) * 20 * US;
		build_udp(&b, &s);
	}
	e = explain_or_fail(&b);
	assert_null(finding_of(e, "tcp-delayed-ack"));
	assert_string_equal(zh_explanation_verdict(e, b.r), "healthy");
	zh_explanation_free(e);
	zh_record_free(b.r);
}

/* A fault in every sample is no baseline. */
static void constant_faults_are_found(void **state)
{
	static const struct {
		const char *id;
		inject *inject;
	} constant[] = {{"qdisc-delay", qdisc}, {"netfilter-rules", netfilter},
		{"bpf-program", bpf}, {"late-responder", slow_peer}};
	size_t n, i;

	(void)state;
	for (n = 0; n < ZH_ARRAY_SIZE(constant); n++) {
		struct builder b;
		struct zh_explanation *e;

		build_start(&b, SAMPLES, ZH_TRANSPORT_UDP);
		for (i = 0; i < SAMPLES; i++) {
			struct synth s = build_healthy((unsigned int)i);

			constant[n].inject(&b, &s);
		}
		e = explain_or_fail(&b);
		if (strcmp(e->findings[0].rule->id, constant[n].id) != 0 ||
			e->findings[0].attributed_share < 0.9)
			print_findings(constant[n].id, e);
		assert_string_equal(e->findings[0].rule->id, constant[n].id);
		assert_true(e->findings[0].attributed_share >= 0.9);
		assert_int_equal(e->findings[0].samples, SAMPLES);
		zh_explanation_free(e);
		zh_record_free(b.r);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(fires_first_with_its_share),
		cmocka_unit_test(stays_silent_on_healthy_runs),
		cmocka_unit_test(one_offs_do_not_warn),
		cmocka_unit_test(real_time_hogs_are_faults),
		cmocka_unit_test(waits_without_events_go_by_analogy),
		cmocka_unit_test(two_writes_are_no_fault),
		cmocka_unit_test(constant_faults_are_found),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
