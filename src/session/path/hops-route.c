/* SPDX-License-Identifier: BSD-2-Clause */
/* Where routing sends the packet: as decided for the sender, and asked anew where it arrives. */
#include <arpa/inet.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <netinet/in.h>

#include "base/util.h"
#include "facts/read.h"
#include "session/path/hops.h"
#include "sys/netlink.h"
#include "sys/root.h"

/* Last, since it defines what netinet/in.h defines as well. */
#include <linux/netfilter.h>

/* "unicast by va, gateway 10.0.0.1" */
static void describe(char *buf, size_t size, const struct zh_route *route)
{
	snprintf(buf, size, "%s%s%s%s%s", route->type, route->oif[0] ? " by " : "", route->oif,
		route->gateway[0] ? ", gateway " : "", route->gateway);
}

static const char *place_key(char *buf, size_t size, const char *dev)
{
	char name[ZH_FACTS_NAME_MAX];

	snprintf(buf, size, "%s", zh_facts_name(name, sizeof(name), dev));
	return buf;
}

/* Who has to take it on the link, and that one's hardware address as far as it is known. */
static void aim(struct walk *w, const struct zh_route *route)
{
	static const char pattern[] = "neigh.*.ip";
	const struct zh_fact_set *facts = walk_facts(w);
	char ip[INET6_ADDRSTRLEN], device[ZH_FACTS_NAME_MAX], number[24];
	const struct zh_fact *fact;
	size_t pos = 0;

	w->next = w->flow.to;
	if (route->gateway[0])
		inet_pton(
			strchr(route->gateway, ':') ? AF_INET6 : AF_INET, route->gateway, &w->next);
	inet_ntop(route->gateway[0] && strchr(route->gateway, ':') ? AF_INET6 : w->flow.family,
		&w->next, ip, sizeof(ip));
	w->mac[0] = '\0';
	place_key(device, sizeof(device), route->oif);
	while ((fact = zh_fact_next(facts, pattern, &pos))) {
		const char *mac, *dev;

		if (!fact->text || strcmp(fact->text, ip) != 0)
			continue;
		zh_fact_part(number, sizeof(number), fact, pattern, 0);
		dev = zh_fact_text(facts, "neigh.%s.dev", number);
		mac = zh_fact_text(facts, "neigh.%s.lladdr", number);
		if (dev && mac && !strcmp(dev, device))
			snprintf(w->mac, sizeof(w->mac), "%s", mac);
	}
}

static void start_leg(struct walk *w, const struct zh_route *route)
{
	w->link = path_map_link(&w->p->map, w->p->places[w->place].netns, route->ifindex);
	if (!w->link) {
		hop_unseen(w, "the device %s is not in the list of devices", route->oif);
		hop_ends(w, "the device cannot be followed");
		return;
	}
	aim(w, route);
	w->step = WALK_SEND;
}

void hops_sent(struct walk *w)
{
	const struct path_way *way = &w->p->ways[w->way];
	char text[200];

	if (way->route.type)
		describe(text, sizeof(text), &way->route);
	hop_add(w, PATH_ROUTING, NULL, "%s",
		way->route.type ? text
		: way->refusal  ? "refused"
				: "not decided");
	if (way->rule[0])
		hop_note(w, "by the rule: %s", way->rule);
	if (way->refusal) {
		hop_ends(w, "%s", way->error);
	} else if (!way->route.type) {
		hop_unseen(w, "the kernel could not be asked");
		w->step = WALK_OVER;
	} else {
		start_leg(w, &way->route);
	}
}

static uint64_t setting(const struct walk *w, int version, const char *device, const char *key)
{
	uint64_t value = 0;

	zh_fact_get(walk_facts(w), &value, "devconf.%d.%s.%s", version, device, key);
	return value;
}

static int ask_here(struct walk *w, const struct zh_flow *flow, struct zh_route *ret,
	int *ret_errno, struct zh_err *err)
{
	zh_autonetlink *nl = NULL;
	int r = path_enter(w->p, w->place, err);

	if (r == 0)
		r = zh_netlink_open(&nl, NETLINK_ROUTE, err);
	return r < 0 ? r : zh_way_ask(nl, flow, ret, ret_errno, err);
}

static uint64_t proxy_setting(const char *kind, const char *device)
{
	uint64_t value = 1;

	zh_sys_read_u64(&value, "/proc/sys/net/%s/%s/%s", kind, device,
		strstr(kind, "ipv6") ? "proxy_ndp" : "proxy_arp");
	return value;
}

bool hops_is_answered(struct walk *w)
{
	static const struct in6_addr nobody;
	const char *kind = w->flow.family == AF_INET ? "ipv4/conf" : "ipv6/conf";
	const char *type = w->p->ways[w->way].route.type;
	struct zh_flow flow = {.family = w->flow.family, .to = w->next};
	struct zh_route route;
	struct zh_err err;
	int refusal, r;

	/* Groups are not asked for; and with a hardware address the frame comes, whoever it is for.
	 */
	if ((type && strcmp(type, "unicast") && strcmp(type, "local")) || w->mac[0] ||
		!memcmp(&w->next, &nobody, sizeof(nobody)) ||
		path_map_netns_has_address(&w->p->map, w->link->netns, w->flow.family, &w->next))
		return true;
	r = ask_here(w, &flow, &route, &refusal, &err);
	/* What is local by a route of that type is answered. */
	if (r < 0 || (r == 0 && strcmp(route.type, "unicast")))
		return true;
	return proxy_setting(kind, "all") || proxy_setting(kind, w->link->name);
}

