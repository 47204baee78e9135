/* SPDX-License-Identifier: BSD-2-Clause */
/* Rounds that do not go well: bad cells, limits, rights, a peer or a maker that dies, stalls or is
 * silent, a user who stops. Each ends in time, says why, and leaves nothing. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include <errno.h>
#include <grp.h>
#include <pthread.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/units.h"
#include "base/util.h"
#include "bench/testing.h"
#include "sys/netns.h"
#include "sys/process.h"

#define NOBODY 65534
/* From the start of the stretch to an attack on the peer: on a busy machine too some messages have
 * got through by then. */
#define TRIES 4
#define SOON_NS (100 * ZH_NSEC_PER_MSEC)

static struct zh_histogram *histogram;

/* Sends signals to the peer while the measured stretch runs. */
struct attack {
	uint64_t after_ns, again_after_ns;
	int first, again; /* 0: none */
	pid_t peer;
	pthread_t thread;
};

static void *attack_thread(void *arg)
{
	struct attack *a = arg;

	zh_sleep_until(zh_now_ns() + a->after_ns);
	zh_process_signal(a->peer, a->first);
	if (a->again) {
		zh_sleep_until(zh_now_ns() + a->again_after_ns);
		zh_process_signal(a->peer, a->again);
	}
	return NULL;
}

static void start_attack(void *arg, pid_t peer)
{
	struct attack *a = arg;
	sigset_t all, old;

	a->peer = peer;
	/* The caller's signals (a tick, SIGPIPE) are none of this thread's business. */
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &old);
	assert_int_equal(pthread_create(&a->thread, NULL, attack_thread, a), 0);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
}

/* On a busy machine the attack may come before any message got through: then it is tried again. */
static void run_attacked(struct bench_case *c, struct attack *a)
{
	int tries, r;

	c->config.started = start_attack;
	c->config.arg = a;
	for (tries = 0, r = -1; r < 0 && tries < TRIES; tries++) {
		a->peer = 0;
		r = zh_bench_round(&c->config, &c->result, &c->err);
		/* The thread is joined here, so that nothing of it is there afterwards. */
		if (a->peer)
			pthread_join(a->thread, NULL);
		assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
	}
	if (r < 0)
		fail_msg("%s: %s", c->cell.transport, c->err.text);
}

static const char *const transports[] = {"tcp", "udp", "unix-stream", "unix-dgram",
	"unix-seqpacket", "pipe", "socketpair", "shm-futex", "shm-spin"};

static void the_peer_is_killed(void **state)
{
	struct bench_case c;
	struct attack a;
	uint8_t mode;
	uint64_t start;
	size_t i;

	(void)state;
	for (i = 0; i < ZH_ARRAY_SIZE(transports); i++)
		for (mode = ZH_BENCH_PINGPONG; mode <= ZH_BENCH_STREAM; mode++) {
			a = (struct attack){.after_ns = SOON_NS, .first = SIGKILL};
			bench_case_init(&c, transports[i], histogram);
			c.cell.mode = mode;
			c.config.duration_ns = 20 * ZH_NSEC_PER_SEC;
			if (zh_bench_check(&c.cell, NULL) < 0)
				continue; /* shm-spin on one CPU */
			start = zh_now_ns();
			run_attacked(&c, &a);
			assert_true(zh_now_ns() - start < 10 * ZH_NSEC_PER_SEC);
			assert_int_equal(c.result.round.ended_early, 1);
			assert_int_equal(c.result.ended.code, -ESRCH);
			assert_non_null(strstr(c.result.ended.text, "signal 9"));
			assert_true(c.result.round.messages > 0);
			assert_true(c.result.round.peer_cpu_ns > 0);
		}
}

