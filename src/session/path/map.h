/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The network namespaces of this machine with their devices and addresses: enough to find the other
 * end of a veth, the children of a macvlan parent, and who has an address. Taken once a run.
 */
#pragma once

#include <netinet/in.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "sys/netlink.h"

#define PATH_NETNS_MAX 256
#define PATH_NAME_MAX 112

struct path_netns {
	uint64_t inode;
	char source[96]; /* for zh_netns_by_name(): a name or a path; "" for the first */
	/* "here", "pod shop/cart-7f", "netns NAME", "the host", "pid 123 (redis)" */
	char name[PATH_NAME_MAX];
	long pid;     /* that of the source, 0: it has a name */
	size_t place; /* number of the place, SIZE_MAX: the way does not touch it */
};

struct path_link {
	size_t netns;
	unsigned int ifindex;
	unsigned int link;   /* veth peer, or device below; 0: none */
	unsigned int master; /* bridge, bond ...; 0: none */
	int64_t nsid;        /* of the namespace that `link` is in, -1: this one */
	char name[64], kind[32];
	uint8_t mac[6];
	bool has_mac, is_up;
	uint32_t macvlan_mode;
	/* of a bridge port */
	uint8_t port_state;
	bool hairpin, isolated;
	/* of a bridge */
	bool nf_call4, nf_call6, vlan_filtering, stp;
};

struct path_address {
	size_t netns;
	unsigned int ifindex;
	int family;
	struct in6_addr ip; /* the first 4 bytes for IPv4 */
};

struct path_map {
	struct path_netns netns[PATH_NETNS_MAX]; /* 0 is where the packet starts */
	size_t n_netns;
	struct path_link *links; /* owned */
	size_t n_links, max_links;
	struct path_address *addresses; /* owned */
	size_t n_addresses, max_addresses;
	bool is_taken;
	char refused[200]; /* why other namespaces were not looked at, or "" */
};

/* map-collect.c: the devices and addresses of the thread's namespace, as number `netns`. */
int path_map_collect(struct path_map *map, size_t netns, struct zh_err *err);
/* Which number a namespace (an open fd) has in that of `nl`; -1: none, or it cannot be asked. */
int64_t path_map_nsid(struct zh_netlink *nl, int netns_fd);

/* The namespace with that inode, SIZE_MAX: not known. */
size_t path_map_netns(const struct path_map *map, uint64_t inode);
/* The namespace that has the address, `near` first, for an address may be in several (127.0.0.1);
 * SIZE_MAX: none, and no `near`. */
size_t path_map_owner(
	const struct path_map *map, size_t near, int family, const struct in6_addr *ip);
const struct path_link *path_map_link(
	const struct path_map *map, size_t netns, unsigned int ifindex);
bool path_map_has_address(const struct path_map *map, const struct path_link *link, int family,
	const struct in6_addr *ip);
/* Whether any device of the namespace has it. */
bool path_map_netns_has_address(
	const struct path_map *map, size_t netns, int family, const struct in6_addr *ip);
