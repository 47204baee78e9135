/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The in-flight table on made-up times: no sockets, no clock.
 */
#include "probe/flight.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#define N_SAMPLES 3000

struct fixture {
	struct zh_flight flight;
	struct zh_record *record;
	struct zh_probe_hooks hooks;
	uint32_t n_ended, last_seq;
	uint64_t last_slack_ns;
};

static void on_sample(void *arg, struct zh_sample *sample, uint64_t slack_ns)
{
	struct fixture *f = arg;

	f->n_ended++;
	f->last_seq = sample->seq;
	f->last_slack_ns = slack_ns;
}

static int set_up(void **state)
{
	static struct fixture f;

	memset(&f, 0, sizeof(f));
	f.record = zh_record_new(&(struct zh_record_limits){1, N_SAMPLES, 0, 0});
	f.record->n_phases = 1;
	f.hooks = (struct zh_probe_hooks){.arg = &f, .sample = on_sample};
	f.flight = (struct zh_flight){.record = f.record, .hooks = &f.hooks, .timeout_ns = 1000};
	*state = &f;
	return 0;
}

static int tear_down(void **state)
{
	struct fixture *f = *state;

	zh_record_free(f->record);
	return 0;
}

static struct zh_sample *send_at(struct fixture *f, uint64_t ns)
{
	struct zh_sample *s = zh_flight_begin(&f->flight, ns);

	s->intended_ns = s->send_ns = s->sent_ns = ns;
	zh_flight_sent(&f->flight, s);
	return s;
}

static void replies_end_samples(void **state)
{
	struct fixture *f = *state;
	struct zh_sample *a = send_at(f, 100), *b = send_at(f, 200);

	assert_int_equal(f->record->n_samples, 2);
	assert_int_equal(zh_flight_deadline(&f->flight), 1100);
	f->flight.next_send_ns = 300;
	zh_flight_reply(&f->flight, 1, 250, 240, 1);
	assert_int_equal(f->n_ended, 1);
	assert_int_equal(f->last_seq, 1);
	assert_int_equal(f->last_slack_ns, 50);
	assert_int_equal(b->recv_ns, 250);
	assert_int_equal(b->krx_ns, 240);
	assert_int_equal(b->recv_cpu, 1);
	assert_int_equal(f->flight.n_open, 1);
	zh_flight_reply(&f->flight, 0, 350, 0, 0);
	assert_int_equal(f->last_slack_ns, 0);
	assert_int_equal(a->flags | b->flags, 0);
	assert_int_equal(f->flight.oldest, 2);
	assert_int_equal(zh_flight_deadline(&f->flight), UINT64_MAX);
	/* Nobody can answer what was not sent, nor before it was sent. */
	zh_flight_reply(&f->flight, 2, 400, 0, 0);
	send_at(f, 500);
	zh_flight_reply(&f->flight, 2, 499, 0, 0);
	assert_int_equal(f->n_ended, 2);
	assert_int_equal(f->flight.n_open, 1);
}

static void time_runs_out(void **state)
{
	struct fixture *f = *state;
	struct zh_sample *a = send_at(f, 100), *b = send_at(f, 200);

	zh_flight_expire(&f->flight, 1099);
	assert_int_equal(f->n_ended, 0);
	zh_flight_expire(&f->flight, 1100);
	assert_int_equal(f->n_ended, 1);
	assert_int_equal(a->flags, ZH_SAMPLE_LOST);
	assert_int_equal(b->flags, 0);
	/* Late: noted, still lost, no second end. Again: a duplicate. */
	zh_flight_reply(&f->flight, 0, 1150, 0, 0);
	assert_int_equal(a->flags, ZH_SAMPLE_LOST | ZH_SAMPLE_LATE);
	assert_int_equal(a->recv_ns, 1150);
	zh_flight_reply(&f->flight, 0, 1160, 0, 0);
	assert_true(a->flags & ZH_SAMPLE_DUPLICATE);
	assert_int_equal(a->recv_ns, 1150);
	assert_int_equal(f->n_ended, 1);
	/* Read after the time-out though nobody had given it up yet. */
	zh_flight_reply(&f->flight, 1, 1300, 0, 0);
	assert_int_equal(b->flags, ZH_SAMPLE_LOST | ZH_SAMPLE_LATE);
	assert_int_equal(f->n_ended, 2);
}

