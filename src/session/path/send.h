/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The packets of a proof: echoes, datagrams or connection attempts of exactly the flow that was
 * asked about, at a pace, each waited for.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "facts/way.h"

struct zh_trail;

#define PATH_SENT_MAX 1000
#define PATH_SPARE_PORT 33434 /* where traceroute(8) expects nobody */

enum path_outcome {
	PATH_ANSWERED,
	PATH_REFUSED,     /* nobody listens: RST, or port unreachable */
	PATH_SILENT,      /* nothing came back in time */
	PATH_UNREACHABLE, /* the kernel, or a router, gave the packet up and said so */
	PATH_FAILED,      /* the send or connect call itself failed */
};

struct path_sent {
	enum path_outcome outcome;
	int error; /* errno of all but ANSWERED and SILENT */
};

struct path_send {
	const struct zh_flow *flow; /* to, from, protocol, to_port, mark, uid */
	uint32_t run, count;
	uint64_t gap_ns, timeout_ns;
	/* Where the way ends: without a port a socket of our own answers there. */
	bool ends_here;              /* in the calling thread's own namespace */
	int end_netns_fd;            /* or in this one; -1: unknown */
	struct in6_addr end_address; /* there, the target's unless NAT made another of it */
	uint16_t spare_port; /* where it is known to end before anybody could answer: sent there */
	struct zh_trail *trail; /* told of each attempt's local port before it is used */
	bool (*stop)(void *arg);
	void *arg;
	/* filled in */
	struct path_sent sent[PATH_SENT_MAX];
	uint32_t n_sent; /* fewer than count when stopped */
	uint16_t to_port;
	uint16_t id; /* source port of the last attempt or of all datagrams, or the echoes' id */
	uint64_t took_ns;
};

/* From the calling thread, in its namespace. 0, or a negative errno with err:
 * nothing could be sent (no socket, no right to the mark, source or user). */
int path_send_all(struct path_send *send, struct zh_err *err);