/* A stall is one long message for ping-pong, not the end: it is neither lost nor left out. */
static void the_peer_stalls(void **state)
{
	struct attack a = {.after_ns = 5 * ZH_NSEC_PER_MSEC,
		.first = SIGSTOP,
		.again_after_ns = 200 * ZH_NSEC_PER_MSEC,
		.again = SIGCONT};
	struct bench_case c;

	(void)state;
	bench_case_init(&c, "tcp", histogram);
	c.config.duration_ns = 500 * ZH_NSEC_PER_MSEC;
	run_attacked(&c, &a);
	assert_int_equal(c.result.ended.code, 0);
	assert_true(c.result.round.max_ns >= 150 * ZH_NSEC_PER_MSEC);
	assert_int_equal(histogram->n, c.result.round.messages);
	assert_int_equal(c.result.round.sum_ns, c.result.round.elapsed_ns);
}

static void the_peer_is_silent(void **state)
{
	static const struct {
		const char *transport;
		uint8_t mode;
	} rows[] = {{"tcp", ZH_BENCH_PINGPONG}, {"udp", ZH_BENCH_PINGPONG},
		{"udp", ZH_BENCH_STREAM}, {"pipe", ZH_BENCH_STREAM},
		{"unix-seqpacket", ZH_BENCH_PINGPONG}};
	struct bench_case c;
	struct attack a;
	size_t i;

	(void)state;
	for (i = 0; i < ZH_ARRAY_SIZE(rows); i++) {
		a = (struct attack){.after_ns = SOON_NS, .first = SIGSTOP};
		bench_case_init(&c, rows[i].transport, histogram);
		c.cell.mode = rows[i].mode;
		c.config.reply_timeout_ns = 600 * ZH_NSEC_PER_MSEC;
		c.config.duration_ns = 20 * ZH_NSEC_PER_SEC;
		if (zh_bench_check(&c.cell, NULL) < 0)
			continue;
		run_attacked(&c, &a);
		assert_int_equal(c.result.ended.code, -ETIMEDOUT);
		assert_int_equal(c.result.round.ended_early, 1);
		assert_true(c.result.round.messages > 0);
	}
}

/* What a terminal sends to the whole process group. */
static void interrupt(void *arg, pid_t peer)
{
	(void)arg;
	zh_process_signal(peer, SIGINT);
	zh_process_signal(peer, SIGHUP);
	zh_process_signal(peer, SIGTERM);
}

static void ctrl_c_leaves_the_peer_alone(void **state)
{
	struct bench_case c;

	(void)state;
	bench_case_init(&c, "pipe", histogram);
	c.config.started = interrupt;
	bench_case_check(&c);
}

static void kill_at_once(void *arg, pid_t peer)
{
	(void)arg;
	zh_process_signal(peer, SIGKILL);
	/* So that not one message gets through. */
	waitid(P_PID, (id_t)peer, &(siginfo_t){0}, WEXITED | WNOWAIT);
}

static void nothing_gets_through(void **state)
{
	struct bench_case c;
	size_t i;

	(void)state;
	for (i = 0; i < ZH_ARRAY_SIZE(transports); i++) {
		bench_case_init(&c, transports[i], histogram);
		c.config.started = kill_at_once;
		assert_int_equal(bench_case_run(&c), -ESRCH);
		assert_non_null(strstr(c.err.text, "killed"));
	}
}

struct user {
	bool has_started;
	int asked; /* since then */
};

static bool stop_at_once(void *arg)
{
	struct user *user = arg;

	return user->has_started && ++user->asked >= 1;
}

static void note_start(void *arg, pid_t peer)
{
	(void)peer;
	((struct user *)arg)->has_started = true;
}

static void the_user_stops(void **state)
{
	struct bench_case c;
	uint8_t mode, spin;
	uint64_t start;
	struct user user;
	size_t i;

	(void)state;
	for (i = 0; i < ZH_ARRAY_SIZE(transports); i++)
		for (mode = ZH_BENCH_PINGPONG; mode <= ZH_BENCH_STREAM; mode++)
			for (spin = 0; spin < 2; spin++) {
				bench_case_init(&c, transports[i], histogram);
				c.cell.mode = mode;
				c.cell.spin = spin;
				c.config.duration_ns = 20 * ZH_NSEC_PER_SEC;
				c.config.stop = stop_at_once;
				c.config.started = note_start;
				c.config.arg = &user;
				if (zh_bench_check(&c.cell, NULL) < 0)
					continue;
				user = (struct user){0};
				start = zh_now_ns();
				if (bench_case_run(&c) < 0)
					fail_msg("%s: %s", transports[i], c.err.text);
				assert_true(zh_now_ns() - start < 10 * ZH_NSEC_PER_SEC);
				assert_int_equal(user.asked, 1);
				assert_int_equal(c.result.ended.code, -EINTR);
				assert_true(c.result.round.messages > 0);
				assert_true(c.result.round.missing == 0 ||
					    !strcmp(transports[i], "udp"));
			}
}

