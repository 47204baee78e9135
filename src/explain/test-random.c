/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Any record whatever must be explained without a crash, and its sums must hold: stamps and events
 * of random kind, time, CPU and argument, samples that refer to them at random, hostile ranges.
 */
#include "explain/test-build.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/util.h"
#include "stats/random.h"

#define SAMPLES 40
#define ROUNDS 300

static struct zh_random rng;

static uint64_t below(uint64_t n)
{
	return zh_random_below(&rng, n);
}

static void random_stamps(struct builder *b, struct zh_sample *s)
{
	size_t i, n = below(20);

	for (i = 0; i < n; i++)
		build_stamp(b, s, (enum zh_point)below(ZH_POINT_MAX + 2), (unsigned int)below(3),
			s->send_ns - 100 * US + below(2 * MS), (uint16_t)below(4),
			(uint32_t)below(5));
}

static void random_events(struct builder *b, struct zh_sample *s)
{
	static const uint32_t pids[] = {0, PROBER, RESPONDER, HOG, 15};
	size_t i, n = below(60);

	for (i = 0; i < n; i++) {
		struct zh_event e = {.ns = s->send_ns - 300 * US + below(3 * MS),
			.pid = pids[below(5)],
			.arg = below(3) ? pids[below(5)] : (uint32_t)below(200000),
			.arg2 = (uint32_t)below(8) << 16 | (uint32_t)below(3),
			.cpu = (uint16_t)below(4),
			.type = (uint8_t)below(ZH_EVENT_MAX + 2)};

		snprintf(e.comm, sizeof(e.comm), "%s", below(4) ? "hog" : "ksoftirqd/0");
		build_event(b, e);
	}
}

static void random_sample(struct builder *b)
{
	struct zh_sample *s;
	struct synth healthy = build_healthy((unsigned int)below(1000));

	if (!below(3)) {
		build_udp(b, &healthy);
		return;
	}
	s = build_lost(b);
	s->flags = (uint16_t)below(128);
	s->send_ns += below(5 * MS);
	s->sent_ns = s->send_ns + below(MS);
	s->recv_ns = below(4) ? s->send_ns + below(2 * MS) : 0;
	if (below(2)) {
		s->peer_recv_ns = s->send_ns + below(2 * MS);
		s->peer_send_ns = s->peer_recv_ns + below(MS);
		s->peer_sent_ns = s->peer_send_ns + below(MS);
	}
	s->krx_ns = below(2) ? s->send_ns + below(3 * MS) : 0;
	s->bpf_ns = below(2) * below(MS);
	s->send_errno = (int16_t)below(120);
	s->send_cpu = (uint16_t)below(4);
	s->phase = (uint16_t)below(4);
	random_stamps(b, s);
	random_events(b, s);
	if (!below(10)) {
		s->stamps = (uint32_t)below(UINT32_MAX);
		s->n_stamps = (uint32_t)below(UINT32_MAX);
	}
	if (!below(10)) {
		s->events = (uint32_t)below(UINT32_MAX);
		s->n_events = (uint32_t)below(UINT32_MAX);
	}
}

static void check_document(const struct zh_explanation *e, const struct zh_record *r)
{
	struct zh_doc *doc = zh_doc_new("test");
	struct zh_text_style style = {0};
	struct zh_err err = {0};
	char *text = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&text, &size);

	zh_explanation_describe(e, r, zh_doc_root(doc));
	assert_int_equal(zh_render_text(doc, &style, out, &err), 0);
	assert_int_equal(zh_render_json(doc, out, &err), 0);
	fclose(out);
	assert_true(size > 100);
	free(text);
	zh_doc_free(doc);
}

static void any_record_is_explained(void **state)
{
	unsigned int round, i;

	(void)state;
	for (round = 0; round < ROUNDS; round++) {
		struct builder b;
		struct zh_explanation *e;

		rng.state = round;
		build_start(&b, SAMPLES, (enum zh_transport_id)below(ZH_TRANSPORT_MAX + 1));
		b.r->hz = (uint32_t)below(2) * 250;
		b.r->n_cpus = (uint32_t)below(5);
		for (i = 0; i < SAMPLES; i++) {
			if (i == 15)
				build_phase(&b, "gap-1ms", MS, below(2));
			random_sample(&b);
		}
		b.r->phases[1].n += (uint32_t)below(2) * 1000;
		e = explain_or_fail(&b);
		check_document(e, b.r);
		zh_explanation_free(e);
		zh_record_free(b.r);
	}
}

static void empty_records(void **state)
{
	struct builder b;
	struct zh_explanation *e;

	(void)state;
	build_start(&b, 1, ZH_TRANSPORT_UDP);
	e = explain_or_fail(&b);
	assert_string_equal(zh_explanation_verdict(e, b.r), "inconclusive");
	assert_true(e->unexplained_share < 0);
	check_document(e, b.r);
	zh_explanation_free(e);
	b.r->n_phases = 0;
	e = explain_or_fail(&b);
	assert_int_equal(e->rtt.count, 0);
	zh_explanation_free(e);
	zh_record_free(b.r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(any_record_is_explained),
		cmocka_unit_test(empty_records),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
