/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Every transport over the loopback device of the machine, without privileges where there are none.
 * Counts and orders only: the machine may be busy.
 */
#include "probe/probe.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/clock.h"
#include "base/util.h"
#include "probe/testing.h"

static void check_sample(const struct zh_record *record, uint32_t i)
{
	const struct zh_sample *s = &record->samples[i];
	const struct zh_phase *phase = &record->phases[s->phase];

	assert_int_equal(s->seq, i);
	assert_int_equal(s->flags, 0);
	assert_int_equal(s->send_errno, 0);
	assert_true(zh_sample_answered(s));
	assert_true(s->intended_ns && s->intended_ns <= s->send_ns);
	assert_true(s->send_ns <= s->sent_ns && s->send_ns < s->recv_ns);
	assert_true(s->intended_ns >= phase->start_ns && s->recv_ns <= phase->end_ns);
	if (phase->gap_ns && i > phase->first)
		assert_int_equal(s->intended_ns - s[-1].intended_ns, phase->gap_ns);
	if (!phase->own_responder) {
		assert_int_equal(s->peer_recv_ns, 0);
		return;
	}
	assert_true(s->send_ns < s->peer_recv_ns && s->peer_recv_ns <= s->peer_send_ns);
	assert_true(s->peer_send_ns < s->peer_sent_ns && s->peer_send_ns < s->recv_ns);
}

struct round_trip {
	const char *target;
	uint32_t size_bytes;
	bool may_be_denied;
};

/* A closed loop and a paced phase in one record; exact counts. */
static void round_trip(void **state)
{
	const struct round_trip *t = *state;
	struct zh_record *record = zh_record_new(&(struct zh_record_limits){4, 200, 0, 0});
	struct zh_probe_config config = zh_test_config(t->target);
	struct zh_test_hooks hooks = {0};
	struct zh_probe *probe;
	struct zh_err err;
	uint32_t i;
	int r;

	config.size_bytes = t->size_bytes;
	config.kernel_stamps = true;
	zh_test_hooks(&config, &hooks);
	r = zh_probe_open(&config, &probe, &err);
	if (t->may_be_denied && (r == -EPERM || r == -EINVAL)) {
		zh_record_free(record);
		skip();
	}
	if (r < 0)
		fail_msg("%s: %s", t->target, err.text);
	assert_int_equal(
		zh_probe_phase(probe, "closed", 73, 0, ZH_NSEC_PER_SEC * 5, record, &err), 0);
	assert_int_equal(
		zh_probe_phase(probe, "paced", 51, 500000, ZH_NSEC_PER_SEC * 5, record, &err), 0);
	zh_probe_close(probe);
	assert_int_equal(record->n_phases, 2);
	assert_int_equal(record->n_samples, 73 + 51);
	assert_int_equal(record->phases[1].first, 73);
	assert_int_equal(record->phases[1].n, 51);
	assert_int_equal(hooks.n_samples, 73 + 51);
	assert_int_equal(hooks.n_in_order, 73 + 51);
	assert_int_equal(hooks.n_sockets[ZH_ROLE_PROBER], 1);
	assert_int_equal(hooks.n_sockets[ZH_ROLE_RESPONDER], record->phases[0].own_responder);
	for (i = 0; i < record->n_samples; i++)
		check_sample(record, i);
	zh_record_free(record);
}

static void kernel_stamps_lie_within(void **state)
{
	struct zh_record *record = zh_record_new(&(struct zh_record_limits){1, 50, 0, 0});
	struct zh_probe_config config = zh_test_config("udp:127.0.0.1");
	const struct zh_sample *s;

	(void)state;
	config.kernel_stamps = true;
	zh_test_phase(&config, record, 50, 200000, ZH_NSEC_PER_SEC * 5);
	for (s = record->samples; s < record->samples + 50; s++) {
		if (!s->krx_ns)
			continue; /* somebody set the clock meanwhile */
		/* The offset between the clocks is known to about a microsecond. */
		assert_true(s->krx_ns + 20000 > s->peer_send_ns);
		assert_true(s->krx_ns < s->recv_ns + 20000);
	}
	zh_record_free(record);
}

