/* SPDX-License-Identifier: BSD-2-Clause */
/* Rounds that work: every transport in every mode and placement, sizes, buffers, bytes, and what
 * was used. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include <sched.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/util.h"
#include "bench/loops.h"
#include "bench/testing.h"
#include "sys/process.h"
#include "sys/sched.h"

static struct zh_histogram *histogram;

/* Runs every cell of a transport that makes sense; returns how many. */
static size_t run_all(const char *transport, uint8_t mode)
{
	struct bench_case c;
	uint8_t placement, spin;
	size_t n = 0;

	for (placement = 0; placement < ZH_PLACE_MAX; placement++)
		for (spin = 0; spin < 2; spin++) {
			bench_case_init(&c, transport, histogram);
			c.cell.mode = mode;
			c.cell.spin = spin;
			bench_case_place(&c, placement);
			if (zh_bench_check(&c.cell, NULL) < 0)
				continue;
			bench_case_check(&c);
			n++;
		}
	return n;
}

static const char *const lossless[] = {
	"tcp", "unix-stream", "unix-dgram", "unix-seqpacket", "pipe", "socketpair"};

/* Every transport with a peer. */
static void run_registry(uint8_t mode)
{
	const struct zh_bench_transport *transport;
	size_t i, n = 0;

	for (i = 0; (transport = zh_bench_transport_registry[i]); i++)
		if (!(transport->flags & ZH_BENCH_NO_PEER))
			n += run_all(transport->name, mode) > 0;
	assert_true(n > ZH_ARRAY_SIZE(lossless));
}

static void every_transport_plays_pingpong(void **state)
{
	(void)state;
	run_registry(ZH_BENCH_PINGPONG);
}

static void every_transport_streams(void **state)
{
	(void)state;
	run_registry(ZH_BENCH_STREAM);
}

/* Larger than any buffer on the way, also when nothing blocks; datagrams at their limit. */
static void large_messages(void **state)
{
	static const struct {
		const char *transport;
		uint32_t size, buf;
	} rows[] = {
		{"tcp", 3 << 20, 0},
		{"unix-stream", 3 << 20, 4096},
		{"pipe", 1 << 20, 0},
		{"udp", 65507, 0},
		{"unix-dgram", 150000, 0},
		{"unix-seqpacket", 150000, 0},
	};
	struct bench_case c;
	uint8_t mode, spin;
	size_t i;

	(void)state;
	for (i = 0; i < ZH_ARRAY_SIZE(rows); i++)
		for (mode = ZH_BENCH_PINGPONG; mode <= ZH_BENCH_STREAM; mode++)
			for (spin = 0; spin < 2; spin++) {
				bench_case_init(&c, rows[i].transport, histogram);
				c.cell.mode = mode;
				c.cell.spin = spin;
				c.cell.size_bytes = rows[i].size;
				c.cell.buf_bytes = rows[i].buf;
				if (zh_bench_check(&c.cell, NULL) >= 0)
					bench_case_check(&c);
			}
}

static void streams_end_after_so_many_bytes(void **state)
{
	struct bench_case c;
	size_t i;

	(void)state;
	for (i = 0; i < ZH_ARRAY_SIZE(lossless); i++) {
		bench_case_init(&c, lossless[i], histogram);
		c.cell.mode = ZH_BENCH_STREAM;
		c.cell.size_bytes = 1000;
		c.config.bytes = 1008999;
		c.config.duration_ns = 10 * ZH_NSEC_PER_SEC;
		c.config.floor_ns = 0;
		bench_case_check(&c);
		assert_int_equal(c.result.round.messages, 1009);
		assert_int_equal(c.result.round.floor_messages, 0);
	}
	bench_case_init(&c, "udp", histogram);
	c.cell.mode = ZH_BENCH_STREAM;
	c.config.bytes = 1009 * 64;
	c.config.duration_ns = 10 * ZH_NSEC_PER_SEC;
	bench_case_check(&c);
	assert_int_equal(c.result.round.sent, 1009);
	/* Or after so long, whichever comes first. */
	bench_case_init(&c, "pipe", histogram);
	c.cell.mode = ZH_BENCH_STREAM;
	c.config.bytes = UINT64_MAX / 2;
	bench_case_check(&c);
}

