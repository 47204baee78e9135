/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A packet on its way, as far as facts tell: where it is, what it looks like by now, and the hops
 * that it made. Each step adds hops and says which one is next.
 */
#pragma once

#include "session/path/internal.h"

enum walk_step {
	WALK_SEND,    /* from the stack out by a device: netfilter is done */
	WALK_ARRIVE,  /* at a device from outside */
	WALK_UP,      /* from the device to IP */
	WALK_FORWARD, /* through a bridge */
	WALK_OVER,
};

struct walk {
	struct path *p;
	size_t way, place;
	enum walk_step step;
	const struct path_link *link; /* the device it is at */
	const struct path_link *port; /* bridge port it came in by; NULL: from the bridge itself */
	struct zh_flow flow;          /* as it looks now; the route's source filled in */
	struct in6_addr next;         /* who must take it on the link: the gateway or the target */
	char mac[24];                 /* that one's hardware address, "" when not known */
	bool is_full;                 /* no room for more hops */
	bool is_routed;               /* it carries the sender's decision along, as on lo */
	bool is_renamed;              /* NAT gave it another target address, behind the decision */
	uint16_t id; /* its source port or echo id, as a packet sent ahead has it; 0: none was */
};

/* A new hop; what follows is about it. `link` NULL: no device. */
void hop_add(struct walk *w, enum path_hop_kind kind, const struct path_link *link,
	const char *title, ...) __attribute__((format(printf, 4, 5)));
void hop_hook(struct walk *w, int hook, const char *name);
void hop_inbound(struct walk *w);
void hop_note(struct walk *w, const char *format, ...) __attribute__((format(printf, 2, 3)));
void hop_unseen(struct walk *w, const char *why, ...) __attribute__((format(printf, 2, 3)));
/* The way ends at this hop. */
void hop_ends(struct walk *w, const char *why, ...) __attribute__((format(printf, 2, 3)));

/* Facts of the place that the packet is in. */
const struct zh_fact_set *walk_facts(const struct walk *w);
/* A device's name as part of a key; returns buf, of ZH_FACTS_NAME_MAX bytes. */
const char *walk_device_key(char *buf, const struct path_link *link);
/* The reason that a group of facts is not there, or NULL. */
const char *walk_why_not(const struct walk *w, const char *key);

/* hops-socket.c: the first hops and the last. */
void hops_socket(struct walk *w);
void hops_deliver(struct walk *w);
/* hops-filter.c */
void hops_netfilter(struct walk *w, int hook);
void hops_tc(struct walk *w, const struct path_link *link, bool inbound);
void hops_xdp(struct walk *w, const struct path_link *link);
/* hops-nat.c: what NAT at that hook makes of the packet, for the hop that was added last. */
void hops_nat(struct walk *w, int hook);
/* hops-cgroup.c: programs on the sockets of a cgroup; pid 0: the sender's. */
void hops_cgroup(struct walk *w, bool inbound, long pid);
/* hops-device.c */
void hops_qdisc(struct walk *w, const struct path_link *link);
void hops_device(struct walk *w, const struct path_link *link, bool inbound);
void hops_steering(struct walk *w, const struct path_link *link);
/* hops-route.c: the sender's decision, and that on arrival (which sets the next step). */
void hops_sent(struct walk *w);
void hops_received(struct walk *w);
/* That which the kernel takes anew behind NAT at the output hook. */
void hops_rerouted(struct walk *w);
/* Whether the place answers when the next hop's hardware address is asked for at its device. Also
 * true when that cannot be found out. */
bool hops_is_answered(struct walk *w);
/* hops-link.c: out of a device to the next one, or away from this machine. */
void hops_leave(struct walk *w);
/* Where a packet goes that came in by a device: to a bridge, a macvlan child, or up to IP. */
enum walk_step hops_next(struct walk *w);
/* hops-bridge.c: through the bridge that the port belongs to, or that sent it itself. */
void hops_bridge(struct walk *w);
/* hops-macvlan.c: out of a child; and from a parent to the child that has the address. */
void hops_macvlan(struct walk *w);
bool hops_to_child(struct walk *w);
/* The macvlan child on `parent` that has the address which the packet looks for, or NULL. */
const struct path_link *walk_child(struct walk *w, const struct path_link *parent);
/* Moves the packet to a device, which may be in another namespace. False: it cannot be followed
 * there, and the hop says why. */
bool walk_move(struct walk *w, const struct path_link *link);
