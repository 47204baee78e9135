/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Trails: where the packets of one flow were seen, packet by packet, in every network namespace of
 * the machine, without a capture. Counting programs on tracepoints tell device, namespace and drop;
 * programs in front of and behind each netfilter hook tell what passed the rules.
 *
 * Echoes and datagrams are known by the header that they carry (record/wire.h), also behind NAT and
 * inside an ICMP error. A TCP connection attempt is known by its initial sequence number, learned
 * from the first SYN that leaves the port told to zh_trail_port(): that survives NAT too. Its trail
 * is that of its SYN and of the answer to it, SYN-ACK or reset.
 *
 * Bounded: ZH_TRAIL_PACKETS packets of ZH_TRAIL_STEPS steps; what does not fit is counted.
 * Not seen: hooks of bridges (no BPF programs there; what their rules drop is a DROP all the same);
 * with BPF, echoes of more than about 16 KiB (their header is in pages that cannot be read).
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "record/record.h"

#define ZH_TRAIL_PACKETS 4096 /* a power of two */
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
	uint32_t netns;    /* inode number of the namespace (/proc/PID/ns/net); 0: not told */
	uint32_t ifindex;  /* in that namespace; 0: none (dropped before a device was chosen) */
	uint32_t what;     /* netfilter hook number (NF_INET_*), or drop reason number */
	uint16_t cpu;      /* with ZH_TRAIL_SOCKETS UINT16_MAX: not told */
	uint16_t icmp;     /* this is an ICMP error about our packet: type << 8 | code; else 0 */
	uint8_t point;     /* enum zh_trail_point */
	uint8_t leg;       /* 0 request, 1 reply; an ICMP error about a request is a reply */
	uint8_t family;    /* 4 or 6 */
};

/* How packets are counted here. */
enum zh_trail_method {
	ZH_TRAIL_BPF,     /* everything above */
	ZH_TRAIL_SOCKETS, /* packet sockets, one a namespace: devices only (QUEUE and RX) */
	ZH_TRAIL_NONE,    /* neither is permitted */
};

struct zh_trail_config {
	enum zh_transport_id transport; /* ICMP, UDP or TCP */
	uint32_t run;                   /* struct zh_wire's run id */
	uint16_t remote_port;           /* of TCP and UDP, host order; 0: any */
	/* Namespaces whose netfilter hooks, or packet sockets, count; none: the caller's own. Hooks
	 * on devices and drops count in all namespaces anyway. */
	const int *netns_fds;
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

/*
 * The next connection attempt from local port `port` (host order) is packet number `seq`. To be
 * called between bind() and connect(), also while counting; each attempt needs a port of its own.
 * With UDP it helps where the header cannot be read: datagrams of more than about 16 KiB, and ICMP
 * errors that quote only 8 bytes.
 */
void zh_trail_port(struct zh_trail *trail, uint32_t seq, uint16_t port);

/*
 * Copies the steps of packet number `seq` (struct zh_wire's, or zh_trail_port's) in time order;
 * returns how many, at most `max`. To be called when the packets have been sent and answered: with
 * packet sockets the first call fetches what was seen so far, and so does every later one. A SYN
 * that was sent again is seen again.
 */
size_t zh_trail_read(struct zh_trail *trail, uint32_t seq, struct zh_trail_step *ret, size_t max);
/* Sightings that did not fit, had no room, or were (perhaps) missed; an upper bound. */
uint64_t zh_trail_lost(const struct zh_trail *trail);
/* "NETFILTER_DROP"; NULL when unknown. Valid until the next call and until the trail is closed. */
const char *zh_trail_drop_reason(struct zh_trail *trail, uint32_t reason);
/* The function of a drop's location ("nf_hook_slow") into buf, "" when unknown: the kernel shows
 * addresses to privileged users only. Returns buf. */
char *zh_trail_function(struct zh_trail *trail, char *buf, size_t size, uint64_t location);

/* Stops counting and leaves nothing attached. */
struct zh_trail *zh_trail_close(struct zh_trail *trail);
