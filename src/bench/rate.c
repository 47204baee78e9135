/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * One thread, non-blocking ends. It sends what is due, takes what has come, and else waits for
 * whichever is first. While nothing is under way it sleeps until shortly before the next message is
 * due and looks at the clock for the rest: waking up takes as long as a whole round trip on some
 * machines, and the sleeper's own lateness is none of the path's. How long "shortly" is follows
 * from how late it woke before, at most an eighth of the gap, so that it costs little of a CPU.
 *
 * A socket that is full makes a message late, but its time counts from when it was due. What is
 * still due at the end of the stretch is sent, as far as that takes no longer than GRACE_MIN_NS or
 * a quarter of it: a rate that the path does not reach must end, and sent / elapsed then tells it.
 *
 * Datagrams of a connected pair of local sockets do not overtake each other, so an answer tells
 * that earlier ones which are still out are lost. Only behind the last one silence must tell it.
 */
#include "bench/rate.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <string.h>
#include <sys/mman.h>

#include "base/clock.h"
#include "base/util.h"
#include "bench/loops.h"
#include "bench/ring.h"
#include "stats/histogram.h"
#include "sys/sched.h"

/* Datagrams that are not answered within so long silence are lost: longer than a peer that is
 * stopped or starved for a moment. */
#define LOST_NS (500 * ZH_NSEC_PER_MSEC)
/* What is due still at the end of the stretch is sent so long, or a quarter of the stretch. */
#define GRACE_MIN_NS (100 * ZH_NSEC_PER_MSEC)
#define LEAD_MAX_NS (200 * ZH_NSEC_PER_USEC)
/* The first message is due so long after everything is ready. */
#define START_NS (100 * ZH_NSEC_PER_USEC)
/* When the last one was answered, earlier ones are waited for so long, should they have been
 * overtaken after all. */
#define OVERTAKEN_NS (20 * ZH_NSEC_PER_MSEC)
/* Answers taken in a row while a message is due. */
#define BATCH 16

struct rate {
	struct zh_bench_link *link;
	struct zh_bench_result *ret;
	struct zh_bench_end rx; /* the near end again, with a buffer of its own */
	void *mem;
	size_t mem_bytes;
	uint64_t start, end, gap, next;       /* next: when the next message is due */
	uint64_t grace;                       /* for what is due still at the end */
	uint64_t sent, answered, last_due;    /* last_due: of what was answered last */
	uint64_t last_sent_ns, last_event_ns; /* last_event_ns: of a send or an answer */
	uint64_t lead_ns;
	uint64_t quiet; /* looks at which nothing was under way */
	int flags[2];   /* of the descriptors, as found */
	bool is_full;   /* the last send did not fit */
};

static bool is_lossy(const struct rate *rate)
{
	return rate->link->transport->flags & ZH_BENCH_LOSSY;
}

/* Whether an answer may still come for something that was sent. */
static bool is_idle(const struct rate *rate)
{
	return rate->answered == rate->sent || rate->last_due + rate->gap == rate->next;
}

/* Sends have ended: everything that was due is out, or there is no hope to catch up. */
static bool is_sent(const struct rate *rate, uint64_t now)
{
	return rate->next >= rate->end || now >= rate->end + rate->grace;
}

/* How long silence must last at the end until what is out counts as lost. */
static uint64_t silence(const struct rate *rate)
{
	return is_idle(rate) ? OVERTAKEN_NS : LOST_NS;
}

static bool is_done(const struct rate *rate, uint64_t now)
{
	if (!is_sent(rate, now))
		return false;
	if (rate->answered == rate->sent)
		return true;
	return is_lossy(rate) && now >= rate->last_event_ns + silence(rate);
}

/* What zh_bench_again() shall see as progress: answers, and that nobody has to answer. */
static int again(struct rate *rate, int64_t result)
{
	rate->quiet += is_idle(rate);
	return zh_bench_again(rate->link, result, rate->answered + rate->quiet);
}

/* Sends the message that is due; negative: the end. */
static int send_due(struct rate *rate)
{
	struct zh_bench_link *link = rate->link;
	int64_t r;

	/* A part of it may be out already: then the time stands in front of it. */
	if (!link->near.done)
		memcpy(link->near.buf, &rate->next, sizeof(rate->next));
	r = link->transport->ops->send(&link->near, link);
	rate->is_full = r == -EAGAIN || r == -ENOBUFS;
	if (rate->is_full || r == -EINTR)
		return again(rate, r == -ENOBUFS ? -EAGAIN : r);
	if (r <= 0)
		return again(rate, r);
	rate->sent++;
	rate->next += rate->gap;
	rate->last_sent_ns = rate->last_event_ns = zh_now_ns();
	return 0;
}

static void count(struct rate *rate, uint64_t due, uint64_t now)
{
	if (due < rate->start || due >= rate->next)
		return; /* of an earlier stretch */
	rate->answered++;
	rate->last_due = ZH_MAX(rate->last_due, due);
	rate->last_event_ns = now;
	if (rate->ret->histogram)
		zh_histogram_add(rate->ret->histogram, now - due);
}

/* Takes answers until there are none, or BATCH when a message is due. Negative: the end. */
static int take(struct rate *rate)
{
	const struct zh_bench_ops *ops = rate->link->transport->ops;
	uint64_t now = 0, due;
	int64_t r;
	int n;

	for (n = 0; n < BATCH || rate->next > now; n++) {
		r = ops->recv(&rate->rx, rate->link);
		now = zh_now_ns();
		if (r == -EAGAIN)
			return 0;
		if (r <= 0)
			return again(rate, r);
		memcpy(&due, rate->rx.buf, sizeof(due));
		count(rate, due, now);
		if (rate->answered == rate->sent)
			return 0;
	}
	return 0;
}

