/* SPDX-License-Identifier: BSD-2-Clause */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "bench/testing.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/util.h"
#include "stats/histogram.h"
#include "sys/netns.h"
#include "sys/process.h"
#include "sys/root.h"
#include "sys/sched.h"

void bench_case_init(struct bench_case *c, const char *transport, struct zh_histogram *histogram)
{
	*c = (struct bench_case){0};
	snprintf(c->cell.transport, sizeof(c->cell.transport), "%s", transport);
	c->cell.size_bytes = 64;
	c->cell.placement = ZH_PLACE_FREE;
	c->cell.cpu = c->cell.peer_cpu = -1;
	c->config.cell = &c->cell;
	c->config.netns_fd = c->config.peer_netns_fd = -1;
	c->config.warmup_ns = 2 * ZH_NSEC_PER_MSEC;
	c->config.duration_ns = 20 * ZH_NSEC_PER_MSEC;
	c->config.floor_ns = 10 * ZH_NSEC_PER_MSEC;
	c->config.reply_timeout_ns = ZH_NSEC_PER_SEC;
	c->result.histogram = histogram;
}

void bench_case_place(struct bench_case *c, uint8_t placement)
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

static int count_entry(void *arg, const char *name)
{
	(void)name;
	++*(int *)arg;
	return 0;
}

struct surroundings {
	int fds, threads, children;
	uint64_t netns;
	struct zh_cpuset affinity;
	sigset_t mask, pending;
	void (*on_tick)(int);
};

static void look_around(struct surroundings *ret)
{
	struct sigaction action;
	int ns;

	memset(ret, 0, sizeof(*ret));
	zh_sys_list(count_entry, &ret->fds, "/proc/self/fd");
	zh_sys_list(count_entry, &ret->threads, "/proc/self/task");
	/* Nobody waits for a child of the test's own meanwhile: -1, or 0 when one is running. */
	ret->children = (int)waitpid(-1, NULL, WNOHANG | WNOWAIT);
	ns = zh_netns_current(NULL);
	if (ns >= 0) {
		zh_netns_inode(ns, &ret->netns);
		close(ns);
	}
	assert_int_equal(zh_sched_get_affinity(&ret->affinity, NULL), 0);
	sigemptyset(&ret->mask);
	pthread_sigmask(SIG_SETMASK, NULL, &ret->mask);
	sigemptyset(&ret->pending);
	sigpending(&ret->pending);
	sigaction(SIGRTMIN + 7, NULL, &action);
	ret->on_tick = action.sa_handler;
}

int bench_case_run(struct bench_case *c)
{
	struct surroundings before, after;
	int r;

	look_around(&before);
	r = zh_bench_round(&c->config, &c->result, &c->err);
	look_around(&after);
	assert_memory_equal(&before, &after, sizeof(before));
	return r;
}

static void check_stream(const struct bench_case *c)
{
	assert_int_equal(c->result.histogram->n, 0);
	assert_int_equal(c->result.round.sum_ns, 0);
}

/* The times of a closed loop add up to the whole stretch. */
static void check_pingpong(const struct bench_case *c)
{
	const struct zh_bench_round *r = &c->result.round;

	assert_true(r->floor_p50_ns > 0 || !c->config.floor_ns);
	assert_int_equal(c->result.histogram->n, r->messages);
	assert_true(r->min_ns > 0 && r->min_ns <= r->max_ns);
	assert_int_equal(r->sum_ns, r->elapsed_ns);
}

void bench_case_check(struct bench_case *c)
{
	const struct zh_bench_transport *transport = zh_bench_transport_find(c->cell.transport);
	const struct zh_bench_round *r = &c->result.round;
	int code = bench_case_run(c);

	if (code == -EPERM && (transport->flags & ZH_BENCH_NO_PEER))
		return; /* icmp needs a right that a test has not everywhere */
	if (code < 0)
		fail_msg("%s: %s", c->cell.transport, c->err.text);
	if (r->ended_early)
		fail_msg("%s: %s", c->cell.transport, c->result.ended.text);
	assert_int_equal(c->result.ended.code, 0);
	assert_true(r->messages > 0);
	assert_int_equal(r->bytes, r->messages * c->cell.size_bytes);
	assert_int_equal(r->sent, r->messages + r->missing);
	assert_true((transport->flags & ZH_BENCH_LOSSY) || r->missing == 0);
	assert_true(r->elapsed_ns > 0 && r->start_ns > 0 && r->cpu_ns > 0);
	assert_true((r->floor_messages > 0 && r->floor_elapsed_ns > 0) || !c->config.floor_ns);
	if (c->cell.mode == ZH_BENCH_STREAM)
		check_stream(c);
	else if (c->cell.mode == ZH_BENCH_PINGPONG)
		check_pingpong(c);
}

static void *stop_and_go(void *arg)
{
	struct bench_pause *pause = arg;

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
	struct bench_pause *pause = arg;

	pause->peer = peer;
	assert_int_equal(pthread_create(&pause->thread, NULL, stop_and_go, pause), 0);
}

void bench_case_run_paused(struct bench_case *c, struct bench_pause *pause)
{
	c->config.started = start_pause;
	c->config.arg = pause;
	if (zh_bench_round(&c->config, &c->result, &c->err) < 0)
		fail_msg("%s: %s", c->cell.transport, c->err.text);
	pthread_join(pause->thread, NULL);
}

uint64_t bench_true_quantile(const struct bench_case *c, const struct bench_pause *pause, double q)
{
	uint64_t gap = c->cell.gap_ns, n = c->config.duration_ns / gap, i, due;
	uint64_t start = c->result.round.start_ns;

	zh_histogram_clear(c->result.histogram);
	for (i = 0; i < n; i++) {
		due = start + i * gap;
		zh_histogram_add(c->result.histogram,
			due > pause->from_ns && due < pause->to_ns ? pause->to_ns - due : 1);
	}
	return zh_histogram_quantile(c->result.histogram, q);
}
