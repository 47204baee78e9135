/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Which of our packets is this? The same code runs in BPF, on a buffer in the kernel, and in user
 * space, on what a packet socket delivered: only the way to read bytes differs. Nothing is read
 * beyond the linear part of a buffer.
 *
 * IPv6 extension headers do not occur in our packets; of a fragmented one the first fragment
 * counts.
 */
#pragma once

#include "trace/trail-shared.h"

/* Bytes of a packet, from its network header on. */
struct trail_bytes {
	const unsigned char *at;
	uint32_t len; /* that can be read */
};

#ifdef __bpf__
#define TRAIL_INLINE static __always_inline
#define TRAIL_COPY(to, size, from) bpf_probe_read_kernel(to, size, from)
#else
#include <string.h>
#define TRAIL_INLINE static inline
#define TRAIL_COPY(to, size, from) (memcpy(to, from, size), 0)
#endif

#define TRAIL_READ(bytes, offset, to)                                                              \
	((offset) + sizeof(*(to)) <= (bytes)->len &&                                               \
		!TRAIL_COPY(to, sizeof(*(to)), (bytes)->at + (offset)))

enum {
	TRAIL_ICMP = 1,
	TRAIL_TCP = 6,
	TRAIL_UDP = 17,
	TRAIL_ICMPV6 = 58,
};

enum { TRAIL_FIN = 1, TRAIL_SYN = 2, TRAIL_RST = 4, TRAIL_ACK = 16 };

/* Which packet it is. */
struct trail_seen {
	uint32_t seq;
	uint16_t icmp; /* as in struct zh_trail_step */
	uint8_t leg, family;
};

/* Where the transport header is. */
struct trail_place {
	uint32_t at;
	uint8_t protocol, family;
};

struct trail_tcp { /* network order; the part that ICMP errors always quote is 8 bytes */
	uint8_t source[2], dest[2], seq[4];
	uint8_t ack[4], offset, flags;
};

TRAIL_INLINE uint16_t trail_u16(const uint8_t *p)
{
	return (uint16_t)(p[0] << 8 | p[1]);
}

TRAIL_INLINE uint32_t trail_u32(const uint8_t *p)
{
	return (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3];
}

/* The part of an IPv4 header without options; of an IPv6 header, its beginning. */
struct trail_ip {
	uint8_t bytes[20];
};

TRAIL_INLINE bool trail_find_transport(
	const struct trail_bytes *bytes, uint32_t at, struct trail_place *ret)
{
	struct trail_ip ip;

	if (!TRAIL_READ(bytes, at, &ip))
		return false;
	ret->family = ip.bytes[0] >> 4;
	if (ret->family == 4) {
		ret->at = at + (ip.bytes[0] & 15) * 4u;
		ret->protocol = ip.bytes[9];
		return !(trail_u16(ip.bytes + 6) & 0x1fff);
	}
	ret->at = at + 40;
	ret->protocol = ip.bytes[6];
	return ret->family == 6;
}

/* Our header at `at`. */
TRAIL_INLINE bool trail_in_wire(const struct zh_trail_control *control,
	const struct trail_bytes *bytes, uint32_t at, struct trail_seen *ret)
{
	struct zh_wire wire;

	if (!TRAIL_READ(bytes, at, &wire) || wire.magic != ZH_WIRE_MAGIC ||
		wire.run != control->run)
		return false;
	ret->seq = wire.seq;
	ret->leg = wire.leg & 1;
	return true;
}

/*
 * By the ports alone, where the header cannot be read. Foreign traffic would have to use the port
 * that we are bound to.
 */
TRAIL_INLINE bool trail_in_ports(const struct zh_trail_control *control, uint16_t source,
	uint16_t dest, struct trail_seen *ret)
{
	uint32_t remote = control->remote_port, n = 0;

	if (!remote || dest == remote)
		n = control->ports[source];
	ret->leg = !n;
	if (!n && (!remote || source == remote))
		n = control->ports[dest];
	ret->seq = n - 1;
	return n;
}

/* A peer that is not ours may echo our header as it is: then the ports tell the leg. */
TRAIL_INLINE bool trail_in_udp(const struct zh_trail_control *control,
	const struct trail_bytes *bytes, uint32_t at, struct trail_seen *ret)
{
	struct {
		uint8_t source[2], dest[2], len[2];
	} udp;
	uint16_t source, dest;

	if (!TRAIL_READ(bytes, at, &udp))
		return false;
	source = trail_u16(udp.source);
	dest = trail_u16(udp.dest);
	if (at + 8 + sizeof(struct zh_wire) > bytes->len)
		return trail_u16(udp.len) >= 8 + sizeof(struct zh_wire) &&
		       trail_in_ports(control, source, dest, ret);
	if (!trail_in_wire(control, bytes, at + 8, ret))
		return false;
	if (control->remote_port && source == control->remote_port && dest != source)
		ret->leg = 1;
	return true;
}

TRAIL_INLINE uint32_t trail_attempt_slot(uint32_t isn)
{
	return isn * 2654435761u >> 20 & (ZH_TRAIL_PACKETS - 1);
}

/* The attempt whose SYN had that sequence number. */
TRAIL_INLINE bool trail_known_attempt(
	const struct zh_trail_control *control, uint32_t isn, struct trail_seen *ret)
{
	uint64_t known = control->attempts[trail_attempt_slot(isn)];

	ret->seq = (uint32_t)known - 1;
	return (uint32_t)known && known >> 32 == isn;
}

/*
 * A SYN: known, or the first one from a port of ours. Once that was seen, only the exact pair of
 * ports begins anew: a foreign flow that happens to use our port does not.
 */
