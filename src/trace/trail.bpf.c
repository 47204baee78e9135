/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Counts where our packets are seen. An object of its own, so that it can count beside the tracer
 * and costs nothing where no trail is wanted. Built twice, like trace.bpf.c.
 *
 * At the receive hooks `data` is the network header, which may not be recorded yet; everywhere else
 * it is recorded.
 */
#include "trace/kernel.bpf.h"

#include <bpf/bpf_endian.h>

#include "trace/trail-identify.bpf.h"

enum { ETH_P_8021Q = 0x8100, VLAN_BYTES = 4, NF_ACCEPT = 1 };

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, ZH_TRAIL_PACKETS);
	__type(key, uint32_t);
	__type(value, struct zh_trail_packet);
} zh_packets SEC(".maps");

struct zh_trail_control zh_trail;
const volatile struct zh_trail_settings zh_trail_settings = {};

#define barrier() asm volatile("" ::: "memory")

/* As in rings.bpf.h: the compat object has no fetching atomics, and may overwrite a step that
 * another CPU or an interrupt writes at the same moment. */
#ifdef ZH_TRACE_COMPAT
#define TRAIL_SEC "raw_tp/"
static __always_inline uint64_t fetch_add(uint64_t *p, uint64_t n)
{
	uint64_t old = *(volatile uint64_t *)p;

	*(volatile uint64_t *)p = old + n;
	return old;
}
#else
#define TRAIL_SEC "tp_btf/"
#define fetch_add(p, n) __sync_fetch_and_add(p, n)
#endif

/* The time is written last: a reader skips a step without one. */
static __always_inline void put(const struct trail_seen *seen, const struct zh_trail_step *place)
{
	uint64_t ns = bpf_ktime_get_ns(), i = ZH_TRAIL_STEPS;
	struct zh_trail_packet *packet;
	struct zh_trail_step *step;
	uint32_t key = seen->seq;

	packet = bpf_map_lookup_elem(&zh_packets, &key);
	if (packet)
		i = fetch_add(&packet->n, 1);
	/* The register that is compared must be the one that is used, or the verifier objects. */
	asm volatile("" : "+r"(i));
	if (!packet || i >= ZH_TRAIL_STEPS) {
		__sync_fetch_and_add(&zh_trail.lost, 1);
		return;
	}
	step = &packet->steps[i];
	step->location = place->location;
	step->netns = place->netns;
	step->ifindex = place->ifindex;
	step->what = place->what;
	step->cpu = (uint16_t)bpf_get_smp_processor_id();
	step->icmp = seen->icmp;
	step->point = place->point;
	step->leg = seen->leg;
	step->family = seen->family;
	barrier();
	*(volatile uint64_t *)&step->ns = ns;
}

static __always_inline struct trail_bytes bytes_from(
	const struct sk_buff *skb, const unsigned char *l3)
{
	const unsigned char *data = GET(skb, data);
	uint32_t linear = GET(skb, len) - GET(skb, data_len);

	return (struct trail_bytes){.at = l3, .len = (uint32_t)(data - l3) + linear};
}

static __always_inline bool find_received(const struct sk_buff *skb, struct trail_seen *seen)
{
	struct trail_bytes bytes = bytes_from(skb, GET(skb, data));

	if (GET(skb, protocol) == bpf_htons(ETH_P_8021Q)) {
		bytes.at += VLAN_BYTES;
		bytes.len -= VLAN_BYTES;
	}
	return trail_identify(&zh_trail, &bytes, seen);
}

static __always_inline bool find(const struct sk_buff *skb, struct trail_seen *seen)
{
	struct trail_bytes bytes = bytes_from(skb, GET(skb, head) + GET(skb, network_header));

	return trail_identify(&zh_trail, &bytes, seen);
}

/* Read with care: in a queue, `dev` may be something else, and kernels differ in what they let a
 * typed program follow. What cannot be read is 0. */
static __always_inline void locate(const struct net_device *dev, struct zh_trail_step *place)
{
	place->netns = BPF_CORE_READ(dev, nd_net.net, ns.inum);
	place->ifindex = place->netns ? (uint32_t)BPF_CORE_READ(dev, ifindex) : 0;
}

static __always_inline void at_device(
	const struct sk_buff *skb, const struct trail_seen *seen, enum zh_trail_point point)
{
	struct zh_trail_step place = {.point = point};

	locate(BPF_CORE_READ(skb, dev), &place);
	put(seen, &place);
}

static __always_inline int on_send(const struct sk_buff *skb, enum zh_trail_point point)
{
	struct trail_seen seen;

	if (zh_trail.armed && find(skb, &seen))
		at_device(skb, &seen, point);
	return 0;
}

