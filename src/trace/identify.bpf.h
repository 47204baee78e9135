/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Which probe is in a packet? ICMP, UDP and Unix datagrams carry struct zh_wire in the linear part
 * of the buffer. A TCP payload lies in page fragments that cannot be read here: there the ports
 * tell the flow, and the sequence number tells the message.
 */
#pragma once

#include "trace/slots.bpf.h"

#include <bpf/bpf_endian.h>

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

/* The probes of one packet: `n` consecutive ones from `seq`; more than one only with TCP. */
struct probes {
	uint32_t seq, n, leg;
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

static __always_inline bool in_datagram(
	const struct datagram *d, uint32_t protocol, struct probes *ret)
{
	if (!is_ours(&d->wire))
		return false;
	ret->seq = d->wire.seq;
	ret->n = 1;
	ret->leg = d->wire.leg & 1;
	if (protocol == IPPROTO_ICMP)
		ret->leg = d->type != ICMP_REQUEST;
	else if (protocol == IPPROTO_ICMPV6)
		ret->leg = d->type != ICMP6_REQUEST;
	return true;
}

/*
 * The messages that `len` bytes from TCP sequence number `seq` belong to. The stream's position is
 * learned from the first segment of a phase, and corrected by the socket filters, which see the
 * payload.
 */
static __always_inline bool in_stream(uint32_t leg, uint32_t seq, uint32_t len, struct probes *ret)
{
	struct zh_trace_stream *stream = &zh_control.streams[leg & 1];
	uint32_t size = zh_control.size, ahead, last;

	if (!size || !len)
		return false;
	if (!stream->known) {
		stream->base = seq;
		stream->id = zh_control.first_seq;
		stream->known = 1;
	}
	ahead = seq - stream->base;
	if ((int32_t)ahead < 0) { /* sent again: steps back to the start of its message */
		last = (stream->base - seq + size - 1) / size;
		ret->seq = stream->id - last;
		ahead = seq - (stream->base - last * size);
	} else {
		ret->seq = stream->id + ahead / size;
		ahead %= size;
	}
	if ((int32_t)(ret->seq - zh_control.first_seq) < 0)
		return false;
	ret->n = (ahead + len - 1) / size + 1;
	ret->leg = leg & 1;
	return true;
}

static __always_inline bool in_segment(
	const struct tcp_head *tcp, uint32_t l4_len, struct probes *ret)
{
	uint32_t source = bpf_ntohs(tcp->source), dest = bpf_ntohs(tcp->dest);
	uint32_t head = tcp->offset >> 4 << 2, leg;

	if (source == zh_control.local_port && dest == zh_control.remote_port)
		leg = 0;
	else if (source == zh_control.remote_port && dest == zh_control.local_port)
		leg = 1;
	else
		return false;
	if (l4_len <= head)
		return false; /* a pure ACK */
	return in_stream(leg, bpf_ntohl(tcp->seq), l4_len - head, ret);
}

/* `len` is that of the packet from its IP header on. */
static __always_inline bool in_transport(const union transport *t, uint32_t protocol, uint32_t head,
	uint32_t len, struct probes *ret)
{
	switch (zh_control.transport) {
	case ZH_TRANSPORT_ICMP:
		return (protocol == IPPROTO_ICMP || protocol == IPPROTO_ICMPV6) &&
		       in_datagram(&t->datagram, protocol, ret);
	case ZH_TRANSPORT_UDP:
		return protocol == IPPROTO_UDP && in_datagram(&t->datagram, protocol, ret);
	case ZH_TRANSPORT_TCP:
		return protocol == IPPROTO_TCP && len > head &&
		       in_segment(&t->tcp, len - head, ret);
	}
	return false;
}

static __always_inline bool identify_ipv4(const unsigned char *l3, uint32_t len, struct probes *ret)
{
	struct ipv4_packet p;
	uint32_t head;

	_Static_assert(sizeof(p) == sizeof(p.pad) + sizeof(p.ip) + sizeof(p.transport), "hole");
	if (bpf_probe_read_kernel(&p.ip, sizeof(p) - sizeof(p.pad), l3) ||
		p.ip.version_ihl >> 4 != 4 || p.ip.fragment & bpf_htons(0x1fff))
		return false;
	head = (p.ip.version_ihl & 15) * 4;
	if (head != sizeof(p.ip) &&
		bpf_probe_read_kernel(&p.transport, sizeof(p.transport), l3 + head))
		return false;
	return in_transport(&p.transport, p.ip.protocol, head, len, ret);
}

/* Extension headers do not occur in our packets. */
static __always_inline bool identify_ipv6(const unsigned char *l3, uint32_t len, struct probes *ret)
{
	struct ipv6_packet p;

	return !bpf_probe_read_kernel(&p, sizeof(p), l3) &&
	       in_transport(&p.transport, p.ip.next, sizeof(p.ip), len, ret);
}

/*
 * Finds our probes in a buffer whose network header is at `l3`. The transport header is looked for
 * by hand, since it is not set everywhere; whether `l3` is in front of `data` or behind it depends
 * on the hook.
 */
static __always_inline bool identify(
	const struct sk_buff *skb, const unsigned char *l3, struct probes *ret)
{
	uint32_t len = GET(skb, len) + (uint32_t)(GET(skb, data) - l3);
	uint16_t ether = GET(skb, protocol);

	if (ether == bpf_htons(ETH_P_IP))
		return identify_ipv4(l3, len, ret);
	if (ether == bpf_htons(ETH_P_IPV6))
		return identify_ipv6(l3, len, ret);
	return false;
}
