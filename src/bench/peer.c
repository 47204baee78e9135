/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The peer: a process that walks through the stages behind its maker. It needs no timer and no
 * signal: when something goes wrong it is killed, wherever it waits.
 */
#include <errno.h>
#include <limits.h>
#include <linux/futex.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/util.h"
#include "bench/loops.h"
#include "sys/process.h"
#include "sys/sched.h"

#define STEP_NS (100 * ZH_NSEC_PER_USEC)
#define LOOK_NS (50 * ZH_NSEC_PER_MSEC)
/* After the end was decided, what is under way has so long to arrive. */
#define LAST_WAIT_NS (300 * ZH_NSEC_PER_MSEC)

static void futex_wait(_Atomic uint32_t *word, uint32_t seen, uint64_t ns)
{
	struct timespec timeout = {.tv_nsec = (long)ns};

	syscall(SYS_futex, word, FUTEX_WAIT, seen, &timeout, NULL, 0);
}

static void announce(struct zh_bench_shared *shared, uint32_t stage)
{
	atomic_store(&shared->ready, stage + 1);
	syscall(SYS_futex, &shared->ready, FUTEX_WAKE, INT_MAX, NULL, NULL, 0);
}

static int fail(struct zh_bench_shared *shared, int code)
{
	atomic_store(&shared->failed, -code);
	return 1;
}

/* Ctrl-C and a closing terminal reach the whole process group: what they mean is the maker's
 * decision, which wants the peer alive for the last messages. */
static void ignore_terminal(void)
{
	static const int numbers[] = {SIGINT, SIGQUIT, SIGTERM, SIGHUP};
	size_t i;

	for (i = 0; i < ZH_ARRAY_SIZE(numbers); i++)
		signal(numbers[i], SIG_IGN);
}

static int peer_main(void *arg)
{
	struct zh_bench_link *link = arg;
	const struct zh_bench_loops *loops = zh_bench_mode_loops(link->cell->mode);
	struct zh_bench_shared *shared = link->shared;
	uint32_t stage;
	int r;

	ignore_terminal();
	zh_bench_end_close(&link->near);
	if (link->cell->peer_cpu >= 0 && (r = zh_sched_pin(link->cell->peer_cpu, NULL)) < 0)
		return fail(shared, r);
	zh_sched_prefault_stack();
	memset(link->far.buf, 'z', link->cell->size_bytes);
	while ((stage = atomic_load(&shared->stage)) != ZH_BENCH_DONE) {
		announce(shared, stage);
		r = (stage == ZH_BENCH_FLOOR ? loops->far_floor : loops->far)(link, stage);
		if (r < 0)
			return fail(shared, r);
		/* The end of the stream in the middle of a stage: the maker has given up. */
		if (atomic_load(&shared->stage) == stage)
			return 0;
	}
	announce(shared, stage);
	/* Ending costs CPU time, which shall not be counted. */
	for (;;)
		pause();
}

int zh_bench_peer_look(const struct zh_bench_link *link, struct zh_err *err)
{
	int failed = atomic_load(&link->shared->failed);
	siginfo_t info = {0};

	if (link->peer <= 0)
		return 0;
	if (failed)
		return zh_err_sys(err, -failed, "the peer failed");
	/* It stays a zombie, so that its CPU time can still be read. */
	if (waitid(P_PID, (id_t)link->peer, &info, WEXITED | WNOHANG | WNOWAIT) < 0)
		return zh_err_sys(err, -errno, "the peer cannot be watched");
	if (!info.si_pid)
		return 0;
	if (info.si_code == CLD_EXITED)
		return zh_err_set(err, -ESRCH, "the peer ended with status %d", info.si_status);
	return zh_err_set(err, -ESRCH, "the peer was killed by signal %d (%s)", info.si_status,
		strsignal(info.si_status));
}

int zh_bench_peer_wait(struct zh_bench_link *link, uint32_t stage,
	void (*poke)(struct zh_bench_link *link), struct zh_err *err)
{
	const struct zh_bench_config *config = link->config;
	uint64_t start = zh_now_ns(), looked = start, now = start;
	uint64_t limit = link->ended.code ? LAST_WAIT_NS : config->reply_timeout_ns;
	struct zh_bench_shared *shared = link->shared;
	uint32_t seen;
	int r;

	if (link->peer <= 0)
		return 0;
	while ((seen = atomic_load(&shared->ready)) != stage + 1) {
		if (poke)
			poke(link);
		futex_wait(&shared->ready, seen, poke ? STEP_NS : LOOK_NS);
		now = zh_now_ns();
		if (now - looked < LOOK_NS)
			continue;
		looked = now;
		r = zh_bench_peer_look(link, err);
		if (r < 0)
			return r;
		if (!link->ended.code && config->stop && config->stop(config->arg))
			return zh_err_set(err, -EINTR, "interrupted");
		if (now - start >= limit)
			return zh_err_set(err, -ETIMEDOUT, "the peer was silent for %.1f s",
				(double)limit / 1e9);
	}
	return 0;
}

int zh_bench_peer_start(struct zh_bench_link *link, struct zh_err *err)
{
	int r;

	if (link->transport->flags & ZH_BENCH_NO_PEER)
		return 0;
	r = zh_process_fork(peer_main, link, &link->peer, err);
	if (r < 0)
		return r;
	link->peer_fd = link->far.rfd;
	zh_bench_end_close(&link->far);
	return 0;
}

void zh_bench_peer_end(struct zh_bench_link *link)
{
	link->peer = zh_process_end(link->peer);
}

int zh_bench_peer_fd(const struct zh_bench_link *link)
{
	int pidfd, fd;

	if (link->peer <= 0 || link->peer_fd < 0)
		return -1;
	pidfd = (int)syscall(SYS_pidfd_open, link->peer, 0);
	if (pidfd < 0)
		return -1;
	fd = (int)syscall(SYS_pidfd_getfd, pidfd, link->peer_fd, 0);
	close(pidfd);
	return fd;
}
