/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What the live counters' BPF programs and their user side share. */
#pragma once

#include <stdint.h>

#define ZH_LIVE_VECTORS 10 /* of softirq, in the kernel's order */
#define ZH_LIVE_DROPS 4096 /* rows of the table of drops */
#define ZH_LIVE_FLOWS 4096 /* rows of the table of flows */

/* Written by programs on their own CPU only; a multiple of 64 bytes, so that CPUs share no line. */
struct zh_live_percpu {
	uint64_t ns[ZH_LIVE_VECTORS], runs[ZH_LIVE_VECTORS];
	uint64_t start_ns;      /* of the softirq that runs; 0: none */
	uint64_t longest_ns;    /* since user space last set it to 0 */
	uint64_t ksoftirqd_ns;  /* of the times above: run by ksoftirqd */
	uint32_t ksoftirqd_tid; /* set by user space */
	uint32_t tick;          /* packets since the last sampled one */
	uint64_t hook_runs[4];  /* softirq entry and exit, drops, flows */
	uint64_t lost;          /* rows that did not fit */
	uint64_t pad[3];
};
_Static_assert(sizeof(struct zh_live_percpu) % 64 == 0, "two CPUs share a cache line");

struct zh_live_drop_key {
	uint64_t location;
	uint32_t netns, ifindex, reason, pad;
};

struct zh_live_flow_key {
	uint8_t from[16], to[16];
	uint32_t netns, ifindex;
	uint16_t from_port, to_port; /* host order */
	uint16_t cpu;
	uint8_t family, protocol;
};

struct zh_live_flow_count {
	uint64_t packets, bytes;
};