/* 20 ms for each answer at 1 ms between the requests: many in flight, none lost. */
static void many_in_flight(void **state)
{
	struct zh_record *record = zh_record_new(&(struct zh_record_limits){1, 25, 0, 0});
	struct zh_probe_config config = zh_test_config(*state);
	struct zh_test_hooks hooks = {0};
	uint32_t i;

	config.peer_delay_ns = 20 * ZH_NSEC_PER_MSEC;
	zh_test_hooks(&config, &hooks);
	zh_test_phase(&config, record, 25, ZH_NSEC_PER_MSEC, 20 * ZH_NSEC_PER_SEC);
	assert_int_equal(hooks.n_in_order, 25);
	for (i = 0; i < 25; i++) {
		check_sample(record, i);
		assert_true(record->samples[i].peer_send_ns - record->samples[i].peer_recv_ns >=
			    config.peer_delay_ns);
	}
	assert_true(record->samples[0].recv_ns > record->samples[1].send_ns);
	assert_true(zh_sample_rtt(&record->samples[24]) > 400 * ZH_NSEC_PER_MSEC);
	zh_record_free(record);
}

/* A Unix datagram socket takes a few messages (net.unix.max_dgram_qlen), then refuses. */
static void a_full_queue_is_a_failed_send(void **state)
{
	struct zh_record *record = zh_record_new(&(struct zh_record_limits){1, 600, 0, 0});
	struct zh_probe_config config = zh_test_config("unix-dgram:");
	uint32_t i, failed = 0;

	(void)state;
	config.peer_delay_ns = 5 * ZH_NSEC_PER_MSEC;
	zh_test_phase(&config, record, 600, 10000, 60 * ZH_NSEC_PER_SEC);
	for (i = 0; i < 600; i++) {
		if (!(record->samples[i].flags & ZH_SAMPLE_SEND_FAILED)) {
			check_sample(record, i);
			continue;
		}
		failed++;
		assert_int_equal(record->samples[i].send_errno, EAGAIN);
		assert_int_equal(record->samples[i].recv_ns, 0);
	}
	assert_in_range(failed, 1, 599);
	zh_record_free(record);
}

/* Answers come after the time-out: counted as lost, their time is known. */
static void late_replies(void **state)
{
	struct zh_record *record = zh_record_new(&(struct zh_record_limits){2, 30, 0, 0});
	struct zh_probe_config config = zh_test_config("udp:127.0.0.1");
	struct zh_probe *probe;
	struct zh_err err;
	uint32_t i, late = 0;

	(void)state;
	config.peer_delay_ns = 30 * ZH_NSEC_PER_MSEC;
	assert_int_equal(zh_probe_open(&config, &probe, &err), 0);
	zh_probe_phase(probe, "a", 5, 100 * ZH_NSEC_PER_MSEC, 10 * ZH_NSEC_PER_MSEC, record, &err);
	/* The last one comes in the time of the next phase. */
	zh_probe_phase(probe, "b", 2, 300 * ZH_NSEC_PER_MSEC, 10 * ZH_NSEC_PER_MSEC, record, &err);
	zh_probe_close(probe);
	assert_int_equal(record->n_samples, 7);
	for (i = 0; i < 7; i++) {
		assert_true(record->samples[i].flags & ZH_SAMPLE_LOST);
		assert_false(zh_sample_answered(&record->samples[i]));
		if (!(record->samples[i].flags & ZH_SAMPLE_LATE))
			continue;
		late++;
		assert_true(zh_sample_rtt(&record->samples[i]) >= config.peer_delay_ns);
	}
	assert_int_equal(late, 6);
	assert_false(record->samples[6].flags & ZH_SAMPLE_LATE);
	zh_record_free(record);
}

/* Paced faster than the round trip, the prober is always late. It must receive all the same: what
 * fits its socket (a few hundred) was once all that counted as answered. */
