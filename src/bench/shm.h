/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Both shared-memory transports: a ring each way (bench/ring.h) in one anonymous mapping, and the
 * bare loops that they are compared with. They differ in how a side waits.
 */
#pragma once

#include "bench/internal.h"
#include "bench/ring.h"

/* For the bare loops: one word that counts messages, which one side stores and the other waits for.
 */
struct zh_bench_word {
	_Alignas(ZH_RING_LINE) _Atomic uint32_t value;
	_Atomic uint32_t sleeper; /* somebody sleeps on it */
	uint8_t data[];           /* of the message that it counts, when it is the only one */
};

/* One side's state; what it points to is shared. */
struct zh_bench_shm {
	struct zh_ring_side tx, rx;
	bool sleeps; /* by futex; false: both sides look all the time */
	/* Bare ping-pong: a word each way with its message. Bare stream: words and slots. */
	struct zh_bench_word *ask, *answer, *put, *taken;
	uint8_t *slots; /* as many as the ring has */
};

/* As in struct zh_bench_ops; a side sleeps unless its transport only spins. */
int zh_bench_shm_open(struct zh_bench_link *link, struct zh_err *err);
void zh_bench_shm_close(struct zh_bench_link *link);
int64_t zh_bench_shm_send(struct zh_bench_end *end, const struct zh_bench_link *link);
int64_t zh_bench_shm_recv(struct zh_bench_end *end, const struct zh_bench_link *link);

/* shm-floor.c; as in struct zh_bench_ops. */
int zh_bench_shm_floor(struct zh_bench_link *link, uint64_t ns, uint64_t *rtts, size_t max,
	struct zh_bench_round *ret);
int zh_bench_shm_floor_far(struct zh_bench_link *link);
int zh_bench_shm_floor_stream(
	struct zh_bench_link *link, uint64_t ns, struct zh_bench_round *ret, struct zh_err *err);
int zh_bench_shm_floor_stream_far(struct zh_bench_link *link);
