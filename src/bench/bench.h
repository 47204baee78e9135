/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The benchmark's engine: one round of one cell. It makes the two ends of a transport, forks the
 * process that plays the peer, drops a warm-up, runs the bare loop (the floor) and then the
 * measured stretch on the same ends, and takes everything down again.
 *
 * The peer is a process, as the two ends of a local connection are in practice: it can be stopped
 * and killed, and switching to it costs what switching between programs costs. It is killed by the
 * kernel when its maker dies. Between the first and the last message nothing allocates, locks or
 * prints on either side.
 *
 * The order of cells and rounds, budgets and other programs are the session's business.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/err.h"
#include "record/bench.h"
#include "stats/histogram.h"

#define ZH_BENCH_LOSSES_MAX 16

enum zh_bench_flag {
	ZH_BENCH_INET = 1 << 0,        /* has addresses: may cross network namespaces */
	ZH_BENCH_MESSAGES = 1 << 1,    /* keeps message borders */
	ZH_BENCH_LOSSY = 1 << 2,       /* datagrams may get lost */
	ZH_BENCH_BUFFERS = 1 << 3,     /* SO_SNDBUF and SO_RCVBUF mean something */
	ZH_BENCH_BUSY_POLL = 1 << 4,   /* SO_BUSY_POLL can be set */
	ZH_BENCH_ZEROCOPY = 1 << 5,    /* MSG_ZEROCOPY can be asked for */
	ZH_BENCH_STREAM_MODE = 1 << 6, /* one-way throughput makes sense */
	ZH_BENCH_RATE_MODE = 1 << 7,   /* paced requests make sense */
	ZH_BENCH_SPIN = 1 << 8,        /* both sides can poll instead of sleeping */
	ZH_BENCH_SPIN_ONLY = 1 << 9,   /* never sleeps (and so makes no sense on one CPU) */
	ZH_BENCH_NO_PEER = 1 << 10,    /* the kernel answers */
};

struct zh_bench_transport {
	const char *name;    /* "unix-seqpacket" */
	const char *summary; /* one line */
	unsigned int flags;
	uint32_t max_bytes;             /* largest message; UINT32_MAX: no bound of its own */
	const struct zh_bench_ops *ops; /* bench/internal.h */
};

extern const struct zh_bench_transport *const zh_bench_transport_registry[];
/* NULL when there is none of that name. "unix" is short for "unix-stream". */
const struct zh_bench_transport *zh_bench_transport_find(const char *name);

/*
 * Whether a cell makes sense: transport known, size within its bound and not 0, mode and flags
 * supported, CPUs there. 0, or -EINVAL with one line that says what is allowed.
 */
int zh_bench_check(const struct zh_bench_cell *cell, struct zh_err *err);

struct zh_bench_config {
	/* transport, mode, placement, cpus, size, buffers ...; sndbuf, rcvbuf and congestion are
	 * filled in by the round. Checked by zh_bench_check() before. */
	struct zh_bench_cell *cell;
	int netns_fd, peer_netns_fd;     /* -1: the calling thread's */
	const char *address;             /* of the peer, numeric; NULL: 127.0.0.1 */
	uint64_t warmup_ns, duration_ns; /* of the measured stretch */
	uint64_t bytes;                  /* streams: end after so many, when not 0 */
	uint64_t floor_ns;               /* the bare loop before it; 0: none */
	uint64_t reply_timeout_ns;       /* a peer that is silent for so long ends the round */
	bool (*stop)(void *arg);         /* Ctrl-C; asked a few times a second */
	/* The measured stretch begins (tests stop the peer then). May be NULL. */
	void (*started)(void *arg, pid_t peer);
	void *arg;
};

/* What one round gave. The histogram is the caller's, cleared by the round. */
struct zh_bench_result {
	struct zh_bench_round round; /* but for cell, round, order */
	struct zh_histogram *histogram;
	struct zh_bench_loss
		losses[ZH_BENCH_LOSSES_MAX]; /* of missing datagrams, summing to them */
	size_t n_losses;
	/* Why the round ended early: -EINTR (stop()), -ESRCH (the peer died), -ETIMEDOUT (it fell
	 * silent), or what a call failed with. code is 0 otherwise. */
	struct zh_err ended;
};

/*
 * Runs one round from the calling thread, whose affinity and namespace are as before afterwards.
 * 0: measured (round.ended_early when it was cut short by stop() or by the peer's death, with what
 * there was; ret->ended says why). Negative with err: nothing was measured (-EPERM, -EMFILE,
 * -EMSGSIZE, -ETIMEDOUT: no message ever got through, -EINTR: stop() before the measured stretch,
 * ...). Either way no process, socket, path or memory is left. One round at a time in a process.
 */
int zh_bench_round(
	const struct zh_bench_config *config, struct zh_bench_result *ret, struct zh_err *err);
