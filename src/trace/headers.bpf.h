/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Packet headers as they are in memory, as far as identification needs them.
 */
#pragma once

#include <stdint.h>

#include "record/wire.h"

#include "trace/kernel.bpf.h"

enum {
	ETH_P_IP = 0x0800,
	ETH_P_IPV6 = 0x86dd,
	IPPROTO_ICMP = 1,
	IPPROTO_TCP = 6,
	IPPROTO_UDP = 17,
	IPPROTO_ICMPV6 = 58,
	ICMP_REPLY = 0,
	ICMP_REQUEST = 8,
	ICMP6_REQUEST = 128,
	ICMP6_REPLY = 129,
};

struct ipv4_head {
	uint8_t version_ihl, tos;
	uint16_t total_len, id, fragment;
	uint8_t ttl, protocol;
	uint16_t checksum;
	uint32_t source, dest;
};

struct ipv6_head {
	uint32_t flow;
	uint16_t payload_len;
	uint8_t next, hops;
	uint32_t addresses[8];
};

struct tcp_head {
	__be16 source, dest;
	__be32 seq, ack;
	uint8_t offset, flags; /* header length in words: the upper half of `offset` */
};

/* ICMP and UDP headers have the same size; the type is only meaningful for ICMP. */
struct datagram {
	uint8_t type, code;
	uint16_t rest[3];
	struct zh_wire wire;
};

/* What follows the IP header. */
union transport {
	struct tcp_head tcp;
	struct datagram datagram;
};

/* Both headers, read at once: the helper costs more than the bytes. Reading behind a short packet's
 * end does no harm, and an address that cannot be read is an error. */
struct ipv4_packet {
	uint32_t pad; /* else there would be a hole behind `ip` */
	struct ipv4_head ip;
	union transport transport;
};

struct ipv6_packet {
	struct ipv6_head ip;
	union transport transport;
};
