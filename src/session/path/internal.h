/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Steps of a path run and what they hand on. All of it runs on one thread, which visits the network
 * namespaces of the way one after another and is back in the first when a step returns.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "facts/pods.h"
#include "facts/way.h"
#include "record/fact-set.h"
#include "session/path.h"
#include "session/path/map.h"

#define PATH_HOPS_MAX 64 /* a way that needs more goes round in circles */

/* Kinds of hops; path_hop_kinds[] has their names as explain/path.h lists them. */
enum path_hop_kind {
	PATH_SOCKET,
	PATH_CGROUP_BPF,
	PATH_NETFILTER,
	PATH_ROUTING,
	PATH_QDISC,
	PATH_TC,
	PATH_XDP,
	PATH_DEVICE,
	PATH_WIRE,
	PATH_BRIDGE,
	PATH_MACVLAN,
	PATH_STEERING,
	PATH_LEAVES,
	PATH_END,
	PATH_HOP_KINDS
};
extern const char *const path_hop_kinds[PATH_HOP_KINDS];

/* What identifies a hop, for attributing counts to it; the texts are facts. */
struct path_hop {
	enum path_hop_kind kind;
	size_t place;
	unsigned int ifindex; /* 0: no device */
	char dev[64];
	int hook;        /* NF_INET_..., -1: not of netfilter */
	bool is_inbound; /* the packet comes in by the device here, and does not leave by it */
	bool ends;
	size_t n_notes;
};

/* A network namespace that the way touches. */
struct path_place {
	int netns_fd;                    /* owned */
	uint64_t inode;                  /* as in /proc/PID/ns/net */
	char name[PATH_NAME_MAX];        /* as the map calls it */
	size_t netns;                    /* its number in the map */
	const struct zh_fact_set *facts; /* taken on the first visit; of place 0: record->before */
	struct zh_fact_set own_facts;    /* of the other places */
};

/* One address of the target, or one Unix socket (family AF_UNIX). */
struct path_way {
	struct zh_flow flow;
	char address[INET6_ADDRSTRLEN];
	struct zh_route route; /* the decision; type NULL: none */
	int refusal;           /* errno of a refused decision, 0: not refused */
	char rule[200];        /* the rule that decided, "" when not known */
	char error[200];       /* what the refusal means */
	struct path_hop hops[PATH_HOPS_MAX];
	size_t n_hops;         /* written so far under path.way.W.hop. */
	size_t n_translations; /* likewise, under path.way.W.nat. */
	/* NAT may stand at a hook of the way; and what was sent ahead to find out what it does: the
	 * packet's source port or echo id, 0: none was. */
	bool meets_nat;
	uint16_t scout_id;
	struct in6_addr end_address; /* of the packet where the way ends; when it is known */
};

struct path {
	const struct zh_path_config *config;
	struct zh_record *record;
	struct zh_fact_set *out; /* record->after: all path.* keys go here */
	struct path_place places[ZH_PATH_PLACES_MAX];
	size_t n_places; /* 0 is where the packet starts */
	size_t current;  /* the place that the thread is in */
	struct path_way ways[ZH_PATH_WAYS_MAX];
	size_t n_ways;
	struct path_map map;
	struct zh_pods pods; /* read with the map, or where this namespace is not the host's */
	bool has_pods;
	size_t counters_way; /* the way that is counted by the devices alone, from 1; 0: none */
};

/* resolve.c: fills ways[] and path.name.*; -EINVAL when the name is unknown. */
int path_resolve(struct path *p, struct zh_err *err);

/* places.c: the first place; and the end of all that was opened. */
int path_places_open(struct path *p, struct zh_err *err);
void path_places_done(struct path *p);
/* A path without a target, for its map alone; its record is its own. */
int path_survey_open(struct path **ret, struct zh_err *err);
struct path *path_survey_close(struct path *p);
/* Moves the thread. 0 or a negative errno. */
int path_enter(struct path *p, size_t place, struct zh_err *err);
/* The map, taken when it was not yet. */
const struct path_map *path_map_take(struct path *p);
/* The place of a namespace of the map, entered and its facts taken when it is new; NULL with the
 * reason. */
struct path_place *path_place_of(struct path *p, size_t netns, char *why, size_t size);
/* The device that the link's `link` names: a veth's peer, the device below; NULL with the reason.
 */
const struct path_link *path_link_other(
	struct path *p, const struct path_link *link, char *why, size_t size);
/* Whether `child` sits on `parent`, as macvlan and VLAN devices do. */
bool path_link_is_on(struct path *p, const struct path_link *child, const struct path_link *parent);

/* decide.c: path.way.W.decision.*, and path.way.W.reply.* of a flow that arrived in `place`. */
void path_decide(struct path *p, size_t way);
void path_reply(struct path *p, size_t way, size_t place, const struct zh_flow *flow);
/* walk.c: path.way.W.hop.* and .nat.*, instead of those of an earlier walk. */
void path_walk(struct path *p, size_t way);
/* scout.c: sends one packet ahead where NAT is on the way and packets may be sent. Whether it did:
 * the way has to be walked anew then. */
bool path_scout(struct path *p, size_t way);
/* unix.c: is there such a socket? -ENOENT, -EPROTOTYPE ...; and path.way.W.unix.* with its hops. */
int path_unix_check(const struct zh_target *target, struct zh_err *err);
void path_unix(struct path *p, size_t way);
/* prove.c: why nothing is sent, in buf or elsewhere; NULL when packets may go. */
const char *path_why_not_sent(
	const struct path *p, const struct path_way *way, char *buf, size_t size);
/* path.way.W.proof.*: sends and counts. */
void path_prove(struct path *p, size_t way);
/* Where nothing else may count: what the devices themselves counted, from the snapshots before and
 * after; does nothing otherwise. */
void path_prove_counters(struct path *p);
/* prove-unix.c */
void path_prove_unix(struct path *p, size_t way);
/* loopback.c: path.lo.*: what loopback is here, and what offloads do on it. */
void path_loopback(struct path *p);
