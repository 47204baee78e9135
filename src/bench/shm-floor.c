/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The bare loops of shared memory: no ring, no lengths, no order to be kept but that of one word.
 *
 * Ping-pong has one message each way, in the cache line of the word that counts it. It reads the
 * clock once a message, as the measured loop does: at 0.6 us a round trip that is 5 % of it, and
 * the ratio of both tells what the ring and the histogram add. CLOCK_MONOTONIC is read from the
 * vDSO (26 to 36 ns here, with the clock source tsc); reading the time stamp counter itself would
 * save half of that, and would have to be converted and be known to be constant and synchronous.
 */
#include <errno.h>
#include <linux/futex.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/clock.h"
#include "bench/loops.h"
#include "bench/shm.h"

#define END UINT32_MAX /* instead of a count: the bare loop is over */

static void store(struct zh_bench_word *word, uint32_t value, bool sleeps)
{
	if (!sleeps) {
		atomic_store_explicit(&word->value, value, memory_order_release);
		return;
	}
	atomic_store(&word->value, value);
	if (atomic_load(&word->sleeper))
		syscall(SYS_futex, &word->value, FUTEX_WAKE, 1, NULL, NULL, 0);
}

/* Waits until the word is no longer `seen`, or (near only) until the watch's signal. */
static uint32_t await(struct zh_bench_word *word, uint32_t seen, bool sleeps, bool is_peer)
{
	uint32_t value;

	while ((value = atomic_load_explicit(&word->value, memory_order_acquire)) == seen) {
		if (!is_peer && zh_bench_tick)
			break;
		if (!sleeps) {
			zh_ring_relax();
			continue;
		}
		atomic_store(&word->sleeper, 1);
		if (atomic_load(&word->value) == seen)
			syscall(SYS_futex, &word->value, FUTEX_WAIT, seen, NULL, NULL, 0);
		atomic_store_explicit(&word->sleeper, 0, memory_order_relaxed);
	}
	return value;
}

int zh_bench_shm_floor(struct zh_bench_link *link, uint64_t ns, uint64_t *rtts, size_t max,
	struct zh_bench_round *ret)
{
	struct zh_bench_shm *shm = link->near.state;
	uint32_t size = link->cell->size_bytes, n = 0;
	uint8_t *buf = link->near.buf;
	uint64_t start, last, now;

	for (start = last = now = zh_now_ns(); now < start + ns && n < max; last = now) {
		memcpy(shm->ask->data, buf, size);
		store(shm->ask, n + 1, shm->sleeps);
		while (await(shm->answer, n, shm->sleeps, false) == n)
			if (zh_bench_again(link, -EINTR, n) < 0)
				goto cut;
		memcpy(buf, shm->answer->data, size);
		now = zh_now_ns();
		rtts[n++] = now - last;
	}
cut:
	store(shm->ask, END, shm->sleeps);
	ret->floor_elapsed_ns = last - start;
	ret->floor_messages = n;
	ret->floor_bytes = (uint64_t)n * size;
	return 0;
}

/* Then the message with which the maker moves to the next stage: that one comes by the ring. */
static int answer_last(struct zh_bench_link *link)
{
	const struct zh_bench_ops *ops = link->transport->ops;

	while (ops->recv(&link->far, link) < 0)
		;
	while (ops->send(&link->far, link) < 0)
		;
	return 0;
}

int zh_bench_shm_floor_far(struct zh_bench_link *link)
{
	struct zh_bench_shm *shm = link->far.state;
	uint32_t size = link->cell->size_bytes, n;
	uint8_t *buf = link->far.buf;

	for (n = 0; await(shm->ask, n, shm->sleeps, true) != END; n++) {
		memcpy(buf, shm->ask->data, size);
		memcpy(shm->answer->data, buf, size);
		store(shm->answer, n + 1, shm->sleeps);
	}
	return answer_last(link);
}

static uint8_t *slot_of(const struct zh_bench_shm *shm, uint32_t n, uint32_t size)
{
	size_t stride = (size + ZH_RING_LINE - 1) / ZH_RING_LINE * (size_t)ZH_RING_LINE;

	return shm->slots + (n & (shm->tx.ring->n_slots - 1)) * stride;
}

/* One more message; negative: the end. */
static int put(struct zh_bench_link *link, uint32_t n)
{
	struct zh_bench_shm *shm = link->near.state;
	uint32_t size = link->cell->size_bytes, n_slots = shm->tx.ring->n_slots;
	uint32_t full = n - n_slots;
	int r;

	if (n >= n_slots)
		while (await(shm->taken, full, shm->sleeps, false) == full)
			if ((r = zh_bench_again(link, -EINTR, n)) < 0)
				return r;
	memcpy(slot_of(shm, n, size), link->near.buf, size);
	store(shm->put, n + 1, shm->sleeps);
	return 0;
}

int zh_bench_shm_floor_stream(
	struct zh_bench_link *link, uint64_t ns, struct zh_bench_round *ret, struct zh_err *err)
{
	struct zh_bench_tally *received = &link->shared->received[ZH_BENCH_FLOOR];
	uint64_t start, size = link->cell->size_bytes;
	uint32_t n = 0;
	int r;

	zh_bench_watch_begin(link, ns);
	for (start = zh_now_ns(); !link->watch.is_over; n++) {
		if (put(link, n) < 0)
			return 0;
		if (zh_bench_tick && zh_bench_again(link, -EINTR, n) < 0)
			return 0;
	}
	atomic_store(&link->shared->expected_bytes, (n + 1) * size);
	atomic_store(&link->shared->stage, ZH_BENCH_MEASURE);
	zh_bench_watch_begin(link, UINT64_MAX);
	if (put(link, n) < 0)
		return 0;
	r = zh_bench_peer_wait(link, ZH_BENCH_MEASURE, NULL, err);
	if (r < 0)
		return r;
	ret->floor_elapsed_ns = atomic_load(&received->last_ns) - start;
	ret->floor_bytes = atomic_load(&received->bytes);
	ret->floor_messages = ret->floor_bytes / size;
	return 0;
}

int zh_bench_shm_floor_stream_far(struct zh_bench_link *link)
{
	struct zh_bench_tally *tally = &link->shared->received[ZH_BENCH_FLOOR];
	const _Atomic uint32_t *stage = &link->shared->stage;
	struct zh_bench_shm *shm = link->far.state;
	uint32_t size = link->cell->size_bytes, n = 0;

	do {
		while (await(shm->put, n, shm->sleeps, true) == n)
			;
		memcpy(link->far.buf, slot_of(shm, n, size), size);
		store(shm->taken, ++n, shm->sleeps);
	} while (atomic_load_explicit(stage, memory_order_acquire) == ZH_BENCH_FLOOR ||
		 (uint64_t)n * size < atomic_load(&link->shared->expected_bytes));
	atomic_store(&tally->bytes, (uint64_t)n * size);
	atomic_store(&tally->last_ns, zh_now_ns());
	return 0;
}
