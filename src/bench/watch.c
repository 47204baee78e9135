/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Whether a stretch shall go on. Reading a clock or asking the caller with every message would cost
 * what is measured, and SO_RCVTIMEO starts a timer with every blocking call; so one timer of the
 * thread's own interrupts it ten times a second. It repeats, since a signal between the look at the
 * flag and a blocking call is not seen by that call.
 */
#include <errno.h>
#include <string.h>
#include <sys/wait.h>

#include "base/clock.h"
#include "base/util.h"
#include "bench/loops.h"
#include "sys/sched.h"

#define TICK_NS (100 * ZH_NSEC_PER_MSEC)
#define TICK_SIGNAL (SIGRTMIN + 7)
/* How long a peer that is about to die may take to be dead. */
#define DYING_NS (200 * ZH_NSEC_PER_MSEC)

#ifndef sigev_notify_thread_id
#define sigev_notify_thread_id _sigev_un._tid
#endif

volatile sig_atomic_t zh_bench_tick;

static void on_tick(int number)
{
	(void)number;
	zh_bench_tick = 1;
}

static struct timespec to_timespec(uint64_t ns)
{
	return (struct timespec){
		.tv_sec = (time_t)(ns / ZH_NSEC_PER_SEC), .tv_nsec = (long)(ns % ZH_NSEC_PER_SEC)};
}

static void arm(struct zh_bench_watch *watch, uint64_t now_ns)
{
	uint64_t left = watch->end_ns > now_ns ? watch->end_ns - now_ns : TICK_NS;
	struct itimerspec when = {.it_value = to_timespec(ZH_MIN(left, TICK_NS)),
		.it_interval = to_timespec(TICK_NS)};

	timer_settime(watch->timer, 0, &when, NULL);
}

int zh_bench_watch_start(struct zh_bench_link *link, struct zh_err *err)
{
	struct zh_bench_watch *watch = &link->watch;
	struct sigaction action = {.sa_handler = on_tick};
	struct sigevent event = {.sigev_notify = SIGEV_THREAD_ID, .sigev_signo = TICK_SIGNAL};
	sigset_t set;

	event.sigev_notify_thread_id = (pid_t)zh_sched_tid();
	sigemptyset(&action.sa_mask);
	sigaction(TICK_SIGNAL, &action, &watch->old_action);
	/* A write to a pipe whose reader died is an answer (EPIPE), not a reason to die. */
	sigemptyset(&set);
	sigaddset(&set, SIGPIPE);
	pthread_sigmask(SIG_BLOCK, &set, &watch->old_mask);
	sigemptyset(&set);
	sigaddset(&set, TICK_SIGNAL);
	pthread_sigmask(SIG_UNBLOCK, &set, NULL);
	watch->is_started = true;
	if (timer_create(CLOCK_MONOTONIC, &event, &watch->timer) < 0)
		return zh_err_sys(err, -errno, "cannot make a timer");
	watch->has_timer = true;
	zh_bench_watch_begin(link, UINT64_MAX);
	return 0;
}

/* Takes back a SIGPIPE that came while it was blocked, unless the caller had it blocked anyway. */
static void forget_sigpipe(const sigset_t *old_mask)
{
	struct timespec now = {0};
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGPIPE);
	if (!sigismember(old_mask, SIGPIPE))
		while (sigtimedwait(&set, NULL, &now) < 0 && errno == EINTR)
			;
}

void zh_bench_watch_stop(struct zh_bench_link *link)
{
	struct zh_bench_watch *watch = &link->watch;

	if (!watch->is_started)
		return;
	if (watch->has_timer)
		timer_delete(watch->timer);
	forget_sigpipe(&watch->old_mask);
	/* A tick that is still pending is delivered before this returns; then the handler goes. */
	pthread_sigmask(SIG_SETMASK, &watch->old_mask, NULL);
	sigaction(TICK_SIGNAL, &watch->old_action, NULL);
	watch->is_started = watch->has_timer = false;
}

void zh_bench_watch_begin(struct zh_bench_link *link, uint64_t ns)
{
	struct zh_bench_watch *watch = &link->watch;
	uint64_t now = zh_now_ns();

	watch->is_over = !ns;
	watch->end_ns = ns > UINT64_MAX - now ? UINT64_MAX : now + ns;
	watch->progress = watch->done = 0;
	watch->progress_ns = now;
	zh_bench_tick = 0;
	arm(watch, now);
}

/* A call said that the other end is gone: how? */
static int explain_end(struct zh_bench_link *link, int64_t result)
{
	uint64_t until = zh_now_ns() + DYING_NS;

	if (link->ended.code)
		return link->ended.code;
	while (link->peer > 0 && zh_bench_peer_look(link, &link->ended) == 0 && zh_now_ns() < until)
		zh_sleep_until(zh_now_ns() + ZH_NSEC_PER_MSEC);
	if (link->ended.code)
		return link->ended.code;
	if (result == 0)
		return zh_err_set(&link->ended, -EPIPE, "the peer closed its end");
	return zh_err_sys(&link->ended, (int)result, "cannot exchange messages over %s",
		link->cell->transport);
}

static bool is_silent(struct zh_bench_link *link, uint64_t progress, uint64_t now)
{
	struct zh_bench_watch *watch = &link->watch;

	/* A large message through a small buffer takes its time; its parts count, too. */
	if (progress != watch->progress || link->near.done != watch->done) {
		watch->progress = progress;
		watch->done = link->near.done;
		watch->progress_ns = now;
	}
	return now - watch->progress_ns >= link->config->reply_timeout_ns;
}

static int look(struct zh_bench_link *link, uint64_t progress)
{
	const struct zh_bench_config *config = link->config;
	uint64_t now = zh_now_ns();

	zh_bench_tick = 0;
	link->watch.is_over = now >= link->watch.end_ns;
	arm(&link->watch, now);
	if (!link->ended.code && config->stop && config->stop(config->arg))
		return zh_err_set(&link->ended, -EINTR, "interrupted");
	if (zh_bench_peer_look(link, link->ended.code ? NULL : &link->ended) < 0)
		return link->ended.code;
	if (is_silent(link, progress, now))
		return link->ended.code ? link->ended.code
					: zh_err_set(&link->ended, -ETIMEDOUT,
						  "the peer was silent for %.1f s",
						  (double)config->reply_timeout_ns / 1e9);
	return 0;
}

int zh_bench_again(struct zh_bench_link *link, int64_t result, uint64_t progress)
{
	if (result == -EAGAIN || result == -EINTR)
		return zh_bench_tick ? look(link, progress) : 0;
	return explain_end(link, result);
}
