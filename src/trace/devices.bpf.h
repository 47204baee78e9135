/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Tier 2: stamps of our own probes. A foreign packet costs the call of the hook, a flag and a
 * comparison of its length; what may be ours is parsed.
 *
 * At the receive hooks `data` is the network header, which may not be recorded yet; at the sending
 * ones `data` is the link header and the network header is recorded.
 */
#pragma once

#include "trace/identify.bpf.h"

static __always_inline void on_receive(
	struct hook *hook, const struct sk_buff *skb, enum zh_point point)
{
	struct probes p;

	if (may_be_ours(skb) && identify(skb, GET(skb, data), &p))
		stamp_probes(hook, &p, point, GET(skb, dev, ifindex));
}

static __always_inline void on_send(
	struct hook *hook, const struct sk_buff *skb, enum zh_point point)
{
	struct probes p;

	if (may_be_ours(skb) && identify(skb, GET(skb, head) + GET(skb, network_header), &p))
		stamp_probes(hook, &p, point, GET(skb, dev, ifindex));
}

HOOK(netif_rx)
{
	on_receive(hook, (const void *)ctx[0], ZH_POINT_NETIF_RX);
}

HOOK(netif_receive_skb)
{
	on_receive(hook, (const void *)ctx[0], ZH_POINT_RX);
}

HOOK(net_dev_queue)
{
	on_send(hook, (const void *)ctx[0], ZH_POINT_TX_QUEUE);
}

HOOK(net_dev_start_xmit)
{
	on_send(hook, (const void *)ctx[0], ZH_POINT_TX_XMIT);
}

HOOK(qdisc_enqueue)
{
	on_send(hook, (const void *)ctx[2], ZH_POINT_QDISC_IN);
}

HOOK(qdisc_dequeue)
{
	const struct sk_buff *skb = (const void *)ctx[3];

	if (skb)
		on_send(hook, skb, ZH_POINT_QDISC_OUT);
}

/* Unix datagrams have no headers at all. */
static __always_inline bool identify_unix(const struct sk_buff *skb, struct probes *ret)
{
	struct zh_wire wire;

	if (zh_control.transport != ZH_TRANSPORT_UNIX_DGRAM || GET(skb, protocol) ||
		bpf_probe_read_kernel(&wire, sizeof(wire), GET(skb, data)) || !is_ours(&wire))
		return false;
	*ret = (struct probes){.seq = wire.seq, .n = 1, .leg = wire.leg & 1};
	return true;
}

/*
 * Behind the delivery of every echo reply to a raw socket the kernel frees the original "without
 * socket". It does that on the same CPU, next; should another free come between, the stamp is made
 * and its reader forgets it.
 */
static __always_inline bool is_benign(struct hook *hook, uint32_t reason)
{
	bool delivered = hook->counters->delivered;

	hook->counters->delivered = 0;
	return delivered && reason == zh_settings.no_socket;
}

HOOK(kfree_skb)
{
	const struct sk_buff *skb = (const void *)ctx[0];
	uint32_t reason = zh_settings.has_drop_reason ? ctx[2] : 0;
	struct probes p;

	if (!zh_control.packets || GET(skb, len) > zh_control.len_max || is_benign(hook, reason))
		return;
	if (identify_unix(skb, &p) || identify(skb, GET(skb, head) + GET(skb, network_header), &p))
		stamp_probes(hook, &p, ZH_POINT_DROP, reason);
}
