/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * One way, as fast as it goes. Time runs from before the first write until the receiver has
 * everything. No clock is read in between: the watch's signal says when the time is over.
 *
 * The end: the sender publishes how much it will have sent, moves to the next stage, and sends the
 * last message; the receiver, which sees the stage no later than the message behind it, knows then
 * how much is to come. Where messages can get lost, the sender moves on behind the last one, and
 * sends empty ones until one gets through; the receiver then takes what is still there.
 */
#include <errno.h>
#include <sys/socket.h>

#include "base/clock.h"
#include "bench/loops.h"

/* What gets through is what arrives: a datagram socket takes messages for a dead peer, too. */
static int go_on(struct zh_bench_link *link, const struct zh_bench_tally *received, int64_t result)
{
	return zh_bench_again(
		link, result, atomic_load_explicit(&received->bytes, memory_order_relaxed));
}

static int send_one(struct zh_bench_link *link, const struct zh_bench_tally *received)
{
	const struct zh_bench_ops *ops = link->transport->ops;
	int64_t got;
	int r;

	while ((got = ops->send(&link->near, link)) <= 0)
		if ((r = go_on(link, received, got)) < 0)
			return r;
	return 0;
}

static void send_empty(struct zh_bench_link *link)
{
	send(link->near.wfd, link->near.buf, 0, MSG_NOSIGNAL | MSG_DONTWAIT);
}

/* Returns how many it sent. */
static uint64_t send_all(
	struct zh_bench_link *link, const struct zh_bench_tally *received, uint64_t limit)
{
	uint64_t n = 0;

	while (n < limit && !link->watch.is_over) {
		if (send_one(link, received) < 0)
			break;
		n++;
		if (zh_bench_tick && go_on(link, received, -EINTR) < 0)
			break;
	}
	return n;
}

/* Moves both sides to the next stage. Also after stop(): what is under way shall arrive; but not
 * when the peer is gone. */
static void finish(
	struct zh_bench_link *link, uint32_t stage, bool is_lossy, struct zh_bench_round *round)
{
	struct zh_bench_shared *shared = link->shared;
	struct zh_err err = {0};

	if (link->ended.code && link->ended.code != -EINTR)
		return;
	round->sent += !is_lossy;
	atomic_store(&shared->expected_bytes, round->sent * link->cell->size_bytes);
	atomic_store(&shared->stage, stage + 1);
	zh_bench_watch_begin(link, UINT64_MAX);
	if (!is_lossy && send_one(link, &shared->received[stage]) < 0)
		return;
	if (link->transport->ops->flush)
		link->transport->ops->flush(&link->near);
	if (zh_bench_peer_wait(link, stage + 1, is_lossy ? send_empty : NULL, &err) < 0 &&
		!link->ended.code)
		link->ended = err;
}

int zh_bench_stream_near(
	struct zh_bench_link *link, uint64_t ns, struct zh_bench_result *ret, struct zh_err *err)
{
	uint32_t stage = atomic_load(&link->shared->stage), size = link->cell->size_bytes;
	struct zh_bench_tally *received = &link->shared->received[stage];
	bool is_lossy = link->transport->flags & ZH_BENCH_LOSSY;
	struct zh_bench_round *round = &ret->round;
	uint64_t limit = UINT64_MAX, last;

	(void)err;
	if (stage == ZH_BENCH_MEASURE && link->config->bytes)
		limit = (link->config->bytes + size - 1) / size;
	zh_bench_watch_begin(link, ns);
	round->start_ns = zh_now_ns();
	/* finish() sends the last message where none can get lost. */
	round->sent = send_all(link, received, is_lossy || limit == UINT64_MAX ? limit : limit - 1);
	finish(link, stage, is_lossy, round);
	last = atomic_load(&received->last_ns);
	round->messages = atomic_load(&received->messages);
	round->bytes = atomic_load(&received->bytes);
	round->elapsed_ns = (last ? last : zh_now_ns()) - round->start_ns;
	return 0;
}

static bool is_at_end(struct zh_bench_link *link, uint32_t stage, uint64_t bytes, int64_t got)
{
	struct zh_bench_shared *shared = link->shared;

	if (atomic_load_explicit(&shared->stage, memory_order_acquire) == stage)
		return false;
	return bytes >= atomic_load(&shared->expected_bytes) || got == 0;
}

/* What stands in a datagram socket's queue behind an empty one. */
static void drain(struct zh_bench_link *link, struct zh_bench_tally *tally)
{
	ssize_t got;

	while ((got = recv(link->far.rfd, link->far.buf, link->cell->size_bytes, MSG_DONTWAIT)) >=
		0) {
		tally->bytes += (uint64_t)got;
		tally->messages += got > 0;
	}
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
	} while (!is_at_end(link, stage, bytes, got));
	if (is_lossy)
		drain(link, tally);
	atomic_store(&tally->last_ns, zh_now_ns());
	return 0;
}
