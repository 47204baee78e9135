/* SPDX-License-Identifier: BSD-2-Clause */
/* The open loop: sends by the clock, charges a stall with what was due during it, and counts what
 * was lost instead of waiting for it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>

#include "base/clock.h"
#include "base/util.h"
#include "bench/testing.h"
#include "stats/histogram.h"
#include "sys/process.h"

#define GAP_NS (200 * ZH_NSEC_PER_USEC)
#define TRIES 3

static struct zh_histogram *histogram;

static void init(struct bench_case *c, const char *transport)
{
	bench_case_init(c, transport, histogram);
	c->cell.mode = ZH_BENCH_RATE;
	c->cell.gap_ns = GAP_NS;
}

static void run(struct bench_case *c)
{
	if (zh_bench_round(&c->config, &c->result, &c->err) < 0)
		fail_msg("%s: %s", c->cell.transport, c->err.text);
}

static void keeps_the_rate(void **state)
{
	const struct zh_bench_transport *transport;
	const struct zh_bench_round *r;
	struct bench_case c;
	size_t i, n = 0;
	uint8_t spin;

	(void)state;
	for (i = 0; (transport = zh_bench_transport_registry[i]); i++)
		for (spin = 0; spin < 2; spin++) {
			init(&c, transport->name);
			c.cell.spin = spin;
			c.config.duration_ns = 40 * ZH_NSEC_PER_MSEC;
			if (zh_bench_check(&c.cell, NULL) < 0)
				continue;
			n++;
			if (zh_bench_round(&c.config, &c.result, &c.err) == -EPERM)
				continue; /* icmp needs a right */
			r = &c.result.round;
			assert_string_equal(c.err.text, "");
			assert_int_equal(r->sent, c.config.duration_ns / GAP_NS);
			assert_int_equal(r->missing, 0);
			assert_int_equal(r->messages, r->sent);
			assert_int_equal(r->bytes, r->sent * c.cell.size_bytes);
			assert_int_equal(histogram->n, r->messages);
			assert_true(r->min_ns > 0 && r->sum_ns >= r->messages * r->min_ns);
			assert_true(r->elapsed_ns >= c.config.duration_ns);
		}
	assert_true(n >= 8);
}

static void refuses(void **state)
{
	struct bench_case c;

	(void)state;
	init(&c, "udp");
	c.cell.size_bytes = 7;
	assert_int_equal(zh_bench_check(&c.cell, &c.err), -EINVAL);
	assert_non_null(strstr(c.err.text, "at least 8 bytes"));
	init(&c, "udp");
	c.cell.gap_ns = 0;
	assert_int_equal(zh_bench_check(&c.cell, &c.err), -EINVAL);
	init(&c, "shm-futex");
	assert_int_equal(zh_bench_check(&c.cell, &c.err), -EINVAL);
}

/* A rate that nothing reaches: it ends, and tells by how much it fell short. */
static void too_fast(void **state)
{
	const char *transport = *state;
	const struct zh_bench_round *r;
	struct bench_case c;

	init(&c, transport);
	c.cell.gap_ns = 100;
	c.cell.size_bytes = 32768;
	run(&c);
	r = &c.result.round;
	assert_int_equal(r->ended_early, 0);
	assert_true(r->sent < c.config.duration_ns / c.cell.gap_ns);
	assert_true(r->elapsed_ns > 2 * r->sent * c.cell.gap_ns);
	assert_int_equal(r->sent, r->messages + r->missing);
	/* Those sent last were due long before. */
	assert_true(r->max_ns > c.config.duration_ns / 4);
}

/* Stops the peer once, for a while, from a thread of its own. */
struct pause {
	pthread_t thread;
	pid_t peer;
	uint64_t after_ns, for_ns;
	uint64_t from_ns, to_ns; /* when it was stopped, for real */
};

static void *stop_and_go(void *arg)
{
	struct pause *pause = arg;

	zh_sleep_until(zh_now_ns() + pause->after_ns);
	zh_process_signal(pause->peer, SIGSTOP);
	pause->from_ns = zh_now_ns();
	zh_sleep_until(pause->from_ns + pause->for_ns);
	pause->to_ns = zh_now_ns();
	zh_process_signal(pause->peer, SIGCONT);
	return NULL;
}

static void start_pause(void *arg, pid_t peer)
{
	struct pause *pause = arg;

	pause->peer = peer;
	assert_int_equal(pthread_create(&pause->thread, NULL, stop_and_go, pause), 0);
}

static void run_paused(struct bench_case *c, struct pause *pause)
{
	c->config.started = start_pause;
	c->config.arg = pause;
	run(c);
	pthread_join(pause->thread, NULL);
}

/*
 * What p99 must be by the schedule alone: messages that were due while the peer was stopped waited
 * for its end, all others took no time. In ns.
 */
static uint64_t true_p99(const struct bench_case *c, const struct pause *pause)
{
	uint64_t gap = c->cell.gap_ns, n = c->config.duration_ns / gap, i, due;
	uint64_t start = c->result.round.start_ns;

	zh_histogram_clear(histogram);
	for (i = 0; i < n; i++) {
		due = start + i * gap;
		zh_histogram_add(histogram,
			due > pause->from_ns && due < pause->to_ns ? pause->to_ns - due : 1);
	}
	return zh_histogram_quantile(histogram, 0.99);
}