static bool stop_now(void *arg)
{
	(void)arg;
	return true;
}

static void stopped_before_the_measured_stretch(void **state)
{
	struct bench_case c;

	(void)state;
	bench_case_init(&c, "unix-stream", histogram);
	c.config.warmup_ns = 20 * ZH_NSEC_PER_SEC;
	c.config.stop = stop_now;
	assert_int_equal(bench_case_run(&c), -EINTR);
}

static void refuse(const struct zh_bench_cell *cell, const char *with)
{
	struct zh_err err = {0};

	assert_int_equal(zh_bench_check(cell, &err), -EINVAL);
	if (!strstr(err.text, with))
		fail_msg("'%s' does not say '%s'", err.text, with);
	assert_null(strchr(err.text, '\n'));
}

static void bad_cells(void **state)
{
	struct bench_case c;

	(void)state;
	bench_case_init(&c, "carrier-pigeon", histogram);
	refuse(&c.cell, "unix-seqpacket");
	assert_int_equal(bench_case_run(&c), -EINVAL);
	bench_case_init(&c, "udp", histogram);
	c.cell.size_bytes = 0;
	refuse(&c.cell, "1 to 65507 bytes");
	c.cell.size_bytes = 65508;
	refuse(&c.cell, "65508");
	bench_case_init(&c, "tcp", histogram);
	c.cell.size_bytes = (64 << 20) + 1;
	refuse(&c.cell, "bytes");
	bench_case_init(&c, "tcp", histogram);
	c.cell.mode = ZH_BENCH_MODE_MAX;
	refuse(&c.cell, "mode");
	bench_case_init(&c, "pipe", histogram);
	memcpy(c.cell.over, "veth", 5);
	refuse(&c.cell, "namespaces");
	bench_case_init(&c, "pipe", histogram);
	c.cell.busy_poll_us = 50;
	refuse(&c.cell, "busy");
}

static void bad_placements(void **state)
{
	struct bench_case c;

	(void)state;
	bench_case_init(&c, "tcp", histogram);
	bench_case_place(&c, ZH_PLACE_SAME_CPU);
	c.cell.spin = 1;
	refuse(&c.cell, "two CPUs");
	c.cell.spin = 0;
	c.cell.placement = ZH_PLACE_CROSS_CPU;
	refuse(&c.cell, "cross-cpu");
	c.cell.peer_cpu = ZH_CPU_MAX - 1;
	refuse(&c.cell, "1023");
	c.cell.peer_cpu = INT16_MAX;
	refuse(&c.cell, "32767");
	c.cell.placement = ZH_PLACE_FREE;
	refuse(&c.cell, "free");
	c.cell.placement = ZH_PLACE_MAX;
	refuse(&c.cell, "placement");
	assert_non_null(zh_bench_transport_find("unix"));
	assert_string_equal(zh_bench_transport_find("unix")->name, "unix-stream");
	assert_null(zh_bench_transport_find(""));
}

static void messages_that_do_not_fit(void **state)
{
	static const char *const names[] = {"unix-dgram", "unix-seqpacket"};
	struct bench_case c;
	size_t i;

	(void)state;
	for (i = 0; i < ZH_ARRAY_SIZE(names); i++) {
		bench_case_init(&c, names[i], histogram);
		c.cell.size_bytes = 60000;
		c.cell.buf_bytes = 8192;
		assert_int_equal(bench_case_run(&c), -EMSGSIZE);
		assert_non_null(strstr(c.err.text, "60000"));
		assert_non_null(strstr(c.err.hint, "--buf"));
	}
}

