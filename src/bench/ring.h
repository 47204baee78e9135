/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Messages of one direction through shared memory: a ring of slots with one writer and one reader,
 * each in a process of its own.
 *
 * A slot carries a turn number in front of its bytes, in the same cache line as the first 56 of
 * them. The writer stores the bytes, then the turn (release); the reader waits for the turn
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

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define ZH_RING_LINE 64

struct zh_ring_slot {
	_Alignas(ZH_RING_LINE) _Atomic uint32_t turn; /* 1 + number of the message it holds */
	uint32_t len;
	uint8_t data[];
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

/* One side's view. */
struct zh_ring_side {
	struct zh_ring *ring;
	uint32_t turn;  /* number of the next message */
	uint32_t taken; /* what the writer last saw; what the reader last said */
};

/* Bytes for a ring of messages of at most `size` bytes. */
size_t zh_ring_bytes(uint32_t size);
void zh_ring_init(struct zh_ring *ring, uint32_t size);

/*
 * One message in or out; its length, or -EAGAIN when the ring stays full or empty: after a few
 * microseconds of spinning, or (`sleeps`) after a sleep that a signal ended. A message longer than
 * `len` is cut by zh_ring_get(); zh_ring_put() wants len <= size.
 */
int64_t zh_ring_put(struct zh_ring_side *side, const void *message, uint32_t len, bool sleeps);
int64_t zh_ring_get(struct zh_ring_side *side, void *message, uint32_t len, bool sleeps);

/* Tells the CPU that this is a loop which waits. */
static inline void zh_ring_relax(void)
{
#if defined(__x86_64__) || defined(__i386__)
	__builtin_ia32_pause();
#elif defined(__aarch64__) || defined(__arm__)
	__asm__ volatile("yield");
#endif
}