static void overload_is_not_our_own_loss(void **state)
{
	struct zh_record *record = zh_record_new(&(struct zh_record_limits){1, 20000, 0, 0});
	struct zh_probe_config config = zh_test_config("udp:127.0.0.1");
	uint32_t i, answered = 0;

	(void)state;
	zh_test_phase(&config, record, 20000, ZH_NSEC_PER_USEC, ZH_NSEC_PER_SEC);
	for (i = 0; i < record->n_samples; i++)
		answered += zh_sample_answered(&record->samples[i]);
	assert_true(answered > 1500);
	zh_record_free(record);
}

static void a_silent_peer_is_loss(void **state)
{
	struct zh_record *record = zh_record_new(&(struct zh_record_limits){1, 40, 0, 0});
	struct zh_test_peer peer = zh_test_peer_udp(ZH_TEST_PEER_SILENT);
	struct zh_probe_config config = zh_test_config(peer.target);
	uint64_t start = zh_now_ns();
	uint32_t i;

	(void)state;
	zh_test_phase(&config, record, 40, ZH_NSEC_PER_MSEC, 50 * ZH_NSEC_PER_MSEC);
	assert_true(zh_now_ns() - start < 10 * ZH_NSEC_PER_SEC);
	assert_false(record->phases[0].own_responder);
	for (i = 0; i < 40; i++) {
		assert_int_equal(record->samples[i].flags, ZH_SAMPLE_LOST);
		assert_int_equal(record->samples[i].recv_ns, 0);
	}
	zh_test_peer_stop(&peer);
	zh_record_free(record);
}

static void an_echo_that_answers_twice(void **state)
{
	struct zh_record *record = zh_record_new(&(struct zh_record_limits){1, 40, 0, 0});
	struct zh_test_peer peer = zh_test_peer_udp(ZH_TEST_PEER_TWICE);
	struct zh_probe_config config = zh_test_config(peer.target);
	uint32_t i, duplicates = 0;

	(void)state;
	zh_test_phase(&config, record, 40, ZH_NSEC_PER_MSEC, 5 * ZH_NSEC_PER_SEC);
	for (i = 0; i < 40; i++) {
		assert_true(zh_sample_answered(&record->samples[i]));
		duplicates += !!(record->samples[i].flags & ZH_SAMPLE_DUPLICATE);
	}
	/* That of the last one may come after the end. */
	assert_in_range(duplicates, 39, 40);
	zh_test_peer_stop(&peer);
	zh_record_free(record);
}

static void foreign_echo_services(void **state)
{
	struct zh_record *record = zh_record_new(&(struct zh_record_limits){1, 40, 0, 0});
	struct zh_test_peer peer = zh_test_peer_named(*state);
	struct zh_probe_config config = zh_test_config(peer.target);
	uint32_t i;

	config.size_bytes = 3000;
	zh_test_phase(&config, record, 40, 0, 5 * ZH_NSEC_PER_SEC);
	for (i = 0; i < 40; i++)
		check_sample(record, i);
	assert_false(record->phases[0].own_responder);
	assert_string_equal(record->phases[0].target, peer.target);
	zh_test_peer_stop(&peer);
	zh_record_free(record);
}

static void stop_ends_early(void **state)
{
	struct zh_record *record = zh_record_new(&(struct zh_record_limits){1, 1000, 0, 0});
	struct zh_probe_config config = zh_test_config("udp:127.0.0.1");
	struct zh_test_hooks hooks = {.stop_after = 7};
	uint64_t start = zh_now_ns();
	uint32_t i;

	(void)state;
	zh_test_hooks(&config, &hooks);
	zh_test_phase(&config, record, 1000, 100 * ZH_NSEC_PER_MSEC, 5 * ZH_NSEC_PER_SEC);
	assert_true(zh_now_ns() - start < 50 * ZH_NSEC_PER_SEC);
	assert_in_range(record->n_samples, 1, 7);
	assert_int_equal(record->phases[0].n, record->n_samples);
	for (i = 0; i < record->n_samples; i++)
		check_sample(record, i);
	zh_record_free(record);
}

