/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What offloads do on loopback, found out by sending: one large TCP write and one datagram over lo
 * of a fresh namespace, watched by a packet socket there. Takes some ms and leaves nothing.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"

struct lo_experiment {
	uint32_t mtu;        /* of lo; 0: as it is, and told here afterwards */
	uint64_t sent_bytes; /* by one send call */
	/* packets with payload on lo, with TSO and GSO on and off */
	uint64_t packets_on, packets_off;
};

/* 0, or a negative errno: namespaces or packet sockets are not permitted, ... */
int lo_count_segments(struct lo_experiment *experiment, struct zh_err *err);

enum lo_checksum {
	LO_CHECKSUM_SKIPPED, /* left with a partial checksum, and was received so */
	LO_CHECKSUM_MADE,    /* a whole one was computed */
};
int lo_look_at_checksum(enum lo_checksum *ret, struct zh_err *err);

/* Whether a datagram to `address` is received when lo of a fresh namespace has it as a further
 * address. 1 yes, 0 no, or a negative errno. */
int lo_try_alias(const char *address, struct zh_err *err);

/* Whether a datagram to the IPv4 address is received in the calling thread's namespace by a socket
 * bound to it: 1 yes, 0 no, or a negative errno (-EADDRNOTAVAIL: not an address of this host). */
int lo_exchange(const char *address);
