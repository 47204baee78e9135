/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Counters for a live view. Every program writes to its own CPU's row, but for the two tables,
 * whose rows are added to atomically. Loaded once for each part that is wanted, with only its
 * programs.
 */
#include "trace/live-shared.h"

#include "trace/headers.bpf.h"

#include <bpf/bpf_endian.h>

enum { BPF_MAP_TYPE_HASH = 1, BPF_MAP_TYPE_LRU_HASH = 9, BPF_NOEXIST = 1 };

typedef struct {
	struct net___live *net;
} possible_net___live;

struct ns_common___live {
	unsigned int inum;
} ZH_KERNEL;

struct net___live {
	struct ns_common___live ns;
} ZH_KERNEL;

struct net_device___live {
	int ifindex;
	possible_net___live nd_net;
} ZH_KERNEL;

struct sk_buff___live {
	struct net_device___live *dev;
	int skb_iif;
} ZH_KERNEL;

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, 1); /* set at load: CPUs */
	__type(key, uint32_t);
	__type(value, struct zh_live_percpu);
} zh_live_cpus SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, ZH_LIVE_DROPS);
	__type(key, struct zh_live_drop_key);
	__type(value, uint64_t);
} zh_live_drops SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, ZH_LIVE_FLOWS);
	__type(key, struct zh_live_flow_key);
	__type(value, struct zh_live_flow_count);
} zh_live_flows SEC(".maps");

/* Set at load: one received packet in so many is counted; whether kfree_skb tells a reason. */
const volatile uint32_t zh_live_sample = 1;
const volatile bool zh_live_has_reason = false;

static __always_inline struct zh_live_percpu *own_row(void)
{
	uint32_t cpu = bpf_get_smp_processor_id();

	return bpf_map_lookup_elem(&zh_live_cpus, &cpu);
}

SEC("raw_tp/softirq_entry")
int zh_live_softirq_entry(uint64_t *ctx)
{
	struct zh_live_percpu *row = own_row();

	if (row) {
		row->hook_runs[0]++;
		row->start_ns = bpf_ktime_get_ns();
	}
	return 0;
}

/* Vectors of a CPU run one after the other, so an exit belongs to the entry before it. */
SEC("raw_tp/softirq_exit")
int zh_live_softirq_exit(uint64_t *ctx)
{
	struct zh_live_percpu *row = own_row();
	uint32_t vector = (uint32_t)ctx[0];
	uint64_t ns;

	if (!row)
		return 0;
	row->hook_runs[1]++;
	if (!row->start_ns || vector >= ZH_LIVE_VECTORS)
		return 0;
	ns = bpf_ktime_get_ns() - row->start_ns;
	row->start_ns = 0;
	row->ns[vector] += ns;
	row->runs[vector]++;
	if (ns > row->longest_ns)
		row->longest_ns = ns;
	if ((uint32_t)bpf_get_current_pid_tgid() == row->ksoftirqd_tid)
		row->ksoftirqd_ns += ns;
	return 0;
}

/* A socket's receive queue reuses the device pointer's place: then it does not lead anywhere, and
 * the index of arrival is all there is. */
static __always_inline void read_device(
	const struct sk_buff *skb, uint32_t *ret_netns, uint32_t *ret_ifindex)
{
	const struct sk_buff___live *s = (const void *)skb;
	struct net_device___live *dev = BPF_CORE_READ(s, dev);
	struct net___live *net = NULL;
	unsigned int inum = 0;
	int ifindex = 0;

	if (dev && !BPF_CORE_READ_INTO(&ifindex, dev, ifindex) && ifindex > 0 &&
		!BPF_CORE_READ_INTO(&net, dev, nd_net.net) && net)
		BPF_CORE_READ_INTO(&inum, net, ns.inum);
	if (!inum)
		ifindex = BPF_CORE_READ(s, skb_iif);
	*ret_netns = inum;
	*ret_ifindex = (uint32_t)ifindex;
}

