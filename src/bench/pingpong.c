/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * One message there and back, the next right after it. The clock is read once a message: the end of
 * one is the start of the next, so that the times add up to the whole stretch and nothing falls
 * between two of them.
 */
#include <errno.h>

#include "base/clock.h"
#include "bench/loops.h"
#include "stats/histogram.h"

/* 0: the answer is here; negative: the end (link->ended). */
static int exchange(struct zh_bench_link *link, const struct zh_bench_ops *ops, uint64_t n)
{
	int64_t got;
	int r;

	while ((got = ops->send(&link->near, link)) <= 0)
		if ((r = zh_bench_again(link, got, n)) < 0)
			return r;
	while ((got = ops->recv(&link->near, link)) <= 0)
		if ((r = zh_bench_again(link, got, n)) < 0)
			return r;
	return 0;
}

int zh_bench_pingpong_near(
	struct zh_bench_link *link, uint64_t ns, struct zh_bench_result *ret, struct zh_err *err)
{
	const struct zh_bench_ops *ops = link->transport->ops;
	struct zh_histogram *histogram = ret->histogram;
	struct zh_bench_round *round = &ret->round;
	uint64_t start, end, last, now, n = 0;
	bool was_cut = false;

	(void)err;
	zh_bench_watch_begin(link, ns);
	start = last = now = zh_now_ns();
	end = start + ns;
	while (now < end) {
		was_cut = exchange(link, ops, n) < 0;
		now = zh_now_ns();
		if (was_cut)
			break;
		n++;
		if (histogram)
			zh_histogram_add(histogram, now - last);
		last = now;
		if (zh_bench_tick && (was_cut = zh_bench_again(link, -EINTR, n) < 0))
			break;
	}
	round->start_ns = start;
	/* A message that was under way when it was cut short is none. */
	round->elapsed_ns = last - start;
	round->messages = n;
	round->bytes = n * link->cell->size_bytes;
	round->sent = n + (was_cut && now != last);
	return 0;
}

int zh_bench_pingpong_far(struct zh_bench_link *link, uint32_t stage)
{
	const struct zh_bench_ops *ops = link->transport->ops;
	struct zh_bench_shared *shared = link->shared;
	struct zh_bench_tally *tally = &shared->received[stage];
	struct zh_bench_end *end = &link->far;
	uint32_t now;
	uint64_t n = 0;
	int64_t r;

	do {
		while ((r = ops->recv(end, link)) <= 0)
			if (r != -EAGAIN && r != -EINTR)
				return (int)r;
		/* Before the answer: the maker may move on as soon as it has that, and its next
		 * message belongs to this loop still. */
		now = atomic_load_explicit(&shared->stage, memory_order_acquire);
		while ((r = ops->send(end, link)) <= 0)
			if (r != -EAGAIN && r != -EINTR)
				return (int)r;
		atomic_store_explicit(&tally->messages, ++n, memory_order_relaxed);
	} while (now == stage);
	return 0;
}
