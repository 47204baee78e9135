/* SPDX-License-Identifier: BSD-2-Clause */
/* Longest-prefix look-up in a routing table of the facts. */
#pragma once

#include <netinet/in.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "record/fact-set.h"

struct path_route {
	uint32_t table;
	uint64_t metric;
	struct in6_addr dst;
	uint8_t len;         /* bits */
	const char *type;    /* owned by the facts */
	const char *gateway; /* or NULL */
	const char *dev;     /* or NULL */
};

struct path_routes {
	const struct zh_fact_set *facts;
	int family;
	struct path_route *list; /* owned */
	size_t n;
};

/* All routes of a family (AF_). 0 or a negative errno: they are not in the facts, or no memory. */
int path_routes_read(struct path_routes *ret, const struct zh_fact_set *facts, int family);
void path_routes_done(struct path_routes *routes);

enum path_lookup { PATH_LOOKUP_NONE, PATH_LOOKUP_FOUND, PATH_LOOKUP_UNKNOWN };

/* The route that `table` has for an address. UNKNOWN: the facts do not hold the whole table, so
 * that a better route may be there. */
enum path_lookup path_routes_find(const struct path_routes *routes, uint32_t table,
	const struct in6_addr *to, const struct path_route **ret);
