/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Steps of a path run and what they hand on. All of it runs on one thread, which visits the network
 * namespaces of the way one after another and is back in the first when a step returns.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "facts/way.h"
#include "record/fact-set.h"
#include "session/path.h"

#define PATH_HOPS_MAX 96 /* a way that needs more goes round in circles */
#define PATH_CANDIDATES_MAX 256

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
};

/* A network namespace that the way touches. */
struct path_place {
	int netns_fd;                    /* owned */
	uint64_t inode;                  /* as in /proc/PID/ns/net */
	char name[64];                   /* "here", "netns NAME", "pid 123 (redis)" */
	const struct zh_fact_set *facts; /* taken on the first visit; of place 0: record->before */
	struct zh_fact_set own_facts;    /* of the other places */
};

/* A namespace that is there, whether or not the way touches it. */
struct path_candidate {
	uint64_t inode;
	char source[96]; /* for zh_netns_by_name(): a name or a path */
	char name[64];   /* as that of a place */
};

/* One address of the target, or one Unix socket (family AF_UNIX). */
struct path_way {
	struct zh_flow flow;
	char address[INET6_ADDRSTRLEN];
	struct zh_route route; /* the decision; type NULL: none */
	int refusal;           /* errno of a refused decision, 0: not refused */
	struct path_hop hops[PATH_HOPS_MAX];
	size_t n_hops; /* written so far under path.way.W.hop. */
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
	struct path_candidate candidates[PATH_CANDIDATES_MAX];
	size_t n_candidates;
	bool has_candidates; /* they were looked for */
};

/* resolve.c: fills ways[] and path.name.*; -EINVAL when the name is unknown. */
int path_resolve(struct path *p, struct zh_err *err);

/* places.c: the first place, and all that was opened. */
int path_places_open(struct path *p, struct zh_err *err);
void path_places_done(struct path *p);
/* The place with that namespace (the fd is taken over in any case), its facts taken when it is new;
 * NULL when it cannot be entered (the reason is noted in the record). `name` for a new place. */
struct path_place *path_place_of(struct path *p, int netns_fd, const char *name);
/* The namespace that has number `nsid` in place `from`, or NULL with the reason. */
struct path_place *path_place_by_nsid(
	struct path *p, struct path_place *from, uint32_t nsid, char *why, size_t size);
/* The namespace at the other end of a veth (its index there in *ret_ifindex), or NULL with the
 * reason in why. */
struct path_place *path_peer(struct path *p, struct path_place *from, unsigned int ifindex,
	unsigned int *ret_ifindex, char *why, size_t size);
/* Moves the thread. 0 or a negative errno. */
int path_enter(struct path *p, size_t place, struct zh_err *err);
/* All namespaces of the machine that can be seen, the places first. Returns how many. */
size_t path_candidates(struct path *p);

/* decide.c: path.way.W.decision.*. */
void path_decide(struct path *p, size_t way);
/* walk.c: path.way.W.hop.*. */
void path_walk(struct path *p, size_t way);
/* unix.c: path.way.W.unix.* and its hops; -ENOENT, -EPROTOTYPE ... when there is no such socket. */
int path_unix(struct path *p, size_t way, struct zh_err *err);
/* prove.c: path.way.W.proof.*: sends and counts. */
void path_prove(struct path *p, size_t way);
/* loopback.c: path.lo.*: what loopback is here, and what offloads do on it. */
void path_loopback(struct path *p);
