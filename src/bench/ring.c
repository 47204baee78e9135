/* SPDX-License-Identifier: BSD-2-Clause */
#include "bench/ring.h"

#include <errno.h>
#include <linux/futex.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/util.h"

/* Large enough that streams of small messages seldom meet a full ring, small enough for a second
 * level cache: a stream then moves through the cache as it does through a socket's buffer. */
#define RING_BYTES (256u << 10)
#define SLOTS_MIN 4u
#define SLOTS_MAX 1024u

/* Looks before a spinning side reports back: tens of microseconds. */
#define SPINS 1000

static size_t stride_of(uint32_t size)
{
	size_t bytes = sizeof(uint32_t) * 2 + size;

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

static struct zh_ring_slot *slot_of(const struct zh_ring_side *side)
{
	struct zh_ring *ring = side->ring;

	return (struct zh_ring_slot *)(void *)(ring->slots +
					       (side->turn & (ring->n_slots - 1)) * ring->stride);
}

/* Shared between processes, hence not the private kind. */
static void futex_wait(_Atomic uint32_t *word, uint32_t seen)
{
	syscall(SYS_futex, word, FUTEX_WAIT, seen, NULL, NULL, 0);
}

static void futex_wake(_Atomic uint32_t *word)
{
	syscall(SYS_futex, word, FUTEX_WAKE, 1, NULL, NULL, 0);
}

/* Stores and wakes whoever sleeps on the word. */
static void store(
	_Atomic uint32_t *word, uint32_t value, const _Atomic uint32_t *sleeper, bool sleeps)
{
	if (!sleeps) {
		atomic_store_explicit(word, value, memory_order_release);
		return;
	}
	atomic_store(word, value);
	if (atomic_load(sleeper))
		futex_wake(word);
}

/* Waits once until the word may no longer be `seen`: asleep, or looking often. False: it still is.
 */
static bool changed(
	_Atomic uint32_t *word, uint32_t seen, _Atomic uint32_t *announcement, bool sleeps)
{
	int i;

	if (sleeps) {
		atomic_store(announcement, 1);
		if (atomic_load(word) == seen)
			futex_wait(word, seen);
		atomic_store_explicit(announcement, 0, memory_order_relaxed);
	}
	for (i = 0; i < (sleeps ? 1 : SPINS); i++) {
		if (atomic_load_explicit(word, memory_order_acquire) != seen)
			return true;
		zh_ring_relax();
	}
	return false;
}

int64_t zh_ring_put(struct zh_ring_side *side, const void *message, uint32_t len, bool sleeps)
{
	struct zh_ring *ring = side->ring;
	struct zh_ring_slot *slot = slot_of(side);

	/* What was seen last is enough nearly always; the reader's line is read when it is not. */
	if (side->turn - side->taken >= ring->n_slots) {
		uint32_t seen = side->taken;

		if (atomic_load_explicit(&ring->taken, memory_order_acquire) == seen &&
			!changed(&ring->taken, seen, &ring->writer_sleeps, sleeps))
			return -EAGAIN;
		side->taken = atomic_load_explicit(&ring->taken, memory_order_acquire);
	}
	memcpy(slot->data, message, len);
	slot->len = len;
	side->turn++;
	store(&slot->turn, side->turn, &ring->reader_sleeps, sleeps);
	return len;
}

int64_t zh_ring_get(struct zh_ring_side *side, void *message, uint32_t len, bool sleeps)
{
	struct zh_ring *ring = side->ring;
	struct zh_ring_slot *slot = slot_of(side);
	uint32_t turn = atomic_load_explicit(&slot->turn, memory_order_acquire);

	if (turn != side->turn + 1 && !changed(&slot->turn, turn, &ring->reader_sleeps, sleeps))
		return -EAGAIN;
	len = ZH_MIN(len, slot->len);
	memcpy(message, slot->data, len);
	side->turn++;
	if (side->turn - side->taken >= ring->n_slots / 4) {
		side->taken = side->turn;
		store(&ring->taken, side->taken, &ring->writer_sleeps, sleeps);
	}
	return len;
}
