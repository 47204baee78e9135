/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Steps of a path run and what they hand on.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "facts/way.h"
#include "record/fact-set.h"
#include "session/path.h"

/* A network namespace that the way touches. */
struct path_place {
	int netns_fd;             /* owned */
	uint64_t inode;           /* as in /proc/PID/ns/net */
	char name[64];            /* "here", "netns NAME", "pid 123 (redis)" */
	struct zh_fact_set facts; /* taken on the first visit */
	bool has_facts;
};

/* One address of the target. */
struct path_way {
	struct zh_flow flow;
	char address[INET6_ADDRSTRLEN];
	size_t n_hops; /* written so far under path.way.W.hop. */
};

struct path {
	const struct zh_path_config *config;
	struct zh_record *record;
	struct zh_fact_set *out; /* record->after: all path.* keys go here */
	struct path_place places[ZH_PATH_PLACES_MAX];
	size_t n_places; /* 0 is where the packet starts */
	struct path_way ways[ZH_PATH_WAYS_MAX];
	size_t n_ways;
};

/* resolve.c: fills ways[] and path.name.*; -EINVAL when the name is unknown. */
int path_resolve(struct path *p, struct zh_err *err);
/* places.c: the place with that namespace, opened and its facts taken when it is new; NULL when it
 * cannot be entered (the reason is noted in the record). */
struct path_place *path_place_of(struct path *p, int netns_fd);
/* The namespace at the other end of a veth (its index there in *ret_ifindex), or NULL. */
struct path_place *path_peer(
	struct path *p, struct path_place *from, unsigned int ifindex, unsigned int *ret_ifindex);
void path_places_done(struct path *p);
/* decide.c: path.way.W.decision.*. */
void path_decide(struct path *p, size_t way);
/* walk.c: path.way.W.hop.*. */
void path_walk(struct path *p, size_t way);
/* prove.c: path.way.W.proof.*: sends and counts. */
void path_prove(struct path *p, size_t way);
/* loopback.c: path.lo.*: what loopback is here, and what offloads do on it. */
void path_loopback(struct path *p);
