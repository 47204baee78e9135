/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Messages of one direction through shared memory: a ring of slots with one writer and one reader,
 * each in a process of its own.
 *
 * A slot carries a turn number in front of its bytes, in the same cache line when they are at most
 * 56. The writer stores the bytes, then the turn (release); the reader waits for the turn
 * (acquire), then copies the bytes out. So a small message crosses between CPUs as one cache line,
 * and nothing else of the ring moves: the reader says only once in a quarter of the ring which
 * slots are free again, on a line of its own.
 *
 * Blocking is by futex, on the word that is waited for. A side announces that it sleeps before it
 * looks a last time; the other looks for the announcement after it stored. Both orders are
 * sequentially consistent, so one of them sees the other: no wake-up is lost, and there is no
 * system call at all while nobody sleeps.
 *
 * Nothing here allocates. Memory is the caller's: shared, zeroed, aligned to 64 bytes.
 */
#pragma once

#include <errno.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define ZH_RING_LINE 64

struct zh_ring_slot {
	_Alignas(ZH_RING_LINE) _Atomic uint32_t turn; /* 1 + number of the message it holds */
	uint32_t len;
	/* Then the bytes: at once, when they fit into the rest of the line, otherwise from the next
	 * line on, where copying them is up to half as fast again. */
};

struct zh_ring {
	/* Each line has one side that writes it (and the other's looks), but for the announcements,
	 * which change only around sleep. */
	_Alignas(ZH_RING_LINE) _Atomic uint32_t taken; /* messages, as the reader last said */
	_Alignas(ZH_RING_LINE) _Atomic uint32_t reader_sleeps;
	_Atomic uint32_t writer_sleeps;
	_Alignas(ZH_RING_LINE) uint32_t n_slots; /* a power of two, at least 4 */
	uint32_t size;                           /* of a message, at most */
	size_t stride;                           /* bytes from slot to slot */
	_Alignas(ZH_RING_LINE) uint8_t slots[];
};

/* One side's view, and its own copy of what never changes. */
struct zh_ring_side {
	struct zh_ring *ring;
	size_t stride;
	size_t offset;  /* of the bytes in a slot */
	uint32_t mask;  /* number of slots - 1 */
	uint32_t turn;  /* number of the next message */
	uint32_t taken; /* what the writer last saw; what the reader last said */
};

/* Bytes for a ring of messages of at most `size` bytes. */
size_t zh_ring_bytes(uint32_t size);
void zh_ring_init(struct zh_ring *ring, uint32_t size);
/* Either side, at the beginning. */
void zh_ring_side_init(struct zh_ring_side *side, struct zh_ring *ring);

/* Tells the CPU that this is a loop which waits. */
static inline void zh_ring_relax(void)
{
#if defined(__x86_64__) || defined(__i386__)
	__builtin_ia32_pause();
#elif defined(__aarch64__) || defined(__arm__)
	__asm__ volatile("yield");
#endif
}

/* Looks before a spinning side reports back: tens of microseconds. */
#define ZH_RING_SPINS 1000

/* Sleeps once, unless the word differs from `seen` already. False: it still does not differ. */
bool zh_ring_sleep(_Atomic uint32_t *word, uint32_t seen, _Atomic uint32_t *announcement);

static inline bool zh_ring_wait(
	_Atomic uint32_t *word, uint32_t seen, _Atomic uint32_t *announcement, bool sleeps)
{
	int i;

	if (sleeps)
		return zh_ring_sleep(word, seen, announcement);
	for (i = 0; i < ZH_RING_SPINS; i++) {
		if (atomic_load_explicit(word, memory_order_acquire) != seen)
			return true;
		zh_ring_relax();
	}
	return false;
}

/* Stores, then wakes whoever sleeps on the word. */
void zh_ring_store_and_wake(
	_Atomic uint32_t *word, uint32_t value, const _Atomic uint32_t *sleeper);

static inline void zh_ring_store(
	_Atomic uint32_t *word, uint32_t value, const _Atomic uint32_t *sleeper, bool sleeps)
{
	if (sleeps)
		zh_ring_store_and_wake(word, value, sleeper);
	else
		atomic_store_explicit(word, value, memory_order_release);
}

static inline struct zh_ring_slot *zh_ring_slot_of(const struct zh_ring_side *side)
{
	return (struct zh_ring_slot *)(void *)(side->ring->slots +
					       (side->turn & side->mask) * side->stride);
}

/*
 * One message in or out; its length, or -EAGAIN when the ring stays full or empty: after some
 * microseconds of spinning, or (`sleeps`) after a sleep that a signal ended. A message longer than
 * `len` is cut by zh_ring_get(); zh_ring_put() wants len <= size. In the header, since a call more
 * is seen in a round trip of half a microsecond.
 */
static inline int64_t zh_ring_put(
	struct zh_ring_side *side, const void *message, uint32_t len, bool sleeps)
{
	struct zh_ring_slot *slot = zh_ring_slot_of(side);
	_Atomic uint32_t *taken = &side->ring->taken;
	uint32_t seen = side->taken;

	/* What was seen last is enough nearly always; the reader's line is read when it is not. */
	if (side->turn - seen > side->mask) {
		side->taken = atomic_load_explicit(taken, memory_order_acquire);
		if (side->taken == seen &&
			!zh_ring_wait(taken, seen, &side->ring->writer_sleeps, sleeps))
			return -EAGAIN;
		side->taken = atomic_load_explicit(taken, memory_order_acquire);
	}
	memcpy((uint8_t *)slot + side->offset, message, len);
	slot->len = len;
	zh_ring_store(&slot->turn, ++side->turn, &side->ring->reader_sleeps, sleeps);
	return len;
}

static inline int64_t zh_ring_get(
	struct zh_ring_side *side, void *message, uint32_t len, bool sleeps)
{
	struct zh_ring_slot *slot = zh_ring_slot_of(side);
	uint32_t turn = atomic_load_explicit(&slot->turn, memory_order_acquire);

	if (turn != side->turn + 1 &&
		!zh_ring_wait(&slot->turn, turn, &side->ring->reader_sleeps, sleeps))
		return -EAGAIN;
	if (len > slot->len)
		len = slot->len;
	memcpy(message, (uint8_t *)slot + side->offset, len);
	side->turn++;
	if (side->turn - side->taken > side->mask / 4) {
		side->taken = side->turn;
		zh_ring_store(&side->ring->taken, side->taken, &side->ring->writer_sleeps, sleeps);
	}
	return len;
}
