/* SPDX-License-Identifier: BSD-2-Clause */
#include "session/path/route-table.h"

#include <arpa/inet.h>
#include <errno.h>
#include <linux/rtnetlink.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "facts/read.h"

/* facts/routes.c lists at most so many of the local table, and leaves broadcast, multicast and
 * anycast out. */
#define LOCAL_MAX 256

static int version(int family)
{
	return family == AF_INET ? 4 : 6;
}

static bool parse_prefix(const char *text, int family, struct path_route *ret)
{
	char ip[INET6_ADDRSTRLEN];
	size_t len = strcspn(text, "/");
	uint64_t bits;

	if (!strcmp(text, "default"))
		return true;
	if (len >= sizeof(ip) || !text[len] || !zh_facts_parse(text + len + 1, 10, &bits) ||
		bits > 128)
		return false;
	memcpy(ip, text, len);
	ip[len] = '\0';
	ret->len = (uint8_t)bits;
	return inet_pton(family, ip, &ret->dst) == 1;
}

static bool read_route(const struct path_routes *routes, const char *number, struct path_route *ret)
{
	const struct zh_fact_set *facts = routes->facts;
	int v = version(routes->family);
	const char *dst = zh_fact_text(facts, "route.%d.%s.dst", v, number);
	uint64_t table;

	*ret = (struct path_route){.type = zh_fact_text(facts, "route.%d.%s.type", v, number),
		.gateway = zh_fact_text(facts, "route.%d.%s.gateway", v, number),
		.dev = zh_fact_text(facts, "route.%d.%s.oif", v, number)};
	if (!dst || !ret->type || !zh_fact_get(facts, &table, "route.%d.%s.table", v, number) ||
		!parse_prefix(dst, routes->family, ret))
		return false;
	ret->table = (uint32_t)table;
	zh_fact_get(facts, &ret->metric, "route.%d.%s.metric", v, number);
	return true;
}

int path_routes_read(struct path_routes *ret, const struct zh_fact_set *facts, int family)
{
	char pattern[24], number[24];
	const struct zh_fact *fact;
	size_t pos = 0, n = 0;
	uint64_t count;

	*ret = (struct path_routes){.facts = facts, .family = family};
	if (!zh_fact_get(facts, &count, "route.%d.count", version(family)))
		return -ENODATA;
	snprintf(pattern, sizeof(pattern), "route.%d.*.dst", version(family));
	while (zh_fact_next(facts, pattern, &pos))
		n++;
	ret->list = calloc(n + 1, sizeof(*ret->list));
	if (!ret->list)
		return -ENOMEM;
	for (pos = 0; (fact = zh_fact_next(facts, pattern, &pos));) {
		zh_fact_part(number, sizeof(number), fact, pattern, 0);
		ret->n += read_route(ret, number, &ret->list[ret->n]);
	}
	return 0;
}

void path_routes_done(struct path_routes *routes)
{
	free(routes->list);
}

static bool covers(const struct path_route *route, const struct in6_addr *to)
{
	unsigned int bytes = route->len / 8, bits = route->len % 8;
	uint8_t mask = (uint8_t)(0xff00u >> bits);

	return !memcmp(&route->dst, to, bytes) &&
	       !(bits && ((route->dst.s6_addr[bytes] ^ to->s6_addr[bytes]) & mask));
}

static bool is_better(const struct path_route *route, const struct path_route *best)
{
	return !best || route->len > best->len ||
	       (route->len == best->len && route->metric < best->metric);
}

/* Whether all routes of the table that can matter are in the facts. */
static bool is_whole(const struct path_routes *routes, uint32_t table)
{
	uint64_t all = 0;
	size_t listed = 0, i;

	if (!zh_fact_get(routes->facts, &all, "route.%d.table.%u.routes", version(routes->family),
		    table))
		return true;
	if (table == RT_TABLE_LOCAL)
		return all <= LOCAL_MAX;
	for (i = 0; i < routes->n; i++)
		listed += routes->list[i].table == table;
	return listed >= all;
}

enum path_lookup path_routes_find(const struct path_routes *routes, uint32_t table,
	const struct in6_addr *to, const struct path_route **ret)
{
	const struct path_route *best = NULL;
	size_t i;

	for (i = 0; i < routes->n; i++) {
		const struct path_route *route = &routes->list[i];

		if (route->table == table && covers(route, to) && is_better(route, best))
			best = route;
	}
	*ret = best;
	if (!is_whole(routes, table))
		return PATH_LOOKUP_UNKNOWN;
	return best ? PATH_LOOKUP_FOUND : PATH_LOOKUP_NONE;
}
