/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Routes: how many each table holds, and those that can bear on local traffic: all of the tables
 * that somebody made (bounded), the beginning of main, and the local table's entries for loopback
 * and own addresses.
 */
#include <arpa/inet.h>
#include <linux/rtnetlink.h>
#include <net/if.h>
#include <stdio.h>
#include <string.h>

#include "base/util.h"
#include "facts/facts.h"
#include "facts/netlink-facts.h"
#include "facts/read.h"
#include "facts/route-reply.h"
#include "facts/route-tables.h"
#include "sys/netlink-attr.h"
#include "sys/root.h"

#define SEEN_MAX 20000 /* a table with more (a full BGP feed) is not read to its end */
#define LISTED_MAX 2000
#define MAIN_MAX 256
#define LOCAL_MAX 256
static uint64_t count_table(struct zh_route_tables *tables, uint32_t table)
{
	size_t i;

	for (i = 0; i < tables->n; i++)
		if (tables->table[i].table == table)
			return ++tables->table[i].routes;
	if (tables->n == ZH_ROUTE_TABLES_MAX)
		return 1;
	tables->table[tables->n].table = table;
	tables->table[tables->n++].routes = 1;
	return 1;
}

/* `nth`: which route of its table this is, from 1. */
static bool is_listed(const struct zh_route *route, uint64_t nth)
{
	if (route->table == RT_TABLE_MAIN || route->table == RT_TABLE_DEFAULT)
		return nth <= MAIN_MAX;
	if (route->table == RT_TABLE_LOCAL)
		return nth <= LOCAL_MAX && strcmp(route->type, "broadcast") &&
		       strcmp(route->type, "multicast") && strcmp(route->type, "anycast");
	return true;
}

static void list_route(struct zh_fact_set *set, const struct zh_route *route, const char *prefix)
{
	zh_fact_string(set, route->dst, "%s.dst", prefix);
	zh_fact_number(set, route->table, "%s.table", prefix);
	zh_fact_string(set, route->type, "%s.type", prefix);
	zh_fact_string(set, route->scope, "%s.scope", prefix);
	zh_fact_number(set, route->protocol, "%s.proto", prefix);
	zh_fact_number(set, route->metric, "%s.metric", prefix);
	if (route->oif[0])
		zh_fact_string(set, route->oif, "%s.oif", prefix);
	if (route->gateway[0])
		zh_fact_string(set, route->gateway, "%s.gateway", prefix);
	if (route->src[0])
		zh_fact_string(set, route->src, "%s.src", prefix);
}

int zh_facts_route_reply(void *arg, const struct nlmsghdr *reply)
{
	struct zh_facts_walk *walk = arg;
	struct zh_route route;
	char prefix[48];
	uint64_t nth;

	if (!zh_route_read(&route, reply))
		return 0;
	if (walk->n >= SEEN_MAX)
		return 1;
	walk->n++;
	nth = count_table(walk->more, route.table);
	if (!is_listed(&route, nth) || walk->listed >= LISTED_MAX)
		return 0;
	snprintf(prefix, sizeof(prefix), "route.%d.%zu", walk->family, walk->listed++);
	list_route(walk->set, &route, prefix);
	return 0;
}

static void collect_family(struct zh_fact_set *set, int family)
{
	struct rtmsg header = {.rtm_family = family == 4 ? AF_INET : AF_INET6};
	struct zh_route_tables tables = {.n = 0};
	struct zh_facts_walk walk = {.set = set, .family = family, .more = &tables};
	zh_autonetlink *nl = NULL;
	struct zh_err err;
	char key[16];
	size_t i;
	int r;

	snprintf(key, sizeof(key), "route.%d", family);
	nl = zh_facts_netlink(set, NETLINK_ROUTE, key);
	if (!nl)
		return;
	r = zh_netlink_dump(
		nl, RTM_GETROUTE, &header, sizeof(header), zh_facts_route_reply, &walk, &err);
	if (r < 0) {
		zh_facts_refused(set, &err, "list of routes", key);
		return;
	}
	zh_fact_number(set, walk.n, "%s.count", key);
	for (i = 0; i < tables.n; i++)
		zh_fact_number(set, tables.table[i].routes, "%s.table.%u.routes", key,
			tables.table[i].table);
	if (r == 2)
		zh_fact_string(set, "more routes than were read", "truncated.routes");
	else if (walk.listed == LISTED_MAX)
		zh_facts_truncated(set, "routes", LISTED_MAX, walk.n, "routes");
}

static void collect(struct zh_fact_set *set)
{
	collect_family(set, 4);
	collect_family(set, 6);
}

static const struct zh_fact_schema schema[] = {
	{"route.*.count", ZH_FACT_NUMBER, "count", "routes of the family, all tables"},
	{"route.*.table.*.routes", ZH_FACT_NUMBER, "count", "routes of a table"},
	{"route.*.*.dst", ZH_FACT_STRING, "", "destination, or default"},
	{"route.*.*.table", ZH_FACT_NUMBER, "", "its table: 254 main, 255 local"},
	{"route.*.*.type", ZH_FACT_STRING, "", "unicast, local, blackhole, ..."},
	{"route.*.*.scope", ZH_FACT_STRING, "", "global, link, host, nowhere"},
	{"route.*.*.proto", ZH_FACT_NUMBER, "", "who made it: 2 kernel, 3 boot, 4 administrator"},
	{"route.*.*.metric", ZH_FACT_NUMBER, "", "preference; lower is better"},
	{"route.*.*.oif", ZH_FACT_STRING, "", "device"},
	{"route.*.*.gateway", ZH_FACT_STRING, "", "next hop"},
	{"route.*.*.src", ZH_FACT_STRING, "", "source address to prefer"},
	{"route.*", ZH_FACT_UNAVAILABLE, "", "why the routes could not be read"},
	{NULL},
};

const struct zh_fact_group zh_fact_group_routes = {
	.id = "routes",
	.summary = "routes of every table",
	.schema = schema,
	.collect = collect,
};
