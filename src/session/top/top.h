/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Readings for `zerohop top`: what CPUs, devices, flows and drops did between two reads, as rates.
 * Softirq time is measured from entry to exit of each run (the tick-sampled %soft cannot see
 * bursts); drops, by the kernel's reason and place; what cannot be measured is unknown, with the
 * reason in `notes`, and never zero.
 *
 * Rates are per second, shares of one CPU's time from 0 to 1; a negative number means not known.
 * A reading is plain data: it holds no descriptors, and screens and documents are made from it
 * alone (so tests write readings by hand).
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "record/record.h"
#include "trace/live-shared.h"

#define ZH_TOP_NAME 32  /* of a device; with its end */
#define ZH_TOP_PLACE 96 /* of a namespace: "here", "netns blue", "pod shop/cart-7f" */

struct zh_top_interrupt {
	char name[ZH_TOP_NAME]; /* "virtio1-input.0" */
	double rate;
};

#define ZH_TOP_INTERRUPTS 4

struct zh_top_cpu {
	unsigned int cpu;
	double softirq_share[ZH_LIVE_VECTORS]; /* by vector, entry to exit */
	double longest_ns;                     /* the longest softirq run of the interval */
	double ksoftirqd_share, ksoftirqd_wait_share;
	double rx_rate; /* softnet: packets handled; twice for a packet that RPS or a veth moved */
	double backlog; /* packets that wait now; < 0: this kernel does not say */
	double dropped_rate;  /* softnet: backlog full */
	double squeezed_rate; /* softnet: budget used up */
	double rps_rate;      /* softnet: woken by another CPU */
	double idle_share, steal_share, irq_share, user_share,
		system_share;         /* /proc/stat, by the tick */
	char idle_state[ZH_TOP_NAME]; /* where it idled most; "": no idle driver */
	struct zh_top_interrupt interrupts[ZH_TOP_INTERRUPTS]; /* most frequent first; "" ends */
};

struct zh_top_device {
	char name[ZH_TOP_NAME], kind[16], place[ZH_TOP_PLACE];
	uint64_t netns; /* inode */
	uint32_t ifindex;
	bool is_up;
	char peer[ZH_TOP_NAME], peer_place[ZH_TOP_PLACE]; /* of a veth; "" */
	char parent[ZH_TOP_NAME]; /* of a macvlan, or the bridge that it is a port of; "" */
	double rx_rate, tx_rate, rx_bytes_rate, tx_bytes_rate;
	double rx_dropped_rate, tx_dropped_rate; /* the device's own counters */
	double dropped_rate;      /* by the kernel's drop hook, all reasons but benign */
	char drop_reason[40];     /* the most frequent of them; "" */
	int rx_queues, tx_queues; /* < 0: unknown */
	char rps_mask[ZH_TOP_NAME], xps_mask[ZH_TOP_NAME]; /* of the first queue; "": none */
	int gro, threaded;                                 /* 1, 0, < 0 unknown */
	char qdisc[ZH_TOP_NAME];
	int cpu;          /* that handles most of its packets; < 0: unknown */
	double cpu_share; /* of its sampled packets on that CPU */
};

struct zh_top_flow {
	char protocol[8];                              /* "udp", "tcp", "icmp" */
	char from[64], to[64];                         /* address and port */
	char from_who[64], to_who[64];                 /* pod or process (pid); "" */
	char device[ZH_TOP_NAME], place[ZH_TOP_PLACE]; /* where it was received */
	int cpu;
	double rate, bytes_rate;
	double share; /* of the packets on its CPU */
};

struct zh_top_drop {
	char reason[40], function[64]; /* "CPU_BACKLOG", "enqueue_to_backlog" */
	char device[ZH_TOP_NAME], place[ZH_TOP_PLACE];
	bool is_benign; /* a free that is no loss: QUEUE_PURGE and the like */
	double rate;
	uint64_t total; /* since the start */
};

struct zh_top_reading {
	uint64_t time_ns;     /* CLOCK_REALTIME */
	uint64_t interval_ns; /* 0: the first one: rates are unknown */
	struct zh_top_cpu *cpus;
	size_t n_cpus;
	struct zh_top_device *devices;
	size_t n_devices;
	struct zh_top_flow *flows;
	size_t n_flows;
	struct zh_top_drop *drops;
	size_t n_drops;
	bool has_drops;       /* the drop hook counts; else drops are what softnet_stat says */
	double own_cpu_share; /* of one CPU: this process */
	double own_bpf_share; /* its programs in the kernel; < 0: unknown */
	uint64_t lost;        /* rows that did not fit into the kernel's tables */
	uint64_t window_ns;   /* softirqs and flows were counted this long; 0: all the time */
};

struct zh_top_config {
	bool no_bpf; /* counters only */
	bool no_flows;
	bool only_here;       /* leave out devices, flows and drops of other namespaces */
	uint32_t flow_sample; /* count one packet in so many; 0: a good default */
};

struct zh_top;

/*
 * Starts counting. Works without BPF and without privileges, with less: what is missing is added to
 * `notes` (zh_record_not_measured). Negative only when nothing can be read at all.
 */
int zh_top_open(const struct zh_top_config *config, struct zh_record *notes, struct zh_top **ret,
	struct zh_err *err);
/* What happened since the last read (or the opening). The reading belongs to `top` and is valid
 * until the next read. A device or CPU that disappears meanwhile is left out. */
int zh_top_read(struct zh_top *top, const struct zh_top_reading **ret, struct zh_err *err);
struct zh_top *zh_top_close(struct zh_top *top);

/*
 * The reading in one sentence: which CPU is full and of what, what is dropped most and where; or
 * that nothing is. A CPU is full when softirqs take 90 % of it, or when it has no idle time left
 * and softirqs take a third. Returns true when something is full or dropped; buf is written either
 * way.
 */
bool zh_top_answer(const struct zh_top_reading *reading, char *buf, size_t size);
/* The kernel's softirq vectors: "HI", "TIMER", "NET_TX", "NET_RX" ... */
extern const char *const zh_top_vectors[ZH_LIVE_VECTORS];
/* Of all vectors; < 0: unknown. */
double zh_top_softirq_share(const struct zh_top_cpu *cpu);