static void what_cannot_be_opened(void **state)
{
	static const struct {
		const char *target;
		int code;
		const char *text, *hint;
	} bad[] = {
		{"udp:no-such-host.invalid", -EINVAL, "cannot resolve 'no-such-host.invalid'", ""},
		{"udp:192.0.2.1", -EADDRNOTAVAIL,
			"cannot answer on udp:192.0.2.1: ", "give an echo service's port"},
		{"tcp:127.0.0.1:1", -ECONNREFUSED, "cannot connect to tcp:127.0.0.1:1: ", ""},
		{"unix:/nonexistent/socket", -ENOENT,
			"cannot connect to unix:/nonexistent/socket: ", ""},
	};
	struct zh_probe_config config;
	struct zh_probe *probe;
	struct zh_err err;
	size_t i;

	(void)state;
	for (i = 0; i < ZH_ARRAY_SIZE(bad); i++) {
		config = zh_test_config(bad[i].target);
		assert_int_equal(zh_probe_open(&config, &probe, &err), bad[i].code);
		assert_non_null(strstr(err.text, bad[i].text));
		assert_non_null(strstr(err.hint, bad[i].hint));
	}
	config = zh_test_config("udp:127.0.0.1");
	config.size_bytes = 8;
	assert_int_equal(zh_probe_open(&config, &probe, &err), -EINVAL);
	assert_string_equal(err.text, "udp probes have 24 to 65507 bytes, not 8");
}

/* A closed UDP port: the refusal is noted with each sample, and no time-out is waited for. */
static void a_refusal_is_noted(void **state)
{
	struct zh_record *record = zh_record_new(&(struct zh_record_limits){1, 20, 0, 0});
	struct zh_test_peer peer = zh_test_peer_udp(ZH_TEST_PEER_SILENT);
	struct zh_probe_config config = zh_test_config(peer.target);
	uint64_t start = zh_now_ns();
	uint32_t i;

	(void)state;
	zh_test_peer_stop(&peer);
	zh_test_phase(&config, record, 20, 0, 30 * ZH_NSEC_PER_SEC);
	assert_true(zh_now_ns() - start < 30 * ZH_NSEC_PER_SEC);
	for (i = 0; i < 20; i++) {
		assert_int_equal(record->samples[i].flags, ZH_SAMPLE_LOST);
		assert_int_equal(record->samples[i].send_errno, ECONNREFUSED);
	}
	zh_record_free(record);
}

/* The peer ends the connection: the rest fails, nothing hangs or spins. */
static void a_closed_connection(void **state)
{
	struct zh_record *record = zh_record_new(&(struct zh_record_limits){1, 20, 0, 0});
	struct zh_test_peer peer = zh_test_peer_named("tcp-close");
	struct zh_probe_config config = zh_test_config(peer.target);
	uint32_t i;

	(void)state;
	zh_test_phase(&config, record, 20, ZH_NSEC_PER_MSEC, 30 * ZH_NSEC_PER_SEC);
	assert_true(zh_sample_answered(&record->samples[0]));
	/* Where the machine stalls, a few messages come in one piece and are answered together. */
	for (i = 10; i < 20; i++)
		assert_true(record->samples[i].flags & ZH_SAMPLE_LOST);
	assert_true(record->samples[19].flags & ZH_SAMPLE_SEND_FAILED);
	zh_test_peer_stop(&peer);
	zh_record_free(record);
}