TRAIL_INLINE bool trail_in_syn(
	struct zh_trail_control *control, const struct trail_tcp *tcp, struct trail_seen *ret)
{
	uint32_t isn = trail_u32(tcp->seq), n;

	ret->leg = 0;
	if (trail_known_attempt(control, isn, ret))
		return true;
	n = control->ports[trail_u16(tcp->source)];
	if (!n)
		return false;
	ret->seq = n - 1;
	if (control->claimed[ret->seq & (ZH_TRAIL_PACKETS - 1)] &&
		trail_u16(tcp->dest) != control->remote_port)
		return false;
	control->claimed[ret->seq & (ZH_TRAIL_PACKETS - 1)] = 1;
	control->attempts[trail_attempt_slot(isn)] = (uint64_t)isn << 32 | n;
	return true;
}

/* The answer to a SYN acknowledges it; a reset that does so has no sequence number of its own (RFC
 * 9293, 3.5.2), unlike one that ends an established connection. */
TRAIL_INLINE bool trail_in_tcp(struct zh_trail_control *control, const struct trail_bytes *bytes,
	uint32_t at, struct trail_seen *ret)
{
	struct trail_tcp tcp;
	uint8_t flags;

	if (!TRAIL_READ(bytes, at, &tcp))
		return false;
	flags = tcp.flags & (TRAIL_FIN | TRAIL_SYN | TRAIL_RST | TRAIL_ACK);
	if (flags == TRAIL_SYN)
		return trail_in_syn(control, &tcp, ret);
	if (flags != (TRAIL_SYN | TRAIL_ACK) &&
		(flags != (TRAIL_RST | TRAIL_ACK) || trail_u32(tcp.seq)))
		return false;
	ret->leg = 1;
	return trail_known_attempt(control, trail_u32(tcp.ack) - 1, ret);
}

TRAIL_INLINE bool trail_is_echo_request(uint8_t family, uint8_t type)
{
	return type == (family == 4 ? 8 : 128);
}

TRAIL_INLINE bool trail_is_echo_reply(uint8_t family, uint8_t type)
{
	return type == (family == 4 ? 0 : 129);
}

/* IPv4: unreachable, quench, redirect, time exceeded, parameter problem; IPv6: 1 to 4. */
TRAIL_INLINE bool trail_is_error(uint8_t family, uint8_t type)
{
	if (family == 6)
		return type >= 1 && type <= 4;
	return type == 3 || type == 4 || type == 5 || type == 11 || type == 12;
}

struct trail_icmp {
	uint8_t type, code, rest[6];
};

/* The head of a quoted packet of ours, at `at`. */
TRAIL_INLINE bool trail_in_quote(const struct zh_trail_control *control,
	const struct trail_bytes *bytes, const struct trail_place *p, struct trail_seen *ret)
{
	struct trail_icmp head; /* or ports and sequence number: the same 8 bytes */

	if (!TRAIL_READ(bytes, p->at, &head))
		return false;
	ret->leg = 0;
	switch (control->transport) {
	case ZH_TRANSPORT_ICMP:
		return p->protocol == (p->family == 4 ? TRAIL_ICMP : TRAIL_ICMPV6) &&
		       trail_is_echo_request(p->family, head.type) &&
		       trail_in_wire(control, bytes, p->at + 8, ret);
	case ZH_TRANSPORT_UDP:
		return p->protocol == TRAIL_UDP && trail_in_udp(control, bytes, p->at, ret);
	default:
		return p->protocol == TRAIL_TCP &&
		       trail_known_attempt(control, trail_u32(head.rest + 2), ret);
	}
}

/* An echo of ours, or an error about our packet; one about a reply is nobody's answer. */
TRAIL_INLINE bool trail_in_icmp(const struct zh_trail_control *control,
	const struct trail_bytes *bytes, const struct trail_place *p, struct trail_seen *ret)
{
	struct trail_place quoted;
	struct trail_icmp icmp;

	if (!TRAIL_READ(bytes, p->at, &icmp))
		return false;
	if (trail_is_error(p->family, icmp.type)) {
		if (!trail_find_transport(bytes, p->at + 8, &quoted) ||
			quoted.family != p->family ||
			!trail_in_quote(control, bytes, &quoted, ret) || ret->leg)
			return false;
		ret->leg = 1;
		ret->icmp = (uint16_t)(icmp.type << 8 | icmp.code);
		return true;
	}
	if (control->transport != ZH_TRANSPORT_ICMP ||
		!trail_in_wire(control, bytes, p->at + 8, ret))
		return false;
	ret->leg = trail_is_echo_reply(p->family, icmp.type);
	return ret->leg || trail_is_echo_request(p->family, icmp.type);
}

TRAIL_INLINE bool trail_identify(
	struct zh_trail_control *control, const struct trail_bytes *bytes, struct trail_seen *ret)
{
	struct trail_place p;

	ret->icmp = 0;
	if (!trail_find_transport(bytes, 0, &p))
		return false;
	ret->family = p.family;
	if (p.protocol == (p.family == 4 ? TRAIL_ICMP : TRAIL_ICMPV6))
		return trail_in_icmp(control, bytes, &p, ret);
	if (p.protocol == TRAIL_UDP)
		return control->transport == ZH_TRANSPORT_UDP &&
		       trail_in_udp(control, bytes, p.at, ret);
	return p.protocol == TRAIL_TCP && control->transport == ZH_TRANSPORT_TCP &&
	       trail_in_tcp(control, bytes, p.at, ret);
}
