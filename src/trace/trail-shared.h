/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the counting programs and the user side of a trail share. The control block is the only
 * variable in .bss, and the settings fixed at load the only one in .rodata; the map "zh_packets"
 * (one struct zh_trail_packet a packet number) is read through mmap. Packet sockets use the same
 * control block in ordinary memory.
 */
#pragma once

#include "record/wire.h"
#include "trace/trail.h"

/* The tracepoints, each optional. */
#define ZH_TRAIL_HOOKS(X)                                                                          \
	X(net_dev_queue)                                                                           \
	X(net_dev_start_xmit)                                                                      \
	X(netif_rx)                                                                                \
	X(netif_receive_skb)                                                                       \
	X(kfree_skb)

struct zh_trail_packet {
	uint64_t n; /* steps reserved, also those that found no room */
	struct zh_trail_step steps[ZH_TRAIL_STEPS];
};

struct zh_trail_control {
	uint32_t armed;
	uint32_t transport; /* enum zh_transport_id */
	uint32_t run;
	uint32_t remote_port; /* host order; 0: any */
	uint64_t lost;
	/* Connection attempts by a hash of their initial sequence number: isn << 32 | (seq + 1). */
	uint64_t attempts[ZH_TRAIL_PACKETS];
	uint8_t claimed[ZH_TRAIL_PACKETS]; /* by packet number: its first SYN was seen */
	uint16_t ports[UINT16_MAX + 1];    /* by local port: packet number + 1; 0: not ours */
};

#define ZH_TRAIL_BENIGN 4

/* Fixed at load, so that the verifier drops what the kernel lacks. */
struct zh_trail_settings {
	uint32_t has_drop_reason;         /* kfree_skb has the 3rd argument */
	uint32_t no_socket, queue_purge;  /* numbers of these reasons, or ZH_NONE */
	uint32_t benign[ZH_TRAIL_BENIGN]; /* reasons that are no drop of our packet, or ZH_NONE */
};
