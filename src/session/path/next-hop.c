/* SPDX-License-Identifier: BSD-2-Clause */
#include "session/path/next-hop.h"

#include <arpa/inet.h>
#include <linux/neighbour.h>
#include <linux/rtnetlink.h>
#include <stdio.h>
#include <string.h>

#include "base/util.h"
#include "facts/read.h"
#include "sys/netlink-attr.h"

struct search {
	char ip[INET6_ADDRSTRLEN];
	unsigned int ifindex;
	bool is_missing;
};

static int look(void *arg, const struct nlmsghdr *reply)
{
	struct search *search = arg;
	const struct ndmsg *header = zh_message_header(reply, sizeof(*header));
	const struct nlattr *attrs[NDA_MAX + 1];
	char ip[INET6_ADDRSTRLEN];

	if (!header || (unsigned int)header->ndm_ifindex != search->ifindex)
		return 0;
	zh_attrs_of(attrs, NDA_MAX, reply, sizeof(*header));
	if (strcmp(zh_attr_ip(attrs[NDA_DST], ip), search->ip))
		return 0;
	search->is_missing = header->ndm_state & (NUD_INCOMPLETE | NUD_FAILED);
	return 1;
}

/* Back to where the requests come from. */
static void turn_round(const struct path_way *way, struct zh_flow *flow)
{
	flow->to = way->flow.from;
	if (!way->flow.has_from)
		inet_pton(flow->family, way->route.src, &flow->to);
	flow->to_port = 0;
}

/* Without a link-local address that is known to be its own a device does not even ask. */
static bool is_tentative(const struct zh_fact_set *facts, const char *device)
{
	char pattern[ZH_FACTS_NAME_MAX + 32], name[ZH_FACTS_NAME_MAX], number[24];
	const struct zh_fact *fact;
	const char *ip;
	size_t pos = 0;

	zh_facts_name(name, sizeof(name), device);
	snprintf(pattern, sizeof(pattern), "addr.%s.*.tentative", name);
	while (facts && (fact = zh_fact_next(facts, pattern, &pos))) {
		zh_fact_part(number, sizeof(number), fact, pattern, 0);
		ip = zh_fact_text(facts, "addr.%s.%s.ip", name, number);
		if (fact->type == ZH_FACT_NUMBER && fact->number && ip && !strncmp(ip, "fe80", 4))
			return true;
	}
	return false;
}

bool path_neighbour_is_missing(
	struct path *p, size_t way, size_t place, bool is_reply, char *buf, size_t size)
{
	struct zh_flow flow = p->ways[way].flow;
	const struct ndmsg header = {.ndm_family = (uint8_t)flow.family};
	zh_autonetlink *nl = NULL;
	struct zh_route route;
	struct search search = {};
	int refusal;

	if (is_reply)
		turn_round(&p->ways[way], &flow);
	if (place || is_reply)
		flow.has_from = flow.has_uid = false;
	if (path_enter(p, place, NULL) < 0 || zh_netlink_open(&nl, NETLINK_ROUTE, NULL) < 0 ||
		zh_way_ask(nl, &flow, &route, &refusal, NULL) != 0)
		return false;
	search.ifindex = route.ifindex;
	inet_ntop(flow.family, &flow.to, search.ip, sizeof(search.ip));
	if (route.gateway[0])
		snprintf(search.ip, sizeof(search.ip), "%s", route.gateway);
	zh_netlink_dump(nl, RTM_GETNEIGH, &header, sizeof(header), look, &search, NULL);
	if (search.is_missing && flow.family == AF_INET6 &&
		is_tentative(p->places[place].facts, route.oif))
		snprintf(buf, size, "duplicate address detection is not over on %.20s", route.oif);
	else if (search.is_missing)
		snprintf(buf, size, "nobody answers %s for %s",
			strchr(search.ip, ':') ? "neighbour discovery" : "ARP", search.ip);
	return search.is_missing;
}
