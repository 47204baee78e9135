/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Live counters for `zerohop top`, made in the kernel and read as totals: time in each softirq
 * vector of each CPU (by entry and exit, not by the tick, which cannot see bursts), drops by
 * reason, device, namespace and place, and the flows that keep a CPU busy (sampled). What ksoftirqd
 * ran and waited is in its /proc/PID/schedstat and needs no hook.
 *
 * Each part costs what its hooks cost, and is switched by itself. Closing, or the process's death,
 * detaches everything.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "record/record.h"
#include "trace/live-shared.h"

#define ZH_LIVE_NET_RX 3
/* A good sampling of flows: floods are told from trickles by far fewer packets. */
#define ZH_LIVE_FLOW_SAMPLE 64

struct zh_live_config {
	bool softirq;         /* two hooks on each softirq */
	bool drops;           /* one hook on each dropped packet */
	bool flows;           /* one hook on each received packet; counts one in flow_sample */
	uint32_t flow_sample; /* 1: all */
};

struct zh_live_cpu {
	uint64_t softirq_ns[ZH_LIVE_VECTORS], softirq_runs[ZH_LIVE_VECTORS];
	uint64_t softirq_longest_ns; /* of any run since the last read */
	uint64_t in_ksoftirqd_ns;    /* of softirq time: inside ksoftirqd */
};

struct zh_live_drop {
	uint64_t location;       /* address of the code that dropped */
	uint64_t count;          /* total */
	uint32_t netns, ifindex; /* namespace inode; 0: none known */
	uint32_t reason;
};

struct zh_live_flow {
	uint8_t family, protocol; /* 4 or 6; IPPROTO_ */
	uint16_t from_port, to_port;
	uint8_t from[16], to[16];
	uint32_t netns, ifindex; /* where it was received */
	uint16_t cpu;
	uint64_t packets, bytes; /* scaled by the sampling */
};

struct zh_live;

/* 0 when at least one part works; what does not is noted in `notes` (zh_record_not_measured).
 * Negative when none does, with the reason. */
int zh_live_open(const struct zh_live_config *config, struct zh_record *notes, struct zh_live **ret,
	struct zh_err *err);
/* True when that part counts, or could be switched on: "softirq", "drops", "flows". */
bool zh_live_has(const struct zh_live *live, const char *part);
/* Attaches or detaches a part that is costly where much happens; its counters stay. 0, or a
 * negative errno (-ENOTSUP: it was not asked for, or refused). */
int zh_live_switch(struct zh_live *live, const char *part, bool on);
/* How often the hooks of that part ran so far. */
uint64_t zh_live_runs(const struct zh_live *live, const char *part);

/* Totals since opening. CPUs without a reading are zero. Returns the number of rows. */
size_t zh_live_cpus(struct zh_live *live, struct zh_live_cpu *ret, size_t max);
size_t zh_live_drops(struct zh_live *live, struct zh_live_drop *ret, size_t max);
/* The flows with most packets since the last call, most first. */
size_t zh_live_top_flows(struct zh_live *live, struct zh_live_flow *ret, size_t max);
/* What did not fit into the tables. */
uint64_t zh_live_lost(const struct zh_live *live);
/* Run time of these programs so far in ns: their runs, times what the kernel says that one of the
 * first few thousand took; 0: none ran yet. What the hooks themselves cost outside the programs
 * (some 50 ns a run) is not in it. */
uint64_t zh_live_cost_ns(struct zh_live *live);

/* Name of a drop reason ("CPU_BACKLOG", in buf or static), NULL when the kernel's types do not
 * tell; the function that dropped, NULL when unknown. */
const char *zh_live_reason(const struct zh_live *live, uint32_t reason, char *buf, size_t size);
const char *zh_live_function(const struct zh_live *live, uint64_t location);

struct zh_live *zh_live_close(struct zh_live *live);
