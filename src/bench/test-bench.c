/* SPDX-License-Identifier: BSD-2-Clause */
/* Every transport in every mode and placement that it supports: counts add up, and the round leaves
 * nothing behind. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include <errno.h>
#include <sys/wait.h>

#include "bench/testing.h"
#include "sys/root.h"
#include "sys/sched.h"

static struct zh_histogram *histogram;

static int count_entry(void *arg, const char *name)
{
	(void)name;
	++*(int *)arg;
	return 0;
}

static int open_fds(void)
{
	int n = 0;

	assert_int_equal(zh_sys_list(count_entry, &n, "/proc/self/fd"), 0);
	return n;
}

/* Runs the round and checks that nothing is left of it. */
static int run(struct bench_case *c)
{
	struct zh_cpuset before, after;
	int fds = open_fds(), r;

	assert_int_equal(zh_sched_get_affinity(&before, NULL), 0);
	c->result.histogram = histogram;
	r = zh_bench_round(&c->config, &c->result, &c->err);
	assert_int_equal(open_fds(), fds);
	assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
	assert_int_equal(errno, ECHILD);
	assert_int_equal(zh_sched_get_affinity(&after, NULL), 0);
	assert_memory_equal(&before, &after, sizeof(before));
	return r;
}

static void place(struct bench_case *c, uint8_t placement)
{
	struct zh_cpuset allowed;
	int cpu, n = 0;

	c->cell.placement = placement;
	c->cell.cpu = c->cell.peer_cpu = -1;
	assert_int_equal(zh_sched_get_affinity(&allowed, NULL), 0);
	for (cpu = 0; cpu < ZH_CPU_MAX && placement != ZH_PLACE_FREE && n < 2; cpu++) {
		if (!zh_cpuset_has(&allowed, (unsigned int)cpu))
			continue;
		if (n++ == 0)
			c->cell.cpu = c->cell.peer_cpu = (int16_t)cpu;
		else if (placement == ZH_PLACE_CROSS_CPU)
			c->cell.peer_cpu = (int16_t)cpu;
	}
}

static void check_round(const struct bench_case *c)
{
	const struct zh_bench_round *r = &c->result.round;
	bool is_stream = c->cell.mode == ZH_BENCH_STREAM;
	bool is_lossy = zh_bench_transport_find(c->cell.transport)->flags & ZH_BENCH_LOSSY;

	assert_int_equal(r->ended_early, 0);
	assert_int_equal(c->result.ended.code, 0);
	assert_true(r->messages > 0);
	assert_int_equal(r->bytes, r->messages * c->cell.size_bytes);
	assert_int_equal(r->sent, r->messages + r->missing);
	assert_true(is_lossy || r->missing == 0);
	assert_true(r->elapsed_ns > 0 && r->start_ns > 0);
	assert_true(r->floor_messages > 0 && r->floor_elapsed_ns > 0);
	assert_true(is_stream || r->floor_p50_ns > 0);
	assert_int_equal(histogram->n, is_stream ? 0 : r->messages);
	assert_true(is_stream || (r->min_ns > 0 && r->min_ns <= r->max_ns));
	/* The times of a closed loop add up to the whole stretch. */
	assert_true(is_stream || r->sum_ns == r->elapsed_ns);
	assert_true(r->cpu_ns > 0);
}

static void test_every_cell(void **state)
{
	const struct zh_bench_transport *transport;
	struct bench_case c;
	uint8_t mode, placement, spin;
	size_t i, n = 0;

	(void)state;
	for (i = 0; (transport = zh_bench_transport_registry[i]); i++)
		for (mode = 0; mode < ZH_BENCH_MODE_MAX; mode++)
			for (placement = 0; placement < ZH_PLACE_MAX; placement++)
				for (spin = 0; spin < 2; spin++) {
					bench_case_init(&c, transport->name);
					c.cell.mode = mode;
					c.cell.spin = spin;
					place(&c, placement);
					if (mode == ZH_BENCH_RATE ||
						zh_bench_check(&c.cell, NULL) < 0)
						continue;
					n++;
					if (run(&c) < 0)
						fail_msg("%s: %s", transport->name, c.err.text);
					check_round(&c);
				}
	assert_true(n >= 7 * 2 * 2);
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
		cmocka_unit_test(test_every_cell),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}