static __always_inline int on_receive(const struct sk_buff *skb, enum zh_trail_point point)
{
	struct trail_seen seen;

	if (zh_trail.armed && find_received(skb, &seen))
		at_device(skb, &seen, point);
	return 0;
}

SEC(TRAIL_SEC "net_dev_queue")
int zh_net_dev_queue(uint64_t *ctx)
{
	return on_send((const void *)ctx[0], ZH_TRAIL_QUEUE);
}

SEC(TRAIL_SEC "net_dev_start_xmit")
int zh_net_dev_start_xmit(uint64_t *ctx)
{
	return on_send((const void *)ctx[0], ZH_TRAIL_XMIT);
}

SEC(TRAIL_SEC "netif_rx")
int zh_netif_rx(uint64_t *ctx)
{
	return on_receive((const void *)ctx[0], ZH_TRAIL_BACKLOG);
}

SEC(TRAIL_SEC "netif_receive_skb")
int zh_netif_receive_skb(uint64_t *ctx)
{
	return on_receive((const void *)ctx[0], ZH_TRAIL_RX);
}

/*
 * Some frees are no loss. A raw socket gets a copy of every echo reply, and the original is then
 * freed "without socket"; a reply that was refused by the socket itself has another reason. Kernels
 * without reasons do not tell these apart: no drop of an echo reply is counted there. An ICMP error
 * has reached its socket when it is thrown away with the queue of errors that nobody read.
 */
static __always_inline bool is_benign(const struct trail_seen *seen, uint32_t reason)
{
	bool echo_reply = zh_trail.transport == ZH_TRANSPORT_ICMP && seen->leg && !seen->icmp;
	uint32_t i;

	if (!zh_trail_settings.has_drop_reason)
		return echo_reply;
	if ((echo_reply && reason == zh_trail_settings.no_socket) ||
		(seen->icmp && reason == zh_trail_settings.queue_purge))
		return true;
#pragma unroll
	for (i = 0; i < ZH_TRAIL_BENIGN; i++) {
		if (reason == zh_trail_settings.benign[i])
			return true;
	}
	return false;
}

/* Without a device: the namespace of the socket, or of the device that the route chose. */
static __always_inline void locate_otherwise(const struct sk_buff *skb, struct zh_trail_step *place)
{
	unsigned long dst = BPF_CORE_READ(skb, _skb_refdst) & ~1ul;

	place->netns = BPF_CORE_READ(skb, sk, __sk_common.skc_net.net, ns.inum);
	if (!place->netns && dst)
		place->netns =
			BPF_CORE_READ((const struct dst_entry *)dst, dev, nd_net.net, ns.inum);
}

SEC(TRAIL_SEC "kfree_skb")
int zh_kfree_skb(uint64_t *ctx)
{
	const struct sk_buff *skb = (const void *)ctx[0];
	struct zh_trail_step place = {.point = ZH_TRAIL_DROP, .location = ctx[1]};
	struct trail_seen seen;

	if (!zh_trail.armed || !find(skb, &seen))
		return 0;
	if (zh_trail_settings.has_drop_reason)
		place.what = (uint32_t)ctx[2];
	if (is_benign(&seen, place.what))
		return 0;
	locate(BPF_CORE_READ(skb, dev), &place);
	if (!place.netns)
		locate_otherwise(skb, &place);
	put(&seen, &place);
	return 0;
}

/* First and last in each netfilter hook. Hooks in front of routing know the device the packet came
 * from, those behind it the one it goes to. */
static __always_inline int at_hook(struct bpf_nf_ctx *ctx, enum zh_trail_point point)
{
	const struct nf_hook_state *state = ctx->state;
	const struct sk_buff *skb = ctx->skb;
	struct zh_trail_step place = {.point = point};
	struct trail_seen seen;
	struct net_device *dev;

	if (!zh_trail.armed || !find(skb, &seen))
		return NF_ACCEPT;
	place.what = state->hook;
	dev = place.what < 3 ? BPF_CORE_READ(state, in) : BPF_CORE_READ(state, out);
	locate(dev, &place);
	place.netns = BPF_CORE_READ(state, net, ns.inum);
	put(&seen, &place);
	return NF_ACCEPT;
}

SEC("?netfilter")
int zh_trail_hook_in(struct bpf_nf_ctx *ctx)
{
	return at_hook(ctx, ZH_TRAIL_HOOK_IN);
}

SEC("?netfilter")
int zh_trail_hook_out(struct bpf_nf_ctx *ctx)
{
	return at_hook(ctx, ZH_TRAIL_HOOK_OUT);
}

char LICENSE[] SEC("license") = "Dual BSD/GPL";
