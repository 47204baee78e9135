/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * One way, as fast as it goes. Time runs from before the first write until the receiver has
 * everything. No clock is read in between: the watch's signal says when the time is over.
 *
 * The end: the sender publishes how much it will have sent, moves to the next stage, and sends the
 * last message; the receiver, which sees the stage no earlier than the message behind it, knows
 * then how much is to come. Where messages can get lost, empty ones say so, until one gets through.
 */
#include <errno.h>
#include <sys/socket.h>

#include "base/clock.h"
#include "bench/loops.h"

static int send_one(struct zh_bench_link *link, const struct zh_bench_ops *ops, uint64_t n)
{
	int64_t got;
	int r;

	while ((got = ops->send(&link->near, link)) <= 0)
		if ((r = zh_bench_again(link, got, n)) < 0)
			return r;
	return 0;
}

static void send_empty(struct zh_bench_link *link)
{
	send(link->near.wfd, link->near.buf, 0, MSG_NOSIGNAL | MSG_DONTWAIT);
}

/* Returns the number of messages sent, without the last one. */
static uint64_t send_all(struct zh_bench_link *link, uint64_t limit)
{
	const struct zh_bench_ops *ops = link->transport->ops;
	uint64_t n = 0;

	while (n + 1 < limit && !link->watch.is_over) {
		if (send_one(link, ops, n) < 0)
			break;
		n++;
		if (zh_bench_tick && zh_bench_again(link, -EINTR, n) < 0)
			break;
	}
	return n;
}

/* Moves both sides to the next stage with the last message. Also after stop(): what is under way
 * shall arrive; but not when the peer is gone. */
static void finish(struct zh_bench_link *link, uint32_t stage, struct zh_bench_round *round)
{
	bool is_lossy = link->transport->flags & ZH_BENCH_LOSSY;
	struct zh_bench_shared *shared = link->shared;
	struct zh_err err = {0};

	if (link->ended.code && link->ended.code != -EINTR)
		return;
	atomic_store(&shared->expected_bytes, (round->sent + 1) * link->cell->size_bytes);
	atomic_store(&shared->stage, stage + 1);
	zh_bench_watch_begin(link, UINT64_MAX);
	if (send_one(link, link->transport->ops, round->sent) < 0)
		return;
	round->sent++;
	if (zh_bench_peer_wait(link, stage + 1, is_lossy ? send_empty : NULL, &err) < 0 &&
		!link->ended.code)
		link->ended = err;
}

int zh_bench_stream_near(
	struct zh_bench_link *link, uint64_t ns, struct zh_bench_result *ret, struct zh_err *err)
{
	uint32_t stage = atomic_load(&link->shared->stage), size = link->cell->size_bytes;
	struct zh_bench_tally *received = &link->shared->received[stage];
	struct zh_bench_round *round = &ret->round;
	uint64_t limit = UINT64_MAX, last;

	(void)err;
	if (stage == ZH_BENCH_MEASURE && link->config->bytes) {
		limit = (link->config->bytes + size - 1) / size;
		ns = UINT64_MAX;
	}
	zh_bench_watch_begin(link, ns);
	round->start_ns = zh_now_ns();
	round->sent = send_all(link, limit);
	finish(link, stage, round);
	last = atomic_load(&received->last_ns);
	round->messages = atomic_load(&received->messages);
	round->bytes = atomic_load(&received->bytes);
	round->elapsed_ns = (last ? last : zh_now_ns()) - round->start_ns;
	return 0;
}

/* Everything has arrived, or will never arrive: `got` is what take() returned last. */
static bool has_all(struct zh_bench_link *link, uint32_t stage, uint64_t bytes, int64_t got)
{
	struct zh_bench_shared *shared = link->shared;

	if (atomic_load_explicit(&shared->stage, memory_order_acquire) == stage)
		return false;
	if (bytes >= atomic_load(&shared->expected_bytes))
		return true;
	/* An empty datagram stands behind all others in the queue. */
	return got == 0 && (link->transport->flags & ZH_BENCH_LOSSY);
}

int zh_bench_stream_far(struct zh_bench_link *link, uint32_t stage)
{
	const struct zh_bench_ops *ops = link->transport->ops;
	int64_t (*take)(struct zh_bench_end *, const struct zh_bench_link *) =
		ops->take ? ops->take : ops->recv;
	bool is_lossy = link->transport->flags & ZH_BENCH_LOSSY;
	struct zh_bench_tally *tally = &link->shared->received[stage];
	bool has_borders = link->transport->flags & ZH_BENCH_MESSAGES;
	uint32_t size = link->cell->size_bytes;
	uint64_t bytes = 0, messages = 0;
	int64_t got;

	do {
		got = take(&link->far, link);
		if (got == -EAGAIN || got == -EINTR)
			continue;
		if (got < 0 || (got == 0 && !is_lossy))
			return (int)got;
		bytes += (uint64_t)got;
		messages = has_borders ? messages + (got > 0) : bytes / size;
		atomic_store_explicit(&tally->messages, messages, memory_order_relaxed);
		atomic_store_explicit(&tally->bytes, bytes, memory_order_relaxed);
	} while (!has_all(link, stage, bytes, got));
	atomic_store(&tally->last_ns, zh_now_ns());
	return 0;
}
