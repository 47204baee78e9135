/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Trails: where the packets of one flow were seen, packet by packet, in every network namespace of
 * the machine, without a capture. Counting programs on tracepoints tell device, namespace and drop;
 * programs in front of and behind each netfilter hook tell what passed the rules.
 *
 * Our own datagrams and echoes are known by the header they carry (record/wire.h), also behind NAT;
 * TCP by its ports. Bounded: ZH_TRAIL_PACKETS packets of ZH_TRAIL_STEPS steps; what does not fit is
 * counted.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "record/record.h"

#define ZH_TRAIL_PACKETS 4096
#define ZH_TRAIL_STEPS 64

enum zh_trail_point {
	ZH_TRAIL_QUEUE = 1, /* handed to a device's queue (net_dev_queue) */
	ZH_TRAIL_XMIT,      /* handed to the device (net_dev_start_xmit) */
	ZH_TRAIL_BACKLOG,   /* put into a CPU's backlog (netif_rx) */
	ZH_TRAIL_RX,        /* taken up by NET_RX (netif_receive_skb) */
	ZH_TRAIL_HOOK_IN,   /* in front of a netfilter hook */
	ZH_TRAIL_HOOK_OUT,  /* behind it: not dropped, not stolen there */
	ZH_TRAIL_DROP,      /* freed as dropped (kfree_skb) */
};

/* One sighting. */
struct zh_trail_step {
	uint64_t ns;
	uint64_t location; /* of a drop: address of the code that dropped it; 0 otherwise */
	uint32_t netns;    /* inode number of the namespace (/proc/PID/ns/net) */
	uint32_t ifindex;  /* in that namespace; 0: none */
	uint16_t what;     /* netfilter hook number, or drop reason number */
	uint16_t cpu;
	uint8_t point;  /* enum zh_trail_point */
	uint8_t leg;    /* 0 request, 1 reply */
	uint8_t family; /* 4 or 6 */
};

/* How packets are counted here. */
enum zh_trail_method {
	ZH_TRAIL_BPF,     /* everything above */
	ZH_TRAIL_SOCKETS, /* packet sockets, one a namespace: devices only (QUEUE and RX) */
	ZH_TRAIL_NONE,    /* neither is permitted */
};

struct zh_trail_config {
	enum zh_transport_id transport;   /* ICMP, UDP or TCP */
	uint32_t run;                     /* struct zh_wire's run id */
	uint16_t local_port, remote_port; /* of TCP, host order; 0: any */
	const int *netns_fds;             /* namespaces whose netfilter hooks are counted */
	size_t n_netns;
	bool no_bpf; /* packet sockets even where BPF works (tests) */
};

struct zh_trail;

/*
 * Starts counting. Returns 0 with *ret, the best method that works; what it cannot see is noted in
 * `record` (zh_record_not_measured). With ZH_TRAIL_NONE the trail is empty but valid. Negative only
 * when out of memory.
 */
int zh_trail_open(const struct zh_trail_config *config, struct zh_record *record,
	struct zh_trail **ret, struct zh_err *err);
enum zh_trail_method zh_trail_method(const struct zh_trail *trail);
/* TCP's local port is known only after connect() or bind(): may be called while counting. */
void zh_trail_ports(struct zh_trail *trail, uint16_t local_port, uint16_t remote_port);

/*
 * Copies the steps of packet number `seq` (struct zh_wire's; TCP: the number of the connection
 * attempt, see zh_trail_ports) in time order; returns how many, at most `max`.
 */
size_t zh_trail_read(struct zh_trail *trail, uint32_t seq, struct zh_trail_step *ret, size_t max);
/* Sightings that did not fit or had no room. */
uint64_t zh_trail_lost(const struct zh_trail *trail);
/* Name of a drop reason, NULL when unknown; function of a drop's location into buf ("" unknown). */
const char *zh_trail_drop_reason(const struct zh_trail *trail, uint32_t reason);
char *zh_trail_function(char *buf, size_t size, uint64_t location);

struct zh_trail *zh_trail_close(struct zh_trail *trail);
