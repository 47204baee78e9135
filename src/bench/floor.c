/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The floor: the bare loop over the same file descriptors that the measured stretch is compared
 * with. read(), write(), one clock read a message into an array; for streams not even that. It
 * shares nothing with the measured loops but the way out when a call does not succeed.
 */
#include <errno.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/clock.h"
#include "bench/loops.h"
#include "stats/histogram.h"

/* -1 with errno, 0 at the end of the stream; otherwise the whole message is out or in. In spin mode
 * the descriptors do not block, and this polls. */
#define MOVE_WHOLE(link, call, fd, buf, size, n)                                                   \
	for (uint32_t done_ = 0; done_ < (size);) {                                                \
		ssize_t k_ = call(fd, (buf) + done_, (size)-done_);                                \
		if (__builtin_expect(k_ > 0, 1))                                                   \
			done_ += (uint32_t)k_;                                                     \
		else if (zh_bench_again(link, k_ < 0 ? -errno : 0, n) < 0)                         \
			goto cut;                                                                  \
	}

static int pingpong(struct zh_bench_link *link, uint64_t ns, uint64_t *stamps, size_t max,
	struct zh_bench_round *round)
{
	uint32_t size = link->cell->size_bytes;
	int rfd = link->near.rfd, wfd = link->near.wfd;
	uint8_t *buf = link->near.buf;
	uint64_t start = zh_now_ns(), end = start + ns, now = start;
	size_t n = 0;

	while (now < end && n < max) {
		MOVE_WHOLE(link, write, wfd, buf, size, n);
		MOVE_WHOLE(link, read, rfd, buf, size, n);
		stamps[n++] = now = zh_now_ns();
	}
cut:
	round->floor_elapsed_ns = n ? stamps[n - 1] - start : 0;
	round->floor_messages = n;
	round->floor_bytes = n * size;
	for (end = start, max = 0; max < n; max++) {
		now = stamps[max];
		stamps[max] -= end;
		end = now;
	}
	return 0;
}

/* The median through the same histogram as that of the measured stretch, so that both are rounded
 * the same way. */
static uint64_t median(struct zh_histogram *histogram, const uint64_t *rtts, size_t n)
{
	size_t i;

	if (!histogram)
		return 0;
	zh_histogram_clear(histogram);
	for (i = 0; i < n; i++)
		zh_histogram_add(histogram, rtts[i]);
	return zh_histogram_quantile(histogram, 0.5);
}

int zh_bench_floor_near(
	struct zh_bench_link *link, uint64_t ns, struct zh_bench_result *ret, struct zh_err *err)
{
	int (*loop)(struct zh_bench_link *, uint64_t, uint64_t *, size_t, struct zh_bench_round *) =
		link->transport->ops->floor ? link->transport->ops->floor : pingpong;
	struct zh_bench_round *round = &ret->round;
	int r;

	(void)err;
	zh_bench_watch_begin(link, ns);
	r = loop(link, ns, link->rtts, link->max_rtts, round);
	round->floor_p50_ns = median(ret->histogram, link->rtts, (size_t)round->floor_messages);
	return r;
}

int zh_bench_floor_far(struct zh_bench_link *link, uint32_t stage)
{
	const _Atomic uint32_t *wanted = &link->shared->stage;
	uint32_t size = link->cell->size_bytes, done, now;
	int rfd = link->far.rfd, wfd = link->far.wfd;
	uint8_t *buf = link->far.buf;
	ssize_t k;

	if (link->transport->ops->floor_far)
		return link->transport->ops->floor_far(link);
	do {
		for (done = 0; done<size; done += k> 0 ? (uint32_t)k : 0) {
			k = read(rfd, buf + done, size - done);
			if (k <= 0 && !(k < 0 && errno == EAGAIN))
				return k < 0 ? -errno : 0;
		}
		now = atomic_load_explicit(wanted, memory_order_acquire);
		for (done = 0; done<size; done += k> 0 ? (uint32_t)k : 0) {
			k = write(wfd, buf + done, size - done);
			if (k < 0 && errno != EAGAIN)
				return -errno;
		}
	} while (now == stage);
	return 0;
}

