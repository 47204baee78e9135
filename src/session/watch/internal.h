/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "facts/pods.h"
#include "session/path/internal.h"
#include "session/watch/watch.h"
#include "trace/live.h"

#define WATCH_CPUS 1024
#define WATCH_HOGS 4096

/* CPU time of one process, in ticks. */
struct watch_hog {
	long pid;
	uint64_t ticks;
	uint64_t started; /* ticks since boot; names of kernel threads change, this does not */
	unsigned int cpu; /* where it ran last */
	unsigned int real_time; /* its priority, 0: none */
	int nice;
	char name[32];
};

struct watch_hogs {
	struct watch_hog *list; /* by pid; owned */
	size_t n;
};

/* Namespaces and devices are found as `path` finds them. */
struct watch {
	struct path *path;
	const struct zh_watch_config *config;
	const struct path_link *link, *peer; /* of path->map; peer NULL: none known */
	/* On the machine's side: the device that the packets of `link` pass there; a macvlan's
	 * parent, or a pod's other end; and the bridge that is a port of. NULL: none. */
	const struct path_link *host, *bridge;
	char why[200]; /* that device and no other; "" when it was named */
	char why_no_peer[200];
	uint64_t pid_started; /* of config->pid, ticks since boot */
	int netns_fd;         /* of the device, owned; -1: that of the caller */
	int peer_netns_fd;    /* owned; -1: that of the device, or no peer */
	struct zh_live *live;
	struct zh_live_cpu *cpus; /* WATCH_CPUS, when watching began */
	struct watch_hogs hogs;
	uint64_t start_ns;
};

/* The name of a namespace of the map: its pod's, else as the map calls it. */
void watch_place_name(const struct watch *w, size_t netns, char *buf, size_t size);
/* In fact keys a dot of a name is a slash. */
void watch_key_name(char *buf, size_t size, const char *name);

/* find.c: link, peer, the machine's side, and their namespaces. */
int watch_find(struct watch *w, struct zh_err *err);
/* counted.c: watch.cpu.*, watch.drop.*, watch.flow.*. */
void watch_add_counted(struct watch *w, struct zh_fact_set *out);
/* hogs.c */
void watch_hogs_read(struct watch_hogs *ret);
void watch_hogs_done(struct watch_hogs *hogs);
/* watch.cpu.C.hog.*: the process that used most of each CPU since `before`. */
void watch_hogs_add(const struct watch_hogs *before, struct zh_fact_set *out);
