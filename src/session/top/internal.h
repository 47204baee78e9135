/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Parts of top. Each read takes totals and compares them with those of the read before; names and
 * settings come from scans, which are rarer. All of it runs on one thread, which visits the network
 * namespaces one after another and is back in its own when a function returns. No namespace is held
 * open between reads, for then it could not go.
 */
#pragma once

#include "facts/pods.h"
#include "session/path/internal.h"
#include "session/top/cpus.h"
#include "session/top/top.h"
#include "trace/live.h"

/* Totals of one device, as its driver counts them. */
struct top_counts {
	uint64_t rx, tx, rx_bytes, tx_bytes, rx_dropped, tx_dropped;
};

struct top_link {
	uint64_t netns;
	uint32_t ifindex, master, below; /* numbers in the same namespace; 0: none */
	bool is_up, has_counts;
	char name[ZH_TOP_NAME], kind[16], qdisc[ZH_TOP_NAME];
	struct top_counts counts;
};

struct top_links {
	struct top_link *list; /* by namespace and number; owned */
	size_t n, size;
};

/* What is set for a device, read when it is new and now and then afterwards. */
struct top_setting {
	uint64_t netns;
	char name[ZH_TOP_NAME], rps[ZH_TOP_NAME], xps[ZH_TOP_NAME];
	int rx_queues, tx_queues, gro, threaded; /* < 0: unknown */
};

struct top_settings {
	struct top_setting *list; /* by namespace and name; owned */
	size_t n, size;
};

/* The other end of a veth, in both directions. */
struct top_pair {
	const struct path_link *end, *other; /* of the map */
};

/* Who is where: namespaces, addresses, pods. Of a captured root only the one namespace, without. */
struct top_map {
	struct path *path;      /* NULL: captured, or not yet taken */
	struct top_pair *pairs; /* by end; owned */
	size_t n_pairs;
	uint64_t taken_ns;
};

/* Who holds a socket: looked up once, kept for a while. */
struct top_owner {
	uint64_t netns;
	uint8_t protocol;
	uint16_t port;
	char who[64];
	uint64_t found_ns;
};

#define TOP_OWNERS 128

struct zh_top {
	struct zh_top_config config;
	struct zh_record *notes;
	struct zh_live *live;                     /* NULL: counters only */
	struct zh_live_cpu *live_cpus, *live_now; /* [TOP_CPUS] when the window began, ended */
	struct top_map map;
	struct top_settings settings;
	size_t settings_turn; /* a device of the namespace whose settings were read last */
	int settings_pause;   /* reads until the next is */
	struct top_links links;
	struct top_cpu_totals *cpus; /* [TOP_CPUS] */
	pid_t *ksoftirqd;            /* [TOP_CPUS] thread ids, 0: none */
	struct top_interrupts interrupts;
	struct top_idle idle;
	struct zh_live_drop *drops; /* of the last read */
	size_t n_drops;
	uint64_t hook_backlog_drops; /* of the last read: CPU_BACKLOG, as the drop hook saw them */
	struct zh_live_flow *flows;  /* of the window */
	size_t n_flows;
	struct top_owner owners[TOP_OWNERS];
	size_t n_owners, searches; /* searches: begun in this read */
	/* The window: how long the costly hooks' counts are of, in this reading; see window.c. */
	uint64_t window_start_ns, window_ns;
	uint64_t runs_before, runs_now;           /* of those hooks, when it began and ended */
	bool is_windowed;                         /* they are there for a part of the time only */
	uint64_t read_ns, own_cpu_ns, own_bpf_ns; /* at the last read */
	bool wants_scan;                          /* something unknown was seen */
	struct zh_top_reading reading;
};

/* By how much a total grew, per second; of a counter that went back (its device was made anew)
 * nothing is known. */
static inline double top_rate(uint64_t now, uint64_t then, uint64_t interval_ns)
{
	return interval_ns && now >= then ? (double)(now - then) * 1e9 / (double)interval_ns : -1;
}

/* map.c */
int top_map_take(struct top_map *map, struct zh_err *err);
void top_map_done(struct top_map *map);
/* "here", "netns blue", "pod shop/cart-7f"; "netns inode 402..." of one that is not known, and then
 * false. */
bool top_map_place(const struct top_map *map, uint64_t netns, char *buf, size_t size);
/* Index in map->path->map.netns, SIZE_MAX: not known. */
size_t top_map_netns(const struct top_map *map, uint64_t inode);
const struct path_link *top_map_peer(const struct top_map *map, uint64_t netns, uint32_t ifindex);

/* links.c: counters of all devices of all namespaces; sorted. */
int top_links_read(const struct top_map *map, struct top_links *ret, struct zh_err *err);
void top_links_done(struct top_links *links);
const struct top_link *top_links_find(
	const struct top_links *links, uint64_t netns, uint32_t ifindex);

/* settings.c: reads anew those of a few namespaces: where a device has none, and one in turn. */
void top_settings_refresh(struct zh_top *top, const struct top_links *links);
const struct top_setting *top_settings_find(
	const struct top_settings *settings, uint64_t netns, const char *name);

/* window.c: ends the window, or begins and ends one; and decides how the next one is. */
void top_window_take(struct zh_top *top);
void top_window_choose(struct zh_top *top);
/* flows.c: takes the flows that were counted since they were last taken. */
void top_flows_take(struct zh_top *top);

/* drops.c, flows.c, devices.c: fill the rest. Devices come last: they use the other two. */
int top_drops_read(struct zh_top *top, uint64_t interval_ns, struct zh_err *err);
int top_flows_read(struct zh_top *top, uint64_t interval_ns, struct zh_err *err);
/* `then`: the devices of the read before. */
int top_devices_read(struct zh_top *top, const struct top_links *then, struct zh_err *err);

/* owners.c: "pod shop/cart-7f", "redis-server (812)"; "" when nobody was found. The namespace is
 * that of the address; `near` is tried first. */
void top_owner_of(struct zh_top *top, uint64_t near, const struct zh_live_flow *flow, bool is_from,
	char *buf, size_t size);
