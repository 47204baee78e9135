/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Load: one-way traffic for the lab, as fast as it goes or at a rate: UDP by sendmmsg, TCP and Unix
 * streams, and frames injected at a device's receive side (XDP live frames), the only generator
 * that outruns one CPU's softirq work. Requests with replies at fixed times are the probe's own
 * work (probe.h): several may be under way, and a late send stays late.
 *
 * The receiver binds the target address in the namespace that it was given: what is no address
 * there is refused, so a flood never leaves loopback or the lab. Sender and receiver are processes
 * of their own that die with their maker.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

enum zh_load_protocol { ZH_LOAD_UDP, ZH_LOAD_TCP, ZH_LOAD_UNIX };

enum zh_load_engine {
	ZH_LOAD_AUTO,   /* XDP for UDP at maximum where a device is given and it works */
	ZH_LOAD_SOCKET, /* sendmmsg, write */
	ZH_LOAD_XDP,    /* BPF_PROG_TEST_RUN with live frames on `device`; IPv4 and UDP only */
};

#define ZH_LOAD_FLOWS_MAX 1024

struct zh_load_config {
	enum zh_load_protocol protocol;
	enum zh_load_engine engine;
	int netns_fd, peer_netns_fd; /* sender, receiver; -1: the calling thread's */
	const char *from, *to;       /* numeric addresses; from NULL: the kernel chooses */
	const char *device;          /* XDP: frames arrive at it, in the sender's namespace */
	uint32_t flows;              /* different source ports, from 1 */
	uint32_t size_bytes;         /* payload of a datagram, or of a write */
	uint64_t rate;               /* datagrams or writes a second over all flows; 0: maximum */
	uint32_t burst;              /* sent in a row at each turn; 0: chosen from the rate */
	int cpu, peer_cpu;           /* -1: free */
	uint32_t rcvbuf_bytes;       /* of the receiver; 0: 8 MiB, not to be the bottleneck */
};

/* What passed so far, or of the whole run after the end: what was under way is waited for. */
struct zh_load_result {
	uint64_t sent, received;      /* UDP: datagrams; streams: bytes */
	uint64_t send_failed;         /* datagrams that the kernel refused at once (ENOBUFS ...) */
	uint64_t socket_drops;        /* at the receiver's own socket (SK_MEMINFO_DROPS) */
	uint64_t elapsed_ns;          /* from the first to the last send */
	uint64_t cpu_ns, peer_cpu_ns; /* CPU time of sender and receiver */
	const char *engine;           /* "sendmmsg", "stream", "xdp"; static */
	char why_not_xdp[120];        /* with ZH_LOAD_AUTO: why it was not used */
};

struct zh_load;

/* Starts in the background; 0 when it is running: the receiver is ready and the sender sends. */
int zh_load_start(const struct zh_load_config *config, struct zh_load **ret, struct zh_err *err);
/* So far; at any time. */
void zh_load_peek(const struct zh_load *load, struct zh_load_result *ret);
/* Ends sending, waits until nothing more arrives (at most a second), ends both processes and frees.
 * *ret may be NULL. 0, or a negative errno when one of them had died; *ret is filled as far as
 * known. Accepts NULL. */
int zh_load_stop(struct zh_load *load, struct zh_load_result *ret, struct zh_err *err);
