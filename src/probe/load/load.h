/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Load: traffic for the lab. One-way floods, paced streams, bursts, and requests with replies, over
 * UDP, TCP and Unix sockets; and frames injected at a device's receive side (XDP live frames),
 * which is the only generator that outruns one CPU's softirq work.
 *
 * Never leaves loopback or the lab: a flood is refused when its target is not an address of the
 * namespaces that it was given. Everything runs in child processes that die with their maker.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "stats/histogram.h"

enum zh_load_kind {
	ZH_LOAD_ONE_WAY,  /* datagrams or bytes, read and counted at the other end */
	ZH_LOAD_REQUESTS, /* requests at fixed times, each answered (a victim) */
};

enum zh_load_protocol { ZH_LOAD_UDP, ZH_LOAD_TCP, ZH_LOAD_UNIX };

enum zh_load_engine {
	ZH_LOAD_AUTO,   /* XDP for one-way UDP at maximum where it works, else sendmmsg */
	ZH_LOAD_SOCKET, /* sendmmsg; the only one for paced rates below 100 000 packets/s */
	ZH_LOAD_XDP,    /* BPF_PROG_TEST_RUN with live frames on `device` */
};

#define ZH_LOAD_FLOWS_MAX 1024

struct zh_load_config {
	enum zh_load_kind kind;
	enum zh_load_protocol protocol;
	enum zh_load_engine engine;
	int netns_fd, peer_netns_fd; /* sender, receiver; -1: the caller's */
	const char *from, *to;       /* numeric addresses; ports are chosen */
	const char *device;          /* XDP: frames arrive at it, in the sender's namespace */
	uint32_t flows;              /* different source ports, from 1 */
	uint32_t size_bytes;         /* payload */
	uint64_t rate;               /* packets or requests a second over all flows; 0: maximum */
	uint32_t burst;        /* sent in a row at each turn; 0: 1, or what the engine likes */
	int cpu, peer_cpu;     /* -1: free */
	uint32_t rcvbuf_bytes; /* of the receiver; 0: large enough not to be the bottleneck */
	uint64_t duration_ns, reply_timeout_ns;
};

/* What passed. Counts are of the whole run, ends included: what was under way is waited for. */
struct zh_load_result {
	uint64_t sent, received; /* packets (UDP), messages */
	uint64_t send_failed;    /* refused by the kernel (ENOBUFS ...) */
	uint64_t socket_drops;   /* at the receiver's own socket */
	uint64_t late;           /* requests sent more than a gap after their time */
	uint64_t elapsed_ns, cpu_ns, peer_cpu_ns;
	struct zh_histogram *rtt; /* of requests, from the intended time; owned, NULL otherwise */
	char engine[32];          /* what was used, and why not XDP when that was wanted */
};

struct zh_load;

/* Starts in the background; 0 when it is running (first packet sent, receiver ready). */
int zh_load_start(const struct zh_load_config *config, struct zh_load **ret, struct zh_err *err);
/* Counters so far, readable at any time. */
void zh_load_peek(const struct zh_load *load, uint64_t *ret_sent, uint64_t *ret_received);
/* Waits for the end (duration, or at once with `now`), collects, ends all processes and frees. *ret
 * may be NULL. 0, or a negative errno when a process of it died early; *ret is filled as far as
 * known. */
int zh_load_stop(struct zh_load *load, bool now, struct zh_load_result *ret, struct zh_err *err);
void zh_load_result_done(struct zh_load_result *result);
