/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Inside the benchmark: the two ends of a transport, and the loops that run over them.
 *
 * A transport makes a link before the fork. Each side then takes its own end, and closes the other
 * one. Transports over file descriptors share one set of loops (read and write; for datagrams a
 * connected socket); shared memory brings its own.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "bench/bench.h"

/* One side's end. */
struct zh_bench_end {
	int rfd, wfd; /* may be the same; -1: none (shared memory) */
	bool is_peer;
	void *state;  /* the transport's own, e.g. its half of a ring */
	uint8_t *buf; /* size_bytes, touched; + what the transport puts in front */
};

/* Both ends and what they agree on. `shared` is memory that both processes see. */
struct zh_bench_link {
	const struct zh_bench_config *config;
	const struct zh_bench_cell *cell;
	const struct zh_bench_transport *transport;
	struct zh_bench_end near, far;
	struct zh_bench_shared *shared;
	char path[108]; /* of a Unix socket that must be removed; "" otherwise */
};

/* Memory of both processes: what the peer tells its maker. Lives in an anonymous shared mapping. */
struct zh_bench_shared {
	uint32_t ready; /* the peer is in its loop */
	uint32_t stop;  /* the maker wants the peer to end after the next message */
	int32_t failed; /* positive errno that the peer ended with */
	uint64_t received_messages, received_bytes; /* by the peer since the stretch began */
	uint64_t first_ns, last_ns;                 /* of what the peer received */
	uint64_t cpu_ns, switches, preempted;       /* of the peer, so far */
	uint64_t socket_drops;                      /* SK_MEMINFO_DROPS of the peer's socket */
};

/*
 * What a transport does. send and recv move one whole message and return its length, 0 at the end
 * of the stream, or a negative errno (-EAGAIN: nothing there yet, with spin). They are called on
 * either side and must not allocate.
 */
struct zh_bench_ops {
	/* Makes both ends; runs before the fork. What it made is undone by close(), also half-way.
	 */
	int (*open)(struct zh_bench_link *link, struct zh_err *err);
	void (*close)(struct zh_bench_link *link);
	int64_t (*send)(struct zh_bench_end *end, const struct zh_bench_link *link);
	int64_t (*recv)(struct zh_bench_end *end, const struct zh_bench_link *link);
	/* The bare loop of this transport: `ns` long ping-pong or stream, with one clock read a
	 * message into `rtts` (ping-pong; room for max) and nothing else. NULL: the one over file
	 * descriptors. */
	int (*floor)(struct zh_bench_link *link, uint64_t ns, uint64_t *rtts, size_t max,
		struct zh_bench_round *ret);
};