/* Sleeps until shortly before the next message is due. */
static void sleep_to_due(struct rate *rate, uint64_t now)
{
	uint64_t wake = rate->next - rate->lead_ns, woke, late;

	if (now >= wake) {
		zh_ring_relax();
		return;
	}
	if (zh_sleep_until(wake) == -EINTR)
		return;
	woke = zh_now_ns();
	late = woke - wake;
	if (woke < rate->next)
		rate->link->waited_ns += rate->next - woke;
	/* Half as much again as the moving mean covers most of the wake-ups. */
	rate->lead_ns += (uint64_t)((int64_t)(late + late / 2 - rate->lead_ns) / 8);
	rate->lead_ns = ZH_MIN(rate->lead_ns, ZH_MIN(rate->gap / 8, LEAD_MAX_NS));
}

/* Waits for an answer, for room, or for the next message to be due. */
static void wait_events(struct rate *rate, uint64_t now)
{
	struct pollfd fds[] = {{.fd = rate->link->near.rfd, .events = POLLIN},
		{.fd = rate->link->near.wfd, .events = POLLOUT}};
	bool wants_room = rate->is_full && !is_sent(rate, now);
	uint64_t until = rate->next;
	struct timespec timeout;

	if (is_sent(rate, now))
		until = rate->last_event_ns + silence(rate);
	until = until > now ? until - now : 0;
	timeout = (struct timespec){.tv_sec = (time_t)(until / ZH_NSEC_PER_SEC),
		.tv_nsec = (long)(until % ZH_NSEC_PER_SEC)};
	ppoll(fds, wants_room ? 2 : 1,
		wants_room || (is_sent(rate, now) && !is_lossy(rate)) ? NULL : &timeout, NULL);
}

static void wait(struct rate *rate, uint64_t now)
{
	if (rate->link->cell->spin)
		zh_ring_relax();
	else if (is_idle(rate) && !is_sent(rate, now) && !rate->is_full)
		sleep_to_due(rate, now);
	else
		wait_events(rate, now);
}

static void run(struct rate *rate)
{
	uint64_t now = zh_now_ns(), events;

	while (!is_done(rate, now)) {
		events = rate->sent + rate->answered;
		if (now >= rate->next && !is_sent(rate, now) && send_due(rate) < 0)
			return;
		if (rate->answered < rate->sent && (!is_idle(rate) || is_sent(rate, now)) &&
			take(rate) < 0)
			return;
		now = zh_now_ns();
		if (events == rate->sent + rate->answered && (now < rate->next || rate->is_full))
			wait(rate, now);
		if (zh_bench_tick && again(rate, -EINTR) < 0)
			return;
		now = zh_now_ns();
	}
}

static void finish(struct rate *rate)
{
	struct zh_bench_round *round = &rate->ret->round;
	uint64_t under_way = 0;

	round->start_ns = rate->start;
	/* The time of the messages that were sent. One more gap belongs to the last of them. */
	round->elapsed_ns =
		ZH_MAX(rate->sent * rate->gap, rate->sent ? rate->last_sent_ns - rate->start : 0);
	/* What was under way when the round was cut short does not count as sent: nobody knows what
	 * would have become of it. */
	if (rate->link->ended.code && rate->answered)
		under_way = (rate->next - rate->last_due) / rate->gap - 1;
	else if (rate->link->ended.code)
		under_way = rate->sent;
	round->sent = rate->sent - under_way;
	round->messages = rate->answered;
	round->bytes = rate->answered * rate->link->cell->size_bytes;
}

static void set_flags(struct rate *rate)
{
	int fds[] = {rate->link->near.rfd, rate->link->near.wfd}, i;

	for (i = 0; i < 2; i++) {
		rate->flags[i] = fcntl(fds[i], F_GETFL);
		fcntl(fds[i], F_SETFL, rate->flags[i] | O_NONBLOCK);
	}
}

static void restore_flags(struct rate *rate)
{
	int fds[] = {rate->link->near.rfd, rate->link->near.wfd}, i;

	/* In reverse: when both are one, the second look saw what the first had set. */
	for (i = 1; i >= 0; i--)
		fcntl(fds[i], F_SETFL, rate->flags[i]);
}

int zh_bench_rate_near(
	struct zh_bench_link *link, uint64_t ns, struct zh_bench_result *ret, struct zh_err *err)
{
	struct rate rate = {.link = link, .ret = ret, .gap = link->cell->gap_ns, .rx = link->near};
	uint64_t slack;

	rate.mem_bytes = (size_t)link->cell->size_bytes + 2 * ZH_BENCH_ROOM;
	rate.mem = mmap(NULL, rate.mem_bytes, PROT_READ | PROT_WRITE,
		MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
	if (rate.mem == MAP_FAILED)
		return zh_err_sys(
			err, -ENOMEM, "no memory for messages of %u bytes", link->cell->size_bytes);
	rate.rx.buf = (uint8_t *)rate.mem + ZH_BENCH_ROOM;
	rate.rx.done = 0;
	rate.lead_ns = ZH_MIN(rate.gap / 8, LEAD_MAX_NS) / 2;
	set_flags(&rate);
	slack = zh_sched_set_timer_slack(1);
	zh_bench_watch_begin(link, UINT64_MAX);
	rate.next = rate.start = rate.last_event_ns = zh_now_ns() + START_NS;
	rate.end = rate.start + ns;
	rate.grace = ZH_MAX(ns / 4, GRACE_MIN_NS);
	run(&rate);
	zh_sched_set_timer_slack(slack);
	restore_flags(&rate);
	finish(&rate);
	munmap(rate.mem, rate.mem_bytes);
	return 0;
}