static void the_window_is_bounded(void **state)
{
	struct fixture *f = *state;
	uint32_t i;

	f->flight.timeout_ns = UINT32_MAX;
	for (i = 0; i < 2500; i++) {
		send_at(f, 100 + i);
		assert_true(f->flight.n_open <= ZH_FLIGHT_MAX);
	}
	assert_int_equal(f->n_ended, 2500 - ZH_FLIGHT_MAX);
	for (i = 0; i < 2500; i++)
		assert_int_equal(
			f->record->samples[i].flags, i < 2500 - ZH_FLIGHT_MAX ? ZH_SAMPLE_LOST : 0);
	/* Those in the window can all be answered, in any order; the others are late. */
	for (i = 2500; i-- > 0;)
		zh_flight_reply(&f->flight, i, 5000, 0, 0);
	for (i = 0; i < 2500; i++)
		assert_int_equal(
			zh_sample_answered(&f->record->samples[i]), i >= 2500 - ZH_FLIGHT_MAX);
	assert_int_equal(f->n_ended, 2500);
	assert_int_equal(f->flight.n_open, 0);
	assert_int_equal(f->flight.oldest, 2500);
}

static void failures_and_refusals(void **state)
{
	struct fixture *f = *state;
	struct zh_sample *a = send_at(f, 100), *b;

	b = zh_flight_begin(&f->flight, 200);
	b->send_ns = 200;
	zh_flight_send_failed(&f->flight, b, ENETUNREACH, 210);
	assert_int_equal(b->flags, ZH_SAMPLE_LOST | ZH_SAMPLE_SEND_FAILED);
	assert_int_equal(b->send_errno, ENETUNREACH);
	assert_int_equal(f->flight.n_open, 1);
	/* A reply to what was never sent is somebody's joke. */
	zh_flight_reply(&f->flight, 1, 220, 0, 0);
	assert_int_equal(b->recv_ns, 0);
	zh_flight_refused(&f->flight, ECONNREFUSED, 230);
	assert_int_equal(a->flags, ZH_SAMPLE_LOST);
	assert_int_equal(a->send_errno, ECONNREFUSED);
	assert_int_equal(f->n_ended, 2);
	zh_flight_refused(&f->flight, ECONNREFUSED, 240);
	assert_int_equal(f->n_ended, 2);
}

static void stopping_takes_back_the_undecided(void **state)
{
	struct fixture *f = *state;

	send_at(f, 100);
	send_at(f, 110);
	send_at(f, 120);
	send_at(f, 130);
	send_at(f, 140);
	zh_flight_reply(&f->flight, 0, 150, 0, 0);
	zh_flight_reply(&f->flight, 2, 150, 0, 0);
	zh_flight_abandon(&f->flight, 160);
	assert_int_equal(f->record->n_samples, 3);
	assert_int_equal(f->flight.n_open, 0);
	assert_true(zh_sample_answered(&f->record->samples[0]));
	assert_int_equal(f->record->samples[1].flags, ZH_SAMPLE_LOST);
	assert_true(zh_sample_answered(&f->record->samples[2]));
	assert_int_equal(f->n_ended, 3);
}

static void samples_of_another_record_are_left_alone(void **state)
{
	struct fixture *f = *state;
	struct zh_sample *a = send_at(f, 100);

	zh_flight_expire(&f->flight, 2000);
	f->flight.known = f->flight.first = 1;
	zh_flight_reply(&f->flight, 0, 2100, 0, 0);
	assert_int_equal(a->flags, ZH_SAMPLE_LOST);
	f->flight.known = 0;
	zh_flight_reply(&f->flight, 0, 2100, 0, 0);
	assert_int_equal(a->flags, ZH_SAMPLE_LOST | ZH_SAMPLE_LATE);
}

#define FLIGHT_TEST(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		FLIGHT_TEST(replies_end_samples),
		FLIGHT_TEST(time_runs_out),
		FLIGHT_TEST(the_window_is_bounded),
		FLIGHT_TEST(failures_and_refusals),
		FLIGHT_TEST(stopping_takes_back_the_undecided),
		FLIGHT_TEST(samples_of_another_record_are_left_alone),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