/* A short form of the acceptance test in tests/accuracy: 45 ms of 1 s. */
static void charges_a_stall(void **state)
{
	const char *transport = *state;
	uint64_t got, want;
	struct bench_case c;
	int try;

	for (try = 0;; try++) {
		struct pause pause = {
			.after_ns = 300 * ZH_NSEC_PER_MSEC, .for_ns = 45 * ZH_NSEC_PER_MSEC};

		init(&c, transport);
		c.config.duration_ns = ZH_NSEC_PER_SEC;
		c.cell.gap_ns = ZH_NSEC_PER_MSEC;
		run_paused(&c, &pause);
		assert_int_equal(c.result.round.messages, 1000);
		assert_int_equal(c.result.round.missing, 0);
		got = zh_histogram_quantile(histogram, 0.99);
		want = true_p99(&c, &pause);
		if (got > want - want / 10 && got < want + want / 10)
			return;
		/* The host may have been away meanwhile. */
		if (try == TRIES - 1)
			fail_msg("%s: p99 is %.1f ms instead of %.1f", transport, (double)got / 1e6,
				(double)want / 1e6);
	}
}

/* What does not fit into the buffer of a peer that is stopped is missing, and it is known where. */
static void counts_losses(void **state)
{
	struct pause pause = {.after_ns = 50 * ZH_NSEC_PER_MSEC, .for_ns = 150 * ZH_NSEC_PER_MSEC};
	uint64_t sum = 0, known = 0;
	struct bench_case c;
	size_t i;

	(void)state;
	init(&c, "udp");
	c.cell.buf_bytes = 4096;
	c.config.duration_ns = 400 * ZH_NSEC_PER_MSEC;
	run_paused(&c, &pause);
	assert_int_equal(c.result.round.ended_early, 0);
	assert_true(c.result.round.missing > 300);
	assert_int_equal(c.result.round.sent, c.result.round.messages + c.result.round.missing);
	for (i = 0; i < c.result.n_losses; i++) {
		sum += c.result.losses[i].count;
		known += strcmp(c.result.losses[i].counter, "unattributed")
				 ? c.result.losses[i].count
				 : 0;
	}
	assert_int_equal(sum, c.result.round.missing);
	assert_int_equal(known, sum);
	assert_non_null(strstr(c.result.losses[0].counter, "socket drops"));
}

/* A peer that is killed ends the round; what it had answered until then stays. */
static void *kill_it(void *arg)
{
	struct pause *pause = arg;

	zh_sleep_until(zh_now_ns() + pause->after_ns);
	zh_process_signal(pause->peer, SIGKILL);
	return NULL;
}

static void start_kill(void *arg, pid_t peer)
{
	struct pause *pause = arg;

	pause->peer = peer;
	assert_int_equal(pthread_create(&pause->thread, NULL, kill_it, pause), 0);
}

static void survives_the_peer(void **state)
{
	const char *transport = *state;
	struct pause pause = {.after_ns = 100 * ZH_NSEC_PER_MSEC};
	struct bench_case c;

	init(&c, transport);
	c.config.duration_ns = 4 * ZH_NSEC_PER_SEC;
	c.config.started = start_kill;
	c.config.arg = &pause;
	run(&c);
	pthread_join(pause.thread, NULL);
	assert_int_equal(c.result.round.ended_early, 1);
	assert_int_equal(c.result.ended.code, -ESRCH);
	assert_in_range(c.result.round.messages, 100, 10000);
	assert_int_equal(c.result.round.sent, c.result.round.messages);
}

static bool stop_later(void *arg)
{
	return zh_now_ns() > *(uint64_t *)arg;
}

static void stops(void **state)
{
	uint64_t until = zh_now_ns() + 400 * ZH_NSEC_PER_MSEC;
	struct bench_case c;

	(void)state;
	init(&c, "tcp");
	c.config.duration_ns = 60 * ZH_NSEC_PER_SEC;
	c.config.stop = stop_later;
	c.config.arg = &until;
	run(&c);
	assert_int_equal(c.result.round.ended_early, 1);
	assert_int_equal(c.result.ended.code, -EINTR);
	assert_in_range(c.result.round.messages, 500, 20000);
}

static int set_up(void **state)
{
	(void)state;
	histogram = zh_histogram_new();
	return histogram ? 0 : -1;
}

static int tear_down(void **state)
{
	(void)state;
	histogram = zh_histogram_free(histogram);
	return 0;
}

#define WITH(f, arg)                                                                               \
	{                                                                                          \
		.name = #f " " arg, .test_func = f, .initial_state = (void *)(uintptr_t)arg        \
	}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(keeps_the_rate),
		cmocka_unit_test(refuses),
		WITH(too_fast, "tcp"),
		WITH(too_fast, "udp"),
		WITH(too_fast, "unix-stream"),
		WITH(too_fast, "pipe"),
		WITH(charges_a_stall, "tcp"),
		WITH(charges_a_stall, "unix-dgram"),
		WITH(charges_a_stall, "udp"),
		cmocka_unit_test(counts_losses),
		WITH(survives_the_peer, "tcp"),
		WITH(survives_the_peer, "udp"),
		WITH(survives_the_peer, "pipe"),
		cmocka_unit_test(stops),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}