/* Whether the way back to the source, on which rp_filter insists, leads elsewhere. Newer kernels
 * answer EINVAL for that as they do for a martian. */
static bool is_way_back_elsewhere(struct walk *w, const struct path_link *link, uint64_t rp_filter)
{
	struct zh_flow back = {.family = w->flow.family, .to = w->flow.from};
	struct zh_route route;
	struct zh_err err;
	int refusal, r;

	if (!rp_filter)
		return false;
	r = ask_here(w, &back, &route, &refusal, &err);
	if (r != 0)
		return r > 0;
	return !strcmp(route.type, "unicast") && rp_filter == 1 && route.ifindex != link->ifindex;
}

/* Sent from here it would be refused in the same way: that is the route, not how it came in. */
static bool is_black_hole(struct walk *w)
{
	struct zh_flow flow = w->flow;
	struct zh_route route;
	struct zh_err err;
	int refusal;

	flow.has_from = flow.has_uid = false;
	flow.iif = flow.oif = 0;
	return ask_here(w, &flow, &route, &refusal, &err) > 0 && refusal == EINVAL;
}

/* Why an arriving packet is refused: the errno of RTM_GETROUTE with a device it came in by. */
static void end_refused(struct walk *w, int refusal, const struct path_link *link)
{
	char device[ZH_FACTS_NAME_MAX];
	bool four = w->flow.family == AF_INET;
	uint64_t rp_filter;

	walk_device_key(device, link);
	rp_filter = setting(w, 4, device, "rp_filter_effective");
	if (refusal == EINVAL && is_black_hole(w))
		hop_ends(w, "a blackhole: it is thrown away, and nobody is told");
	else if (four && (refusal == EXDEV ||
				 (refusal == EINVAL && is_way_back_elsewhere(w, link, rp_filter))))
		hop_ends(w,
			"the source is not accepted: the way back does not lead by %s "
			"(rp_filter is %" PRIu64 ")",
			link->name, rp_filter);
	else if (four && refusal == EHOSTUNREACH && !setting(w, 4, device, "forwarding"))
		hop_ends(w, "not forwarded: net.ipv4.conf.%s.forwarding is 0", link->name);
	else if (four && refusal == EINVAL)
		hop_ends(w,
			"a martian: such a source or target may not come in by %s (accept_local "
			"is %" PRIu64 ", route_localnet is %" PRIu64 ")",
			link->name, setting(w, 4, device, "accept_local"),
			setting(w, 4, device, "route_localnet"));
	else
		hop_ends(w, "refused: %s", strerror(refusal));
}

void hops_rerouted(struct walk *w)
{
	struct zh_route route;
	struct zh_err err = {};
	char text[200];
	int refusal, r = ask_here(w, &w->flow, &route, &refusal, &err);

	w->is_renamed = false;
	if (r == 0)
		describe(text, sizeof(text), &route);
	hop_add(w, PATH_ROUTING, NULL, "asked again behind NAT: %s",
		r == 0  ? text
		: r > 0 ? "refused"
			: "not asked");
	if (r > 0) {
		hop_ends(w, "refused: %s", strerror(refusal));
	} else if (r < 0) {
		hop_unseen(w, "%s", err.text);
		w->step = WALK_OVER;
	} else {
		start_leg(w, &route);
	}
}

static void deliver(struct walk *w)
{
	hops_netfilter(w, NF_INET_LOCAL_IN);
	hops_deliver(w);
}

static void forward(struct walk *w, const struct zh_route *route, const struct path_link *link)
{
	char device[ZH_FACTS_NAME_MAX];

	walk_device_key(device, link);
	if (w->flow.family == AF_INET6 && !setting(w, 6, device, "forwarding")) {
		hop_ends(w, "not forwarded: net.ipv6.conf.%s.forwarding is 0", link->name);
		return;
	}
	hops_netfilter(w, NF_INET_FORWARD);
	hops_netfilter(w, NF_INET_POST_ROUTING);
	start_leg(w, route);
}

/* Asks as the kernel does for a packet that came in by a device. As zh_way_ask(). */
static int ask(struct walk *w, struct zh_route *ret, int *ret_errno, struct zh_err *err)
{
	struct zh_flow flow = w->flow;

	flow.iif = w->link->ifindex;
	flow.oif = 0;
	flow.has_uid = false;
	return ask_here(w, &flow, ret, ret_errno, err);
}

void hops_received(struct walk *w)
{
	const struct path_link *link = w->link;
	struct zh_route route;
	struct zh_err err = {};
	char text[200];
	int refusal, r;

	hops_netfilter(w, NF_INET_PRE_ROUTING);
	if (w->is_routed) {
		hop_add(w, PATH_ROUTING, NULL, "not asked again: the sender's decision is kept");
		deliver(w);
		return;
	}
	r = ask(w, &route, &refusal, &err);
	if (r == 0)
		describe(text, sizeof(text), &route);
	hop_add(w, PATH_ROUTING, NULL, "came in by %s: %s", link->name,
		r == 0  ? text
		: r > 0 ? "refused"
			: "not asked");
	if (r > 0) {
		end_refused(w, refusal, link);
	} else if (r < 0) {
		hop_unseen(w, "%s", err.text);
		w->step = WALK_OVER;
	} else if (!strcmp(route.type, "local") || !strcmp(route.type, "broadcast")) {
		deliver(w);
	} else if (!strcmp(route.type, "unicast")) {
		forward(w, &route, link);
	} else {
		hop_ends(w, "a route of type %s", route.type);
	}
}
