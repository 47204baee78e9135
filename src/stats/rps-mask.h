/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Receive packet steering (RPS): whether it is the right cure, to which CPUs, and how the kernel
 * wants that written. Pure: the topology is given. Which CPU works for which queue is the kernel
 * documentation's advice (Documentation/networking/scaling.rst) made exact.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/units.h"

#define ZH_RPS_QUEUE_CPUS 8 /* more CPUs a queue cost more cache misses than they bring */

/* Groups are named by any number that its members share, as the kernel's core ids do. */
struct zh_rps_topology {
	struct zh_cpuset possible, online;
	struct zh_cpuset housekeeping; /* neither isolated nor nohz_full; empty: all */
	uint32_t core[ZH_CPU_MAX], llc[ZH_CPU_MAX], node[ZH_CPU_MAX];
};

struct zh_rps_queue {
	int irq_cpu; /* where packets come in: the interrupt, or who calls netif_rx; -1: varies */
	bool irq_is_busy;           /* half of that CPU's time is softirqs, or more */
	bool is_virtual;            /* no interrupt, no NUMA node: base is where consumers run */
	int node;                   /* of the device, -1: none */
	struct zh_cpuset consumers; /* CPUs that the receiving programs may use; empty: any */
	struct zh_cpuset policy;    /* only these are wanted; empty: any */
	unsigned int queue, queues; /* this one of so many active ones; queues 0 is 1 */
};

/* CPUs that may take part at all: online, housekeeping, policy. */
void zh_rps_usable(const struct zh_rps_topology *topology, const struct zh_rps_queue *queue,
	struct zh_cpuset *ret);
/*
 * The mask of the queue; empty: no CPU is fit, so no RPS. *ret_off_consumer (may be NULL) is true
 * when none of the consumers' CPUs is in it: RFS follows them better then.
 */
void zh_rps_mask(const struct zh_rps_topology *topology, const struct zh_rps_queue *queue,
	struct zh_cpuset *ret, bool *ret_off_consumer);

/* Why RPS would be wrong. */
enum zh_rps_gate {
	ZH_RPS_FITS,
	ZH_RPS_LOOPBACK,    /* lo and own addresses: it only adds a hop to each packet */
	ZH_RPS_FEW_CPUS,    /* nobody to share the work with */
	ZH_RPS_MANY_QUEUES, /* the queues spread it already */
	ZH_RPS_FEW_FLOWS,   /* a flow never splits */
	ZH_RPS_NO_LOAD,     /* no drops, no squeeze, no busy CPU */
	ZH_RPS_DEAR_WAKES,  /* a guest whose idle CPUs halt: each hop costs an exit to the host */
	ZH_RPS_REALTIME,    /* PREEMPT_RT without backlog threads */
};

struct zh_rps_case {
	bool is_loopback, has_load, has_drops, is_dear_wake, is_unthreaded_rt;
	unsigned int usable_cpus, active_queues;
	uint64_t flows;        /* 0: not known */
	double top_flow_share; /* of the packets, 0 to 1; < 0: not known */
};

/*
 * Packets that are lost weigh more than the microseconds that a hop costs: with drops two CPUs are
 * enough, few flows still spread, and wakes may be dear.
 */
enum zh_rps_gate zh_rps_gate(const struct zh_rps_case *c);
/* Why, as the end of a sentence; static. */
const char *zh_rps_gate_text(enum zh_rps_gate gate);

/*
 * As rps_cpus takes it: hexadecimal, groups of 8 digits, the highest first and never more groups
 * than the kernel has CPU numbers for; CPUs from n_cpu_ids on are left out. An empty set gives "0".
 * Returns buf; 288 bytes hold any.
 */
char *zh_rps_format(char *buf, size_t size, const struct zh_cpuset *cpus, unsigned int n_cpu_ids);
/* The highest possible CPU number and one (nr_cpu_ids); 0 when none is known. */
unsigned int zh_rps_cpu_ids(const struct zh_rps_topology *topology);
