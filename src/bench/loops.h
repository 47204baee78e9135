/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The parts of a round and the loops that they run; inside the benchmark only.
 *
 * A near loop runs in the maker for `ns` and fills ret->round's counts and times; with
 * ret->histogram NULL (warm-up) it drops the single times. It returns 0, also when it was cut short
 * (link->ended says why; the counts are those until then), or a negative errno with err.
 * A far loop runs in the peer until shared->stage differs from `stage`; 0 or a negative errno.
 */
#pragma once

#include <sys/socket.h>

#include "bench/internal.h"

typedef int zh_bench_near_loop(
	struct zh_bench_link *link, uint64_t ns, struct zh_bench_result *ret, struct zh_err *err);
typedef int zh_bench_far_loop(struct zh_bench_link *link, uint32_t stage);

/* pingpong.c, stream.c, floor.c. The floor fills the round's floor_* only, and uses the histogram
 * meanwhile. */
zh_bench_near_loop zh_bench_pingpong_near, zh_bench_stream_near, zh_bench_floor_near,
	zh_bench_floor_stream_near;
zh_bench_far_loop zh_bench_pingpong_far, zh_bench_stream_far, zh_bench_floor_far,
	zh_bench_floor_stream_far;

/* The loops of a mode (mode.c); NULL when there is no such mode. */
struct zh_bench_loops {
	zh_bench_near_loop *near, *near_floor;
	zh_bench_far_loop *far, *far_floor;
	bool is_echo;      /* the peer answers every message */
	unsigned int flag; /* enum zh_bench_flag that a transport needs; 0: none */
};
const struct zh_bench_loops *zh_bench_mode_loops(uint8_t mode);

/* link.c: makes memory and both ends, and takes everything down again (also half-made). */
int zh_bench_link_open(struct zh_bench_link *link, const struct zh_bench_config *config,
	const struct zh_bench_transport *transport, struct zh_err *err);
void zh_bench_link_close(struct zh_bench_link *link);
void zh_bench_end_close(struct zh_bench_end *end);

/* sockets.c: for transports over sockets. A socket in the namespace of its side, with the cell's
 * buffers and busy polling. An fd or a negative errno. */
int zh_bench_socket(
	const struct zh_bench_link *link, bool is_peer, int domain, int type, struct zh_err *err);
int zh_bench_socket_set_up(const struct zh_bench_link *link, int fd, struct zh_err *err);
/* Makes the fd both directions of an end. */
void zh_bench_end_set(struct zh_bench_end *end, int fd);
/* Waits for poll events on a non-blocking fd, as long as the peer may be silent. 0,
 * -ETIMEDOUT, -EINTR (stop()). */
int zh_bench_wait_fd(const struct zh_bench_link *link, int fd, short events, const char *what,
	struct zh_err *err);
/* Both ends are open: notes the buffers in force, and refuses a message that does not fit. */
int zh_bench_sockets_ready(struct zh_bench_link *link, struct zh_err *err);
/* A Unix connection under an abstract name, of which nothing can be left. */
int zh_bench_unix_listen(struct zh_bench_link *link, int type, struct zh_err *err);
struct sockaddr_un;
int zh_bench_unix_bind(int fd, struct sockaddr_un *ret, socklen_t *ret_len, struct zh_err *err);

/* peer.c: starts the peer, pinned and in its first loop; waits until it is in the loop of a stage
 * (poke, which may be NULL, is called again and again meanwhile); ends it. */
int zh_bench_peer_start(struct zh_bench_link *link, struct zh_err *err);
int zh_bench_peer_wait(struct zh_bench_link *link, uint32_t stage,
	void (*poke)(struct zh_bench_link *link), struct zh_err *err);
void zh_bench_peer_end(struct zh_bench_link *link);
/* Whether it died, and how: 0, or a negative errno with err. It can be waited for still. */
int zh_bench_peer_look(const struct zh_bench_link *link, struct zh_err *err);
/* The peer's socket, for looking at it while the peer has it, stopped or not: a new descriptor, or
 * -1 when it has none, is dead, or the kernel does not hand it out (before 5.6). */
int zh_bench_peer_fd(const struct zh_bench_link *link);

/* watch.c */
int zh_bench_watch_start(struct zh_bench_link *link, struct zh_err *err);
void zh_bench_watch_stop(struct zh_bench_link *link);
/* A stretch begins that shall last for `ns` (UINT64_MAX: until something else ends it). */
void zh_bench_watch_begin(struct zh_bench_link *link, uint64_t ns);
/*
 * Called with what send or recv returned when that is not a message (0 or negative), and after
 * zh_bench_tick was seen with -EINTR. `progress` is any number that grows while messages get
 * through. 0: go on, call again; negative: the end, link->ended says why.
 */
int zh_bench_again(struct zh_bench_link *link, int64_t result, uint64_t progress);

/* account.c: what the two sides and others used of the cell's CPUs, so far. */
struct zh_bench_usage {
	uint64_t cpu_ns, switches, preempted;
	uint64_t peer_cpu_ns, peer_switches, peer_preempted;
	uint64_t all_ns, steal_ns; /* of the cell's CPUs, everybody's */
	uint64_t unit_ns;          /* resolution of all_ns; 0: unknown */
};
/* Whether everybody's CPU time can be had in ns; asked once, before the stretches. */
bool zh_bench_usage_probe(void);
void zh_bench_usage_read(const struct zh_bench_link *link, struct zh_bench_usage *ret);
void zh_bench_usage_between(const struct zh_bench_usage *before, const struct zh_bench_usage *after,
	struct zh_bench_round *ret);
