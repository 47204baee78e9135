/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Inside the benchmark: the two ends of a transport, and the loops that run over them.
 *
 * A transport makes a link before the fork. Each side then keeps its own end and closes the other
 * one. Both sides walk through the same stages (warm-up, floor, measure), each a loop of its own:
 * the maker ("near") sets the number of the next stage in shared memory and sends one more message,
 * the peer ("far") looks at that number after every message and follows. So a stage ends without a
 * system call or a byte that other messages do not have.
 *
 * A round is run by one thread of a process at a time.
 */
#pragma once

#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include <time.h>

#include "base/units.h"
#include "bench/bench.h"

/* What a message may be at most, whatever the transport allows: both ends keep one in memory. */
#define ZH_BENCH_BYTES_MAX (64u << 20)
/* Room in front of and behind a message in its buffer, for what a transport adds. */
#define ZH_BENCH_ROOM 256u

enum zh_bench_stage {
	ZH_BENCH_WARM_UP, /* the measured loop, dropped */
	ZH_BENCH_FLOOR,   /* the bare loop */
	ZH_BENCH_MEASURE,
	ZH_BENCH_DONE
};

/* One side's end. */
struct zh_bench_end {
	int rfd, wfd; /* may be the same; -1: none (shared memory) */
	bool is_peer;
	void *state;   /* the transport's own, e.g. its half of a ring */
	uint8_t *buf;  /* size_bytes, touched; ZH_BENCH_ROOM before and behind it is there too */
	uint32_t done; /* bytes of an unfinished message, see send and recv */
};

/* What the peer counted in one stage; valid after its death, too. */
struct zh_bench_tally {
	_Alignas(64) _Atomic uint64_t messages;
	_Atomic uint64_t bytes;
	_Atomic uint64_t last_ns; /* streams: when the peer had everything */
};

/* Memory of both processes, in an anonymous shared mapping. */
struct zh_bench_shared {
	_Atomic uint32_t stage; /* enum zh_bench_stage: what the maker wants */
	_Atomic uint32_t ready; /* 1 + the stage whose loop the peer is in; a futex */
	_Atomic int32_t failed; /* positive errno that the peer ended with */
	/* Streams: what the maker has sent once it has moved to the next stage. */
	_Atomic uint64_t expected_bytes;
	struct zh_bench_tally received[ZH_BENCH_DONE]; /* by the peer, in each stage */
};

/* Looks ten times a second whether the stage shall go on: a timer's signal interrupts a blocked
 * call (EINTR) and sets zh_bench_tick. */
struct zh_bench_watch {
	timer_t timer;
	bool is_started, has_timer;
	bool is_over;                   /* the stretch has lasted as long as it should */
	uint64_t end_ns;                /* of the stretch */
	uint64_t progress, progress_ns; /* when something last got through */
	uint32_t done;                  /* of near, then */
	struct sigaction old_action;
	sigset_t old_mask;
};
extern volatile sig_atomic_t zh_bench_tick;

/* Calls with MSG_ZEROCOPY so far, and what became of them (zerocopy.h). */
struct zh_bench_zerocopy {
	uint64_t sent, done, copied;
	uint64_t told_done, told_copied; /* when they were last asked for */
};

/* Both ends and what they agree on. */
struct zh_bench_link {
	const struct zh_bench_config *config;
	struct zh_bench_cell *cell;
	const struct zh_bench_transport *transport;
	struct zh_bench_end near, far;
	struct zh_bench_shared *shared;
	uint64_t *rtts; /* for the floor */
	size_t max_rtts;
	size_t mapped_bytes;
	pid_t peer;            /* 0: none (yet) */
	int peer_fd;           /* the number of far's descriptor, in the peer; -1: none */
	struct zh_cpuset cpus; /* that the cell may use */
	bool has_root_usage;   /* see zh_bench_usage_probe() */
	/* CPU time of the maker that is no message's: looking at the clock until one is due. */
	uint64_t waited_ns;
	struct zh_bench_watch watch;
	struct zh_bench_zerocopy zerocopy;
	struct zh_err ended; /* code != 0: why the round ended early */
};

/*
 * What a transport does. send and recv move one whole message and return its length, 0 at the end
 * of the stream (an empty datagram where messages have borders), or a negative errno. -EAGAIN
 * (nothing there yet) and -EINTR mean: call again with the same message; what was moved so far is
 * kept in end->done. They are called on either side and must not allocate.
 */
struct zh_bench_ops {
	/* Makes both ends; runs before the fork. What it made is undone by close(), also half-way.
	 * NULL for close: the fds are closed by zh_bench_end_close(), and nothing else is there. */
	int (*open)(struct zh_bench_link *link, struct zh_err *err);
	void (*close)(struct zh_bench_link *link);
	int64_t (*send)(struct zh_bench_end *end, const struct zh_bench_link *link);
	int64_t (*recv)(struct zh_bench_end *end, const struct zh_bench_link *link);
	/* send and recv are read() and write() of the whole buffer, which a loop may call itself;
	 * it leaves the rest of a message that was moved in part to them. */
	bool is_fd;
	bool is_ring; /* state is a struct zh_bench_shm (shm.h) and its ring spins */
	/* Streams: takes what there is, at most one message. NULL: recv. */
	int64_t (*take)(struct zh_bench_end *end, const struct zh_bench_link *link);
	/* Streams: sends at once what the kernel keeps back, waiting for more. NULL: it never does.
	 */
	void (*flush)(struct zh_bench_end *end);
	/*
	 * The bare loop of ping-pong: until `ns` are over or max are done, with one clock read a
	 * message into `rtts` and nothing else; floor_elapsed_ns, floor_messages and floor_bytes
	 * of ret are set. far answers until shared->stage is another one. Both NULL: those over
	 * file descriptors.
	 */
	int (*floor)(struct zh_bench_link *link, uint64_t ns, uint64_t *rtts, size_t max,
		struct zh_bench_round *ret);
	int (*floor_far)(struct zh_bench_link *link);
	/* The same for streams, with the end of the stage in it, as in floor.c. */
	int (*floor_stream)(struct zh_bench_link *link, uint64_t ns, struct zh_bench_round *ret,
		struct zh_err *err);
	int (*floor_stream_far)(struct zh_bench_link *link);
};

/* fd-io.c: send, recv and take over file descriptors. */
int64_t zh_bench_fd_send(struct zh_bench_end *end, const struct zh_bench_link *link);
int64_t zh_bench_fd_recv(struct zh_bench_end *end, const struct zh_bench_link *link); /* bytes */
int64_t zh_bench_fd_take(struct zh_bench_end *end, const struct zh_bench_link *link); /* messages */
