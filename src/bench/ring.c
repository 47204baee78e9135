/* SPDX-License-Identifier: BSD-2-Clause */
#include "bench/ring.h"

#include <linux/futex.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Large enough that streams of small messages seldom meet a full ring, small enough for a second
 * level cache: a stream then moves through the cache as it does through a socket's buffer. */
#define RING_BYTES (256u << 10)
#define SLOTS_MIN 4u
#define SLOTS_MAX 64u

static size_t offset_of(uint32_t size)
{
	size_t head = 2 * sizeof(uint32_t);

	return head + size <= ZH_RING_LINE ? head : ZH_RING_LINE;
}

static size_t stride_of(uint32_t size)
{
	size_t bytes = offset_of(size) + size;

	return (bytes + ZH_RING_LINE - 1) / ZH_RING_LINE * ZH_RING_LINE;
}

static uint32_t slots_of(uint32_t size)
{
	uint32_t n = SLOTS_MAX;

	while (n > SLOTS_MIN && n * stride_of(size) > RING_BYTES)
		n /= 2;
	return n;
}

size_t zh_ring_bytes(uint32_t size)
{
	return sizeof(struct zh_ring) + slots_of(size) * stride_of(size);
}

void zh_ring_init(struct zh_ring *ring, uint32_t size)
{
	memset(ring, 0, zh_ring_bytes(size));
	ring->n_slots = slots_of(size);
	ring->size = size;
	ring->stride = stride_of(size);
}

void zh_ring_side_init(struct zh_ring_side *side, struct zh_ring *ring)
{
	*side = (struct zh_ring_side){.ring = ring,
		.stride = ring->stride,
		.offset = offset_of(ring->size),
		.mask = ring->n_slots - 1};
}

void zh_ring_store_and_wake(_Atomic uint32_t *word, uint32_t value, const _Atomic uint32_t *sleeper)
{
	atomic_store(word, value);
	if (atomic_load(sleeper))
		syscall(SYS_futex, word, FUTEX_WAKE, 1, NULL, NULL, 0);
}

bool zh_ring_sleep(_Atomic uint32_t *word, uint32_t seen, _Atomic uint32_t *announcement)
{
	atomic_store(announcement, 1);
	/* Not the private kind: the word is shared between processes. */
	if (atomic_load(word) == seen)
		syscall(SYS_futex, word, FUTEX_WAIT, seen, NULL, NULL, 0);
	atomic_store_explicit(announcement, 0, memory_order_relaxed);
	return atomic_load_explicit(word, memory_order_acquire) != seen;
}