static void pinning_is_honoured(void **state)
{
	struct zh_record *record = zh_record_new(&(struct zh_record_limits){1, 40, 0, 0});
	struct zh_probe_config config = zh_test_config("udp:127.0.0.1");
	int cpus[2] = {0, 0};
	uint32_t i;

	(void)state;
	if (zh_test_two_cpus(cpus) < 1)
		skip();
	config.cpu = cpus[0];
	config.peer_cpu = cpus[1];
	zh_test_phase(&config, record, 40, 0, 5 * ZH_NSEC_PER_SEC);
	for (i = 0; i < 40; i++) {
		check_sample(record, i);
		assert_int_equal(record->samples[i].send_cpu, cpus[0]);
		assert_int_equal(record->samples[i].recv_cpu, cpus[0]);
		assert_int_equal(record->samples[i].peer_cpu, cpus[1]);
	}
	config.cpu = 1023;
	assert_int_equal(zh_test_try_phase(&config, record), -ENOSPC);
	record->n_phases = 0;
	record->n_samples = 0;
	assert_int_equal(zh_test_try_phase(&config, record), -EINVAL);
	config.cpu = -1;
	config.peer_cpu = 1023;
	assert_int_equal(zh_test_try_phase(&config, record), -EINVAL);
	zh_record_free(record);
}

/* Closing right after opening, while the responder may be anywhere in its start. */
static void open_and_close(void **state)
{
	static const char *const targets[] = {
		"udp:127.0.0.1", "tcp:127.0.0.1", "unix:", "unix-dgram:"};
	struct zh_probe_config config;
	struct zh_probe *probe;
	uint64_t start = zh_now_ns();
	struct zh_err err;
	int i;

	(void)state;
	for (i = 0; i < 200; i++) {
		config = zh_test_config(targets[i % 4]);
		assert_int_equal(zh_probe_open(&config, &probe, &err), 0);
		assert_null(zh_probe_close(probe));
	}
	/* A close that ran into its time-out would take seconds each time. */
	assert_true(zh_now_ns() - start < 60 * ZH_NSEC_PER_SEC);
	assert_null(zh_probe_close(NULL));
}

#define ROUND_TRIP(target, size, denied)                                                           \
	{                                                                                          \
		"round_trip " target, round_trip, NULL, NULL, &(struct round_trip)                 \
		{                                                                                  \
			target, size, denied                                                       \
		}                                                                                  \
	}
#define FOREIGN(name)                                                                              \
	{                                                                                          \
		"foreign_echo " name, foreign_echo_services, NULL, NULL, name                      \
	}

int main(void)
{
	const struct CMUnitTest tests[] = {
		ROUND_TRIP("127.0.0.1", 64, true),
		ROUND_TRIP("::1", 64, true),
		ROUND_TRIP("icmp:127.0.0.1", 1001, true),
		ROUND_TRIP("udp:127.0.0.1", 24, false),
		ROUND_TRIP("udp:[::1]", 64, true),
		ROUND_TRIP("udp:127.0.0.1", 9000, false),
		ROUND_TRIP("tcp:127.0.0.1", 64, false),
		ROUND_TRIP("tcp:[::1]", 64, true),
		ROUND_TRIP("tcp:127.0.0.1", 1 << 20, false),
		ROUND_TRIP("unix:", 64, false),
		ROUND_TRIP("unix:", 1 << 20, false),
		ROUND_TRIP("unix-dgram:", 64, false),
		cmocka_unit_test(kernel_stamps_lie_within),
		cmocka_unit_test_prestate(many_in_flight, "udp:127.0.0.1"),
		cmocka_unit_test_prestate(many_in_flight, "tcp:127.0.0.1"),
		cmocka_unit_test_prestate(many_in_flight, "unix:"),
		cmocka_unit_test(a_full_queue_is_a_failed_send),
		cmocka_unit_test(late_replies),
		cmocka_unit_test(overload_is_not_our_own_loss),
		cmocka_unit_test(a_silent_peer_is_loss),
		cmocka_unit_test(an_echo_that_answers_twice),
		FOREIGN("udp"),
		FOREIGN("tcp"),
		FOREIGN("unix"),
		FOREIGN("unix-dgram"),
		cmocka_unit_test(stop_ends_early),
		cmocka_unit_test(what_cannot_be_opened),
		cmocka_unit_test(a_refusal_is_noted),
		cmocka_unit_test(a_closed_connection),
		cmocka_unit_test(pinning_is_honoured),
		cmocka_unit_test(open_and_close),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
