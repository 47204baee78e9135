/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* An injected frame, as the BPF program and its user side know it. */
#pragma once

#include <linux/types.h>

struct load_headers { /* Ethernet, IPv4 without options, UDP; network order */
	__u8 to_mac[6], from_mac[6];
	__u16 ether_type;
	__u8 version_ihl, tos;
	__u16 total_bytes, id, fragment;
	__u8 ttl, protocol;
	__u16 ip_checksum;
	__u32 from, to;
	__u16 from_port, to_port, udp_bytes, udp_checksum;
} __attribute__((packed));

struct load_frame {
	struct load_headers headers;
	__u16 first_port; /* host order */
	__u32 flow, n_flows;
	__u64 injected;
};
