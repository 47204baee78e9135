/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Tier 2, programs that are no tracepoints: socket filters on our own sockets and netfilter
 * brackets in the traced namespaces. Sockets of others, and other namespaces, do not run them.
 */
#pragma once

#include "trace/identify.bpf.h"

/*
 * Socket filters run when the packet is about to be queued, with `data` at a place that depends on
 * the socket: the payload (Unix), the transport header (UDP, ICMP datagram, ICMPv6), the IP header
 * (raw ICMP). They keep every packet whole, but for raw ICMP sockets: those are shown every ICMP
 * packet of the namespace, and a flood of somebody else's would fill the buffer and push ours out.
 */
#define KEEP_ALL (-1)
#define KEEP_NONE 0

static __always_inline bool load_wire(struct __sk_buff *skb, uint32_t at, struct zh_wire *ret)
{
	return !bpf_skb_load_bytes(skb, at, ret, sizeof(*ret)) && is_ours(ret);
}

/* An ICMP packet of ours, request or reply. */
static __always_inline bool load_icmp(struct __sk_buff *skb, struct datagram *ret)
{
	uint8_t first;
	uint32_t at = 0;

	if (bpf_skb_load_bytes(skb, 0, &first, 1))
		return false;
	if (first >> 4 == 4) /* an IPv4 header; no ICMP type of ours looks like that */
		at = (first & 15) * 4;
	return !bpf_skb_load_bytes(skb, at, ret, sizeof(*ret)) && is_ours(&ret->wire);
}

/* A raw socket gets the request too; it is not what anybody waits for. */
static __always_inline bool is_reply(const struct datagram *d)
{
	return d->type == ICMP_REPLY || d->type == ICMP6_REPLY;
}

static __always_inline bool filter_icmp(struct __sk_buff *skb, struct zh_wire *wire)
{
	struct datagram d;

	if (!load_icmp(skb, &d) || !is_reply(&d))
		return false;
	*wire = d.wire;
	return true;
}

static __always_inline bool filter_tcp(struct __sk_buff *skb, uint32_t leg, struct probes *ret)
{
	struct zh_trace_stream *stream = &zh_control.streams[leg];
	struct tcp_head tcp;
	struct zh_wire wire;
	uint32_t head;

	if (bpf_skb_load_bytes(skb, 0, &tcp, sizeof(tcp)))
		return false;
	head = tcp.offset >> 4 << 2;
	if (skb->len <= head)
		return false;
	if (load_wire(skb, head, &wire)) {
		stream->base = bpf_ntohl(tcp.seq);
		stream->id = wire.seq;
		stream->known = 1;
	}
	return in_stream(leg, bpf_ntohl(tcp.seq), skb->len - head, ret);
}

static __always_inline bool filter_identify(
	struct __sk_buff *skb, enum zh_trace_role role, struct probes *ret)
{
	struct zh_wire wire;
	bool found = false;

	*ret = (struct probes){.n = 1, .leg = leg_of(role)};
	switch (zh_control.transport) {
	case ZH_TRANSPORT_ICMP:
		found = role == ZH_TRACE_PROBER && filter_icmp(skb, &wire);
		break;
	case ZH_TRANSPORT_UDP:
		found = load_wire(skb, 8, &wire);
		break;
	case ZH_TRANSPORT_UNIX_DGRAM:
		found = load_wire(skb, 0, &wire);
		break;
	case ZH_TRANSPORT_TCP:
		return filter_tcp(skb, leg_of(role), ret);
	}
	if (found)
		ret->seq = wire.seq;
	return found;
}

static __always_inline void stamp_delivery(
	struct hook *hook, const struct probes *p, enum zh_trace_role role)
{
	uint32_t i;

	stamp_probes(hook, p, ZH_POINT_SOCK, 0);
	hook->counters->delivered = zh_control.transport == ZH_TRANSPORT_ICMP;
	for (i = 0; i < ZH_TRACE_BATCH && i < p->n; i++)
		thread_expects(role, p->seq + i);
}

static __always_inline int filter(struct __sk_buff *skb, enum zh_trace_role role)
{
	struct hook hook;
	struct probes p;

	if (hook_begin(&hook, ZH_HOOK_socket_filter) && filter_identify(skb, role, &p))
		stamp_delivery(&hook, &p, role);
	return KEEP_ALL;
}

SEC("socket")
int zh_filter_raw_icmp(struct __sk_buff *skb)
{
	struct probes p = {.n = 1, .leg = leg_of(ZH_TRACE_PROBER)};
	struct datagram d;
	struct hook hook;

	if (!load_icmp(skb, &d))
		return KEEP_NONE;
	p.seq = d.wire.seq;
	if (is_reply(&d) && hook_begin(&hook, ZH_HOOK_socket_filter))
		stamp_delivery(&hook, &p, ZH_TRACE_PROBER);
	return KEEP_ALL;
}

SEC("socket")
int zh_filter_prober(struct __sk_buff *skb)
{
	return filter(skb, ZH_TRACE_PROBER);
}

SEC("socket")
int zh_filter_responder(struct __sk_buff *skb)
{
	return filter(skb, ZH_TRACE_RESPONDER);
}

/* Brackets: first and last in each netfilter hook of the traced namespaces. They accept all. */
#define NF_ACCEPT 1

static __always_inline int bracket(struct bpf_nf_ctx *ctx, enum zh_point point)
{
	const struct sk_buff *skb = ctx->skb;
	struct probes p;
	struct hook hook;

	if (hook_begin(&hook, ZH_HOOK_netfilter) && may_be_ours(skb) &&
		identify(skb, skb->data, &p))
		stamp_probes(&hook, &p, point, ctx->state->hook);
	return NF_ACCEPT;
}

SEC("?netfilter")
int zh_bracket_in(struct bpf_nf_ctx *ctx)
{
	return bracket(ctx, ZH_POINT_NF_IN);
}

SEC("?netfilter")
int zh_bracket_out(struct bpf_nf_ctx *ctx)
{
	return bracket(ctx, ZH_POINT_NF_OUT);
}

/* Never attached: run once by a probe thread to learn its id in the initial pid namespace. */
SEC("raw_tp")
int zh_who_am_i(void *ctx)
{
	(void)ctx;
	return current_tid();
}