SEC("raw_tp/kfree_skb")
int zh_live_kfree_skb(uint64_t *ctx)
{
	struct zh_live_drop_key key = {.location = ctx[1]};
	struct zh_live_percpu *row = own_row();
	uint64_t *count, one = 1;

	if (!row)
		return 0;
	row->hook_runs[2]++;
	if (zh_live_has_reason)
		key.reason = (uint32_t)ctx[2];
	read_device((const void *)ctx[0], &key.netns, &key.ifindex);
	count = bpf_map_lookup_elem(&zh_live_drops, &key);
	if (!count && bpf_map_update_elem(&zh_live_drops, &key, &one, BPF_NOEXIST) == 0)
		return 0;
	if (!count)
		count = bpf_map_lookup_elem(&zh_live_drops, &key);
	if (count)
		__sync_fetch_and_add(count, 1);
	else
		row->lost++;
	return 0;
}

static __always_inline bool read_ports(struct zh_live_flow_key *key, const unsigned char *l4)
{
	__be16 ports[2];

	if (key->protocol != IPPROTO_TCP && key->protocol != IPPROTO_UDP)
		return true;
	if (bpf_probe_read_kernel(ports, sizeof(ports), l4))
		return false;
	key->from_port = bpf_ntohs(ports[0]);
	key->to_port = bpf_ntohs(ports[1]);
	return true;
}

/* At this hook `data` is the network header. Fragments but the first have no ports. */
static __always_inline bool read_flow(struct zh_live_flow_key *key, const struct sk_buff *skb)
{
	const unsigned char *l3 = BPF_CORE_READ(skb, data);
	uint16_t ether = BPF_CORE_READ(skb, protocol);
	struct ipv4_head v4;
	struct ipv6_head v6;

	if (ether == bpf_htons(ETH_P_IP)) {
		if (bpf_probe_read_kernel(&v4, sizeof(v4), l3))
			return false;
		key->family = 4;
		key->protocol = v4.protocol;
		__builtin_memcpy(key->from, &v4.source, 4);
		__builtin_memcpy(key->to, &v4.dest, 4);
		if (v4.fragment & bpf_htons(0x1fff))
			return true;
		return read_ports(key, l3 + (v4.version_ihl & 15) * 4);
	}
	if (ether != bpf_htons(ETH_P_IPV6) || bpf_probe_read_kernel(&v6, sizeof(v6), l3))
		return false;
	key->family = 6;
	key->protocol = v6.next;
	__builtin_memcpy(key->from, v6.addresses, 16);
	__builtin_memcpy(key->to, v6.addresses + 4, 16);
	return read_ports(key, l3 + sizeof(v6));
}

SEC("raw_tp/netif_receive_skb")
int zh_live_netif_receive_skb(uint64_t *ctx)
{
	const struct sk_buff *skb = (const void *)ctx[0];
	struct zh_live_percpu *row = own_row();
	struct zh_live_flow_count *count, first;
	struct zh_live_flow_key key = {};

	if (!row)
		return 0;
	row->hook_runs[3]++;
	if (++row->tick < zh_live_sample)
		return 0;
	row->tick = 0;
	if (!read_flow(&key, skb))
		return 0;
	key.cpu = (uint16_t)bpf_get_smp_processor_id();
	read_device(skb, &key.netns, &key.ifindex);
	first.packets = zh_live_sample;
	first.bytes = (uint64_t)BPF_CORE_READ(skb, len) * zh_live_sample;
	count = bpf_map_lookup_elem(&zh_live_flows, &key);
	if (count) {
		__sync_fetch_and_add(&count->packets, first.packets);
		__sync_fetch_and_add(&count->bytes, first.bytes);
	} else if (bpf_map_update_elem(&zh_live_flows, &key, &first, BPF_NOEXIST)) {
		row->lost++;
	}
	return 0;
}

char LICENSE[] SEC("license") = "Dual BSD/GPL";
