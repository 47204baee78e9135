/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * One message there and back, the next right after it. The clock is read once a message: the end of
 * one is the start of the next, so that the times add up to the whole stretch and nothing falls
 * between two of them.
 *
 * What a message costs here, beyond its system calls, is less its instructions than the pages that
 * it touches: a switch between two processes on one CPU leaves few translations behind. So over
 * descriptors read() and write() are called right here, and of the histogram only the bucket is
 * counted on the way; the rest stays in registers until the end. Spinning over shared memory, where
 * a round trip takes as long as twenty calls, goes through its ring right here as well.
 */
#include <errno.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/util.h"
#include "bench/loops.h"
#include "bench/shm.h"
#include "stats/histogram.h"

#define ALWAYS_INLINE inline __attribute__((always_inline))

/* How messages move; a constant in each of the loops that the functions below are compiled into. */
enum way { BY_OPS, BY_FD, BY_RING };

static ALWAYS_INLINE int64_t send_message(struct zh_bench_end *end,
	const struct zh_bench_link *link, const struct zh_bench_ops *ops, uint32_t size,
	enum way way)
{
	struct zh_bench_shm *shm = end->state;
	ssize_t n;

	if (way == BY_RING)
		return zh_ring_put(&shm->tx, end->buf, size, false);
	if (way == BY_OPS || end->done)
		return ops->send(end, link);
	n = write(end->wfd, end->buf, size);
	if (n == (ssize_t)size)
		return n;
	if (n < 0)
		return -errno;
	end->done = (uint32_t)n;
	return ops->send(end, link);
}

static ALWAYS_INLINE int64_t recv_message(struct zh_bench_end *end,
	const struct zh_bench_link *link, const struct zh_bench_ops *ops, uint32_t size,
	enum way way)
{
	struct zh_bench_shm *shm = end->state;
	ssize_t n;

	if (way == BY_RING)
		return zh_ring_get(&shm->rx, end->buf, size, false);
	if (way == BY_OPS || end->done)
		return ops->recv(end, link);
	n = read(end->rfd, end->buf, size);
	if (n == (ssize_t)size || n == 0)
		return n;
	if (n < 0)
		return -errno;
	end->done = (uint32_t)n;
	return ops->recv(end, link);
}

/* 0: call again. Of a side that polls, this is a part of the message's way. */
static ALWAYS_INLINE int again(struct zh_bench_link *link, int64_t result, uint64_t n)
{
	return result == -EAGAIN && !zh_bench_tick ? 0 : zh_bench_again(link, result, n);
}

/* 0: the answer is here; negative: the end (link->ended). */
static ALWAYS_INLINE int exchange(struct zh_bench_link *link, const struct zh_bench_ops *ops,
	uint32_t size, uint64_t n, enum way way)
{
	struct zh_bench_end *end = &link->near;
	int64_t got;
	int r;

	while ((got = send_message(end, link, ops, size, way)) <= 0)
		if ((r = again(link, got, n)) < 0)
			return r;
	while ((got = recv_message(end, link, ops, size, way)) <= 0)
		if ((r = again(link, got, n)) < 0)
			return r;
	return 0;
}

static ALWAYS_INLINE void play(
	struct zh_bench_link *link, uint64_t ns, struct zh_bench_result *ret, enum way way)
{
	const struct zh_bench_ops *ops = link->transport->ops;
	uint32_t size = link->cell->size_bytes;
	struct zh_histogram *histogram = ret->histogram;
	struct zh_bench_round *round = &ret->round;
	uint64_t min = UINT64_MAX, max = 0, n = 0, start, end, last, now, rtt;
	bool was_cut = false;

	zh_bench_watch_begin(link, ns);
	start = last = now = zh_now_ns();
	end = start + ns;
	while (now < end) {
		was_cut = exchange(link, ops, size, n, way) < 0;
		now = zh_now_ns();
		if (was_cut)
			break;
		n++;
		rtt = now - last;
		last = now;
		min = ZH_MIN(min, rtt);
		max = ZH_MAX(max, rtt);
		if (histogram)
			histogram->counts[zh_histogram_bucket(rtt)]++;
		if (zh_bench_tick && (was_cut = zh_bench_again(link, -EINTR, n) < 0))
			break;
	}
	if (histogram)
		zh_histogram_add_counted(histogram, n, min, max, (double)(last - start));
	round->start_ns = start;
	/* A message that was under way when it was cut short is none. */
	round->elapsed_ns = last - start;
	round->messages = n;
	round->bytes = n * size;
	round->sent = n + (was_cut && now != last);
}

static enum way way_of(const struct zh_bench_link *link)
{
	if (link->transport->ops->is_ring)
		return BY_RING;
	/* Zero copy needs more than the plain calls. */
	return link->transport->ops->is_fd && !link->cell->zerocopy ? BY_FD : BY_OPS;
}

int zh_bench_pingpong_near(
	struct zh_bench_link *link, uint64_t ns, struct zh_bench_result *ret, struct zh_err *err)
{
	(void)err;
	switch (way_of(link)) {
	case BY_FD:
		play(link, ns, ret, BY_FD);
		break;
	case BY_RING:
		play(link, ns, ret, BY_RING);
		break;
	case BY_OPS:
		play(link, ns, ret, BY_OPS);
	}
	return 0;
}

static ALWAYS_INLINE int answer(struct zh_bench_link *link, uint32_t stage, enum way way)
{
	const struct zh_bench_ops *ops = link->transport->ops;
	uint32_t size = link->cell->size_bytes, now;
	struct zh_bench_shared *shared = link->shared;
	struct zh_bench_tally *tally = &shared->received[stage];
	struct zh_bench_end *end = &link->far;
	uint64_t n = 0;
	int64_t r;

	do {
		while ((r = recv_message(end, link, ops, size, way)) <= 0)
			if (r != -EAGAIN && r != -EINTR)
				return (int)r;
		/* Before the answer: the maker may move on as soon as it has that, and its next
		 * message belongs to this loop still. */
		now = atomic_load_explicit(&shared->stage, memory_order_acquire);
		while ((r = send_message(end, link, ops, size, way)) <= 0)
			if (r != -EAGAIN && r != -EINTR)
				return (int)r;
		atomic_store_explicit(&tally->messages, ++n, memory_order_relaxed);
	} while (now == stage);
	return 0;
}

int zh_bench_pingpong_far(struct zh_bench_link *link, uint32_t stage)
{
	switch (way_of(link)) {
	case BY_FD:
		return answer(link, stage, BY_FD);
	case BY_RING:
		return answer(link, stage, BY_RING);
	default:
		return answer(link, stage, BY_OPS);
	}
}
