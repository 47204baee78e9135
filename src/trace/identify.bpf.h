/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Which probe is in a packet? ICMP, UDP and Unix datagrams carry struct zh_wire in the linear part
 * of the buffer. A TCP payload lies in page fragments that cannot be read here: there the ports
 * tell the flow, and the sequence number tells the message.
 */
#pragma once

#include "trace/headers.bpf.h"
#include "trace/slots.bpf.h"

#include <bpf/bpf_endian.h>

/* The probes of one packet: `n` consecutive ones from `seq`; more than one only with TCP. */
struct probes {
	uint32_t seq, n, leg;
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

static __always_inline void stamp_probes(
	struct hook *hook, const struct probes *p, enum zh_point point, uint32_t arg)
{
	uint64_t ns = bpf_ktime_get_ns();
	uint32_t i;

	for (i = 0; i < ZH_TRACE_BATCH && i < p->n; i++)
		stamp(hook, ns, p->seq + i, point, p->leg, arg);
}

static __always_inline bool may_be_ours(const struct sk_buff *skb)
{
	uint32_t len = GET(skb, len);

	return zh_control.packets && len >= zh_control.len_min && len <= zh_control.len_max;
}