static void buffers_in_force(void **state)
{
	struct bench_case c;

	(void)state;
	bench_case_init(&c, "tcp", histogram);
	c.cell.buf_bytes = 32768;
	bench_case_check(&c);
	/* The kernel doubles what it is asked for. */
	assert_int_equal(c.cell.sndbuf_bytes, 65536);
	assert_int_equal(c.cell.rcvbuf_bytes, 65536);
	assert_true(strlen(c.cell.congestion) > 0);
	bench_case_init(&c, "pipe", histogram);
	c.cell.buf_bytes = 32768;
	bench_case_check(&c);
	assert_int_equal(c.cell.sndbuf_bytes, 32768);
	assert_int_equal(c.cell.rcvbuf_bytes, 0);
	bench_case_init(&c, "unix-stream", histogram);
	bench_case_check(&c);
	assert_true(c.cell.sndbuf_bytes > 0);
	assert_string_equal(c.cell.congestion, "");
}

/* On one CPU every message takes two switches, and both sides together use nearly all of it. */
static void what_was_used(void **state)
{
	const struct zh_bench_round *r;
	struct bench_case c;

	(void)state;
	bench_case_init(&c, "pipe", histogram);
	c.config.duration_ns = 100 * ZH_NSEC_PER_MSEC;
	bench_case_place(&c, ZH_PLACE_SAME_CPU);
	bench_case_check(&c);
	r = &c.result.round;
	assert_in_range(r->switches + r->preempted, r->messages * 9 / 10, r->messages * 11 / 10);
	assert_in_range(
		r->peer_switches + r->peer_preempted, r->messages * 9 / 10, r->messages * 11 / 10);
	assert_true(r->peer_cpu_ns > r->cpu_ns / 4 && r->cpu_ns > r->peer_cpu_ns / 4);
	assert_true(r->cpu_ns + r->peer_cpu_ns <= r->elapsed_ns * 11 / 10);
}

static int __attribute__((noreturn)) burn(void *arg)
{
	const struct bench_case *c = arg;

	zh_sched_pin(c->cell.cpu, NULL);
	for (;;)
		;
}

/* Another program that computes on our CPU is seen, and how much it took. */
static void foreign_time(void **state)
{
	const struct zh_bench_round *r;
	struct bench_case c;
	pid_t hog;

	(void)state;
	bench_case_init(&c, "pipe", histogram);
	c.config.duration_ns = 300 * ZH_NSEC_PER_MSEC;
	bench_case_place(&c, ZH_PLACE_SAME_CPU);
	assert_int_equal(zh_process_fork(burn, &c, &hog, NULL), 0);
	bench_case_check(&c);
	zh_process_end(hog);
	r = &c.result.round;
	assert_true(r->foreign_unit_ns > 0);
	assert_in_range(r->foreign_ns + r->foreign_unit_ns + r->steal_ns, r->elapsed_ns / 5,
		r->elapsed_ns * 11 / 10 + 2 * r->foreign_unit_ns + r->steal_ns);
}

/* Where the root of cpuacct cannot be seen, /proc/stat says it in ticks. */
static void ticks_are_enough(void **state)
{
	struct zh_bench_usage before, after;
	struct zh_bench_link link = {0};
	struct zh_bench_round round = {0};
	uint64_t until;

	(void)state;
	assert_int_equal(zh_sched_get_affinity(&link.cpus, NULL), 0);
	zh_bench_usage_read(&link, &before);
	assert_true(before.unit_ns >= ZH_NSEC_PER_MSEC && before.all_ns > 0);
	until = zh_clock_ns(CLOCK_THREAD_CPUTIME_ID) + 300 * ZH_NSEC_PER_MSEC;
	while (zh_clock_ns(CLOCK_THREAD_CPUTIME_ID) < until)
		;
	zh_bench_usage_read(&link, &after);
	assert_true(after.all_ns - before.all_ns >= 150 * ZH_NSEC_PER_MSEC);
	zh_bench_usage_between(&before, &after, &round);
	assert_true(round.cpu_ns >= 300 * ZH_NSEC_PER_MSEC);
	assert_int_equal(round.foreign_unit_ns, before.unit_ns);
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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_transport_plays_pingpong),
		cmocka_unit_test(every_transport_streams),
		cmocka_unit_test(large_messages),
		cmocka_unit_test(streams_end_after_so_many_bytes),
		cmocka_unit_test(buffers_in_force),
		cmocka_unit_test(what_was_used),
		cmocka_unit_test(foreign_time),
		cmocka_unit_test(ticks_are_enough),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}
