/* SPDX-License-Identifier: BSD-2-Clause */
/* A route as the kernel describes it, in a dump and in the answer to a look-up. */
#pragma once

#include <linux/netlink.h>
#include <netinet/in.h>
#include <stdbool.h>
#include <stdint.h>

struct zh_route {
	char dst[INET6_ADDRSTRLEN + 8]; /* "default", "10.0.0.0/8" */
	char gateway[INET6_ADDRSTRLEN], src[INET6_ADDRSTRLEN];
	char oif[64];     /* device, "" without one */
	uint32_t ifindex; /* its number, 0 without one */
	uint32_t mtu;     /* the route's own, 0: the device's */
	const char *type; /* "unicast", "local", ... */
	const char *scope;
	uint32_t table, metric;
	uint8_t protocol;
};

/* Takes a message apart; false when it is no route. */
bool zh_route_read(struct zh_route *ret, const struct nlmsghdr *reply);