static void no_descriptors_left(void **state)
{
	struct rlimit old, few;
	struct bench_case c;
	size_t i, n, more;
	int fd = dup(0);

	(void)state;
	close(fd);
	assert_int_equal(getrlimit(RLIMIT_NOFILE, &old), 0);
	for (i = 0; i < ZH_ARRAY_SIZE(transports); i++)
		for (n = 0, more = 0; more < 8; more++) {
			few = (struct rlimit){(rlim_t)fd + more, old.rlim_max};
			bench_case_init(&c, transports[i], histogram);
			assert_int_equal(setrlimit(RLIMIT_NOFILE, &few), 0);
			if (zh_bench_round(&c.config, &c.result, &c.err) < 0) {
				assert_int_equal(c.err.code, -EMFILE);
				n++;
			}
			assert_int_equal(setrlimit(RLIMIT_NOFILE, &old), 0);
			assert_int_equal(dup(0), fd);
			close(fd);
			assert_true(n > 0 || !strncmp(transports[i], "shm-", 4)); /* needs none */
		}
}

/* In a child: entering a namespace needs CAP_SYS_ADMIN. */
static int enter_as_nobody(void *arg)
{
	struct bench_case *c = arg;

	if (setgroups(0, NULL) < 0 || setuid(NOBODY) < 0)
		return 1;
	return zh_bench_round(&c->config, &c->result, &c->err) == -EPERM ? 0 : 2;
}

static void not_allowed(void **state)
{
	struct bench_case c;
	int status, ns;
	pid_t pid;

	(void)state;
	if (geteuid() != 0)
		skip();
	ns = zh_netns_current(NULL);
	assert_true(ns >= 0);
	bench_case_init(&c, "udp", histogram);
	c.config.peer_netns_fd = ns;
	assert_int_equal(zh_process_fork(enter_as_nobody, &c, &pid, NULL), 0);
	assert_int_equal(zh_process_wait(pid, 20 * ZH_NSEC_PER_SEC, &status), 0);
	assert_int_equal(status, 0);
	close(ns);
}

static void tell_pid(void *arg, pid_t peer)
{
	assert_int_equal(write(*(int *)arg, &peer, sizeof(peer)), sizeof(peer));
}

static int maker(void *arg)
{
	struct bench_case *c = arg;

	zh_bench_round(&c->config, &c->result, &c->err);
	return 1;
}

/* kill -9 of the maker: the kernel kills its peer. Orphans come to us, so that we can see it. */
static void the_maker_is_killed(void **state)
{
	struct bench_case c;
	pid_t pid, peer;
	int fds[2], status;

	(void)state;
	assert_int_equal(prctl(PR_SET_CHILD_SUBREAPER, 1), 0);
	assert_int_equal(pipe(fds), 0);
	bench_case_init(&c, "pipe", histogram);
	c.config.duration_ns = 60 * ZH_NSEC_PER_SEC;
	c.config.started = tell_pid;
	c.config.arg = &fds[1];
	assert_int_equal(zh_process_fork(maker, &c, &pid, NULL), 0);
	assert_int_equal(read(fds[0], &peer, sizeof(peer)), sizeof(peer));
	zh_process_end(pid);
	assert_int_equal(zh_process_wait(peer, 20 * ZH_NSEC_PER_SEC, &status), 0);
	assert_true(WIFSIGNALED(status) || WIFEXITED(status));
	close(fds[0]);
	close(fds[1]);
	prctl(PR_SET_CHILD_SUBREAPER, 0);
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
		cmocka_unit_test(the_peer_is_killed),
		cmocka_unit_test(the_peer_stalls),
		cmocka_unit_test(the_peer_is_silent),
		cmocka_unit_test(ctrl_c_leaves_the_peer_alone),
		cmocka_unit_test(nothing_gets_through),
		cmocka_unit_test(the_user_stops),
		cmocka_unit_test(stopped_before_the_measured_stretch),
		cmocka_unit_test(bad_cells),
		cmocka_unit_test(bad_placements),
		cmocka_unit_test(messages_that_do_not_fit),
		cmocka_unit_test(no_descriptors_left),
		cmocka_unit_test(not_allowed),
		cmocka_unit_test(the_maker_is_killed),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}
