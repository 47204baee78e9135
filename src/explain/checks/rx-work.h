/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What became of the receive work of one CPU while a device was watched: shared by the checks that
 * say why packets wait or are dropped there, so that exactly one of them speaks.
 *
 * The states are told apart by time, not by thresholds on rates. A packet's work is known: softirq
 * time over packets done; so is what the dropped ones would have needed. Was so much time left,
 * idle or used by tasks (which softirqs interrupt, as long as they are less than half of the CPU),
 * they came faster than they could wait: a burst; or ksoftirqd had the work and waited behind
 * tasks. Else the work is more than the CPU can do.
 */
#pragma once

#include "explain/checks/support.h"

/* A handful of drops says nothing of a state that lasts. */
#define ZH_RX_DROPS_MIN 100

enum zh_rx_state {
	ZH_RX_FINE,
	ZH_RX_BURSTS,   /* drops, with enough time to do the work */
	ZH_RX_BEHIND,   /* waits or drops, since tasks have the CPU */
	ZH_RX_ONE_FLOW, /* full, and one flow makes up the work */
	ZH_RX_FULL,
};

struct zh_rx_work {
	enum zh_rx_state state;
	char cpu[16];
	uint64_t dropped, processed; /* packets in the window; processed counts every pass */
	double dropped_per_s;
	double softirq, ksoftirqd, idle, tasks; /* shares of the window; idle < 0: not known */
	double needed;                          /* by what was dropped; < 0: not known */
	double wait, wait_each_ns;              /* of ksoftirqd: share of the window; mean */
	uint64_t flows, top_permille;
	int flow;        /* watch.flow.N: the largest on that CPU; -1: none */
	const char *dev; /* that brings most packets to it, else the watched one */
	bool is_here;    /* dev is in the place of the watched one */
};

/* Of the CPU that dropped most, else of one that is not fine, else of the one that received most.
 * False without a watch. */
bool zh_rx_work_get(const struct zh_explain *ex, struct zh_rx_work *ret);
/* The task that used most of that CPU. */
struct zh_rx_hog {
	const char *name; /* "" when none is known */
	uint64_t pid;
	double share;
	int nice;
	uint64_t real_time; /* priority, 0: none */
};
struct zh_rx_hog zh_rx_hog_get(const struct zh_explain *ex, const struct zh_rx_work *work);
/* "zh-hog (4711, real-time priority 10)" */
const char *zh_rx_hog_text(const struct zh_rx_hog *hog, char *buf, size_t size);

/* An online CPU outside the mask in force of the device that brings the packets, with so much idle
 * time that it could do the work: its number; -1: none, or no mask. */
int zh_rx_free_cpu(const struct zh_explain *ex, const struct zh_rx_work *work);

/* Whether RPS is the way out and to which CPUs, or why it is not, as the end of a sentence. */
const char *zh_rx_advise_rps(
	const struct zh_explain *ex, const struct zh_rx_work *work, char *buf, size_t size);

/* Evidence: use of the CPU; who brings the packets there and how many flows; drops by device. */
void zh_rx_add_use(struct zh_finding *finding, const struct zh_rx_work *work);
void zh_rx_add_flows(
	const struct zh_explain *ex, struct zh_finding *finding, const struct zh_rx_work *work);
void zh_rx_add_drops(const struct zh_explain *ex, struct zh_finding *finding);

/* Key patterns for `needs`. */
#define ZH_RX_NEEDS                                                                                \
	"watch.window_ns", "watch.dev", "watch.cpu.*.softirq_ns", "watch.cpu.*.flows",             \
		"watch.cpu.*.dev", "watch.flow.*.dev", "watch.drop.*.reason",                      \
		"softnet.cpu.*.dropped_pkts", "softnet.cpu.*.processed_pkts", "cpu.*.time.*",      \
		"ksoftirqd.*.wait_ns", "ksoftirqd.*.runs", "queue.*.rx.*.rps_cpus"