/* As much as goes in until the signal of the watch says that the time is over. Returns the bytes
 * that went in; in whole messages unless it was cut short. */
static uint64_t pour(struct zh_bench_link *link)
{
	uint32_t size = link->cell->size_bytes;
	uint8_t *buf = link->near.buf;
	int fd = link->near.wfd;
	uint64_t bytes = 0;

	while (!link->watch.is_over) {
		MOVE_WHOLE(link, write, fd, buf, size, bytes);
		bytes += size;
		if (zh_bench_tick && zh_bench_again(link, -EINTR, bytes) < 0)
			break;
	}
cut:
	return bytes;
}

static void empty_datagram(struct zh_bench_link *link)
{
	send(link->near.wfd, "", 0, MSG_NOSIGNAL | MSG_DONTWAIT);
}

int zh_bench_floor_stream_near(
	struct zh_bench_link *link, uint64_t ns, struct zh_bench_result *ret, struct zh_err *err)
{
	struct zh_bench_tally *received = &link->shared->received[ZH_BENCH_FLOOR];
	bool is_lossy = link->transport->flags & ZH_BENCH_LOSSY;
	struct zh_bench_round *round = &ret->round;
	uint32_t last = is_lossy ? 0 : link->cell->size_bytes;
	uint64_t start, bytes;
	int r;

	if (link->transport->ops->floor_stream)
		return link->transport->ops->floor_stream(link, ns, round, err);
	zh_bench_watch_begin(link, ns);
	start = zh_now_ns();
	bytes = pour(link);
	if (link->ended.code)
		return 0;
	/* The end as in stream.c. */
	atomic_store(&link->shared->expected_bytes, bytes + last);
	atomic_store(&link->shared->stage, ZH_BENCH_MEASURE);
	zh_bench_watch_begin(link, UINT64_MAX);
	MOVE_WHOLE(link, write, link->near.wfd, link->near.buf, last, bytes);
	if (link->transport->ops->flush)
		link->transport->ops->flush(&link->near);
	r = zh_bench_peer_wait(link, ZH_BENCH_MEASURE, is_lossy ? empty_datagram : NULL, err);
	if (r < 0)
		return r;
	round->floor_elapsed_ns = atomic_load(&received->last_ns) - start;
	round->floor_bytes = atomic_load(&received->bytes);
	round->floor_messages = round->floor_bytes / link->cell->size_bytes;
cut:
	return 0;
}

int zh_bench_floor_stream_far(struct zh_bench_link *link, uint32_t stage)
{
	struct zh_bench_tally *tally = &link->shared->received[ZH_BENCH_FLOOR];
	bool is_lossy = link->transport->flags & ZH_BENCH_LOSSY;
	const _Atomic uint32_t *now = &link->shared->stage;
	uint32_t size = link->cell->size_bytes;
	uint8_t *buf = link->far.buf;
	int fd = link->far.rfd;
	uint64_t bytes = 0;
	ssize_t k;

	if (link->transport->ops->floor_stream_far)
		return link->transport->ops->floor_stream_far(link);
	for (;;) {
		k = read(fd, buf, size);
		if (k > 0)
			bytes += (uint64_t)k;
		else if (k == 0 && !is_lossy)
			return 0;
		else if (k < 0 && errno != EAGAIN)
			return -errno;
		if (atomic_load_explicit(now, memory_order_acquire) == stage)
			continue;
		if (bytes >= atomic_load(&link->shared->expected_bytes) || (is_lossy && k == 0))
			break;
	}
	while (is_lossy && (k = recv(fd, buf, size, MSG_DONTWAIT)) >= 0)
		bytes += (uint64_t)k;
	atomic_store(&tally->bytes, bytes);
	atomic_store(&tally->last_ns, zh_now_ns());
	return 0;
}
