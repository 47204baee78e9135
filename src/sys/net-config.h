/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Setting up a network namespace through rtnetlink: links, veth pairs, addresses, routes, rules and
 * the tbf qdisc. Made for namespaces that this program created itself; nothing here looks at the
 * caller's own namespace unless its fd is given.
 *
 * All functions return 0 or a negative errno with err set. Names are device names; addresses are
 * numeric, IPv4 or IPv6, with a prefix length where the text below says so.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"

/* An rtnetlink connection into one namespace. */
struct zh_netcfg;

/* netns_fd -1: the calling thread's namespace. The caller stays where it is. */
int zh_netcfg_open(int netns_fd, struct zh_netcfg **ret, struct zh_err *err);
struct zh_netcfg *zh_netcfg_close(struct zh_netcfg *cfg);

int zh_netcfg_link_up(struct zh_netcfg *cfg, const char *name, bool up, struct zh_err *err);
int zh_netcfg_link_del(struct zh_netcfg *cfg, const char *name, struct zh_err *err);
/* A veth pair, both ends down; the peer is born in peer_netns_fd (-1: beside the first). */
int zh_netcfg_veth_add(struct zh_netcfg *cfg, const char *name, const char *peer, int peer_netns_fd,
	struct zh_err *err);
int zh_netcfg_bridge_add(struct zh_netcfg *cfg, const char *name, struct zh_err *err);
/* A macvlan child in bridge mode of `parent`, which is in cfg's namespace; born in netns_fd (-1:
 * beside the parent). */
int zh_netcfg_macvlan_add(struct zh_netcfg *cfg, const char *name, const char *parent, int netns_fd,
	struct zh_err *err);
/* Makes the device a port of the bridge. */
int zh_netcfg_master_set(
	struct zh_netcfg *cfg, const char *name, const char *master, struct zh_err *err);
/* The index of a device, > 0, or a negative errno. */
int zh_netcfg_ifindex(struct zh_netcfg *cfg, const char *name, struct zh_err *err);

/* "10.77.0.1/24". IPv6 addresses skip duplicate address detection: usable at once. */
int zh_netcfg_address_add(
	struct zh_netcfg *cfg, const char *name, const char *address, struct zh_err *err);

struct zh_netcfg_route {
	const char *to;     /* "127.0.0.1/32" */
	const char *via;    /* gateway, or NULL: directly on the device */
	const char *device; /* never NULL */
	uint32_t table;     /* 0: main */
};
int zh_netcfg_route_add(
	struct zh_netcfg *cfg, const struct zh_netcfg_route *route, struct zh_err *err);

enum zh_netcfg_action {
	ZH_NETCFG_LOOKUP, /* in `table` */
	ZH_NETCFG_BLACKHOLE,
	ZH_NETCFG_UNREACHABLE,
	ZH_NETCFG_PROHIBIT,
};

struct zh_netcfg_rule {
	uint32_t priority;
	const char *to;      /* "127.0.0.1/32", or NULL: everything (then IPv4) */
	const char *from;    /* source prefix of the same family, or NULL */
	uint8_t ip_protocol; /* IPPROTO_ICMP, ..., 0: any */
	enum zh_netcfg_action action;
	uint32_t table; /* RT_TABLE_LOCAL, ... for ZH_NETCFG_LOOKUP */
	uint32_t mark;  /* 0: any */
	bool has_uid;
	uint32_t uid;
};
int zh_netcfg_rule_add(
	struct zh_netcfg *cfg, const struct zh_netcfg_rule *rule, struct zh_err *err);
int zh_netcfg_rule_del(
	struct zh_netcfg *cfg, const struct zh_netcfg_rule *rule, struct zh_err *err);

struct zh_netcfg_tbf {
	uint32_t rate; /* bytes per second */
	uint32_t burst_bytes;
	uint32_t limit_bytes; /* of the queue */
};
/* As the device's root qdisc. */
int zh_netcfg_tbf_add(struct zh_netcfg *cfg, const char *name, const struct zh_netcfg_tbf *tbf,
	struct zh_err *err);
int zh_netcfg_root_qdisc_del(struct zh_netcfg *cfg, const char *name, struct zh_err *err);

/* Sets a sysctl of the namespace, "net/ipv4/ip_forward". -ENOENT: this kernel has none of that
 * name.
 */
int zh_netcfg_sysctl_set(int netns_fd, const char *name, const char *value, struct zh_err *err);

/*
 * Runs f(arg) inside a namespace, on a thread of its own that ends afterwards, and returns what f
 * returned. For library calls that act on the namespace of whoever calls them.
 */
int zh_netns_call(int netns_fd, int (*f)(void *arg), void *arg, struct zh_err *err);
