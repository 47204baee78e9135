/* SPDX-License-Identifier: BSD-2-Clause */
/* From one device to the next: back on lo, over a veth, into a bridge, or away. */
#include <arpa/inet.h>
#include <stdio.h>
#include <string.h>

#include "base/util.h"
#include "session/path/hops.h"

bool walk_move(struct walk *w, const struct path_link *link)
{
	struct path_place *place;
	char why[200] = "";

	place = path_place_of(w->p, link->netns, why, sizeof(why));
	if (!place) {
		hop_unseen(w, "%s", why);
		w->step = WALK_OVER;
		return false;
	}
	/* skb_scrub_packet(): what one namespace marked is not the other's business. */
	if ((size_t)(place - w->p->places) != w->place && w->flow.mark) {
		hop_note(w, "the mark 0x%x is taken off", w->flow.mark);
		w->flow.mark = 0;
	}
	w->place = (size_t)(place - w->p->places);
	w->link = link;
	w->step = WALK_ARRIVE;
	return true;
}

/* On lo and in a VRF a local packet comes straight back in, with its decision still on it. */
static void loop_back(struct walk *w)
{
	w->is_routed = true;
	w->step = WALK_ARRIVE;
}

static void wire(struct walk *w)
{
	char why[200] = "";
	const struct path_link *peer = path_link_other(w->p, w->link, why, sizeof(why));
	size_t n;

	if (!peer) {
		hop_add(w, PATH_WIRE, w->link, "to the other end of the veth pair");
		hop_unseen(w, "%s", why);
		w->step = WALK_OVER;
		return;
	}
	n = peer->netns;
	hop_add(w, PATH_WIRE, w->link, "to %s%s%s", peer->name, n == w->link->netns ? "" : " in ",
		n == w->link->netns ? "" : w->p->map.netns[n].name);
	if (!peer->is_up)
		hop_ends(w, "its other end %s is down", peer->name);
	else
		walk_move(w, peer);
}

/* Kinds that wrap packets and send them on, or hand them to a program. */
static const struct {
	const char *kind, *title;
} away[] = {
	{"", "to the network"},
	{"vxlan", "wrapped in VXLAN and sent on by the machine"},
	{"geneve", "wrapped in Geneve and sent on by the machine"},
	{"gre", "wrapped in GRE and sent on by the machine"},
	{"gretap", "wrapped in GRE and sent on by the machine"},
	{"ipip", "wrapped in IP and sent on by the machine"},
	{"sit", "wrapped in IPv4 and sent on by the machine"},
	{"ip6tnl", "wrapped in IPv6 and sent on by the machine"},
	{"wireguard", "encrypted by WireGuard and sent on by the machine"},
	{"tun", "to the program that holds the device"},
	{"bond", "by one of the bond's ports"},
	{"team", "by one of the team's ports"},
	{"vlan", "with a VLAN tag by the device below"},
	{"ipvlan", "by the device below, or to another ipvlan device"},
	{"ifb", "back to where it was taken from"},
	{"dummy", "nowhere: a dummy device throws everything away"},
};

static void leave(struct walk *w)
{
	const struct path_link *link = w->link;
	size_t i;

	for (i = 0; i < ZH_ARRAY_SIZE(away); i++)
		if (!strcmp(away[i].kind, link->kind))
			break;
	hop_add(w, PATH_LEAVES, link, "%s",
		i < ZH_ARRAY_SIZE(away) ? away[i].title : "to a device that is not known here");
	w->step = WALK_OVER;
	if (!strcmp(link->kind, "dummy"))
		hop_ends(w, "a dummy device throws everything away");
	else if (link->kind[0])
		hop_unseen(w, "what a device of kind %s does with it is not followed", link->kind);
}

static bool is_loopback(const struct walk *w, const struct path_link *link)
{
	const struct zh_route *route = &w->p->ways[w->way].route;

	return !strcmp(link->name, "lo") ||
	       (!strcmp(link->kind, "vrf") && route->type && !strcmp(route->type, "local"));
}

void hops_leave(struct walk *w)
{
	const struct path_link *link = w->link, *child = NULL;

	if (is_loopback(w, link)) {
		loop_back(w);
		return;
	}
	child = walk_child(w, link);
	if (child) {
		hop_add(w, PATH_LEAVES, link, "to the network, by the parent of %s", child->name);
		hop_ends(w,
			"a macvlan device cannot be reached from its own parent: %s has the "
			"address, and sits on %s",
			child->name, link->name);
	} else if (!strcmp(link->kind, "veth")) {
		wire(w);
	} else if (!strcmp(link->kind, "bridge")) {
		w->port = NULL;
		w->step = WALK_FORWARD;
	} else if (!strcmp(link->kind, "macvlan") || !strcmp(link->kind, "macvtap")) {
		hops_macvlan(w);
	} else {
		leave(w);
	}
}

enum walk_step hops_next(struct walk *w)
{
	const struct path_link *link = w->link;
	const struct path_link *master =
		path_map_link(path_map_take(w->p), link->netns, link->master);
	char ip[INET6_ADDRSTRLEN];

	if (w->step == WALK_OVER)
		return WALK_OVER;
	if (master && !strcmp(master->kind, "bridge")) {
		w->port = link;
		w->link = master;
		return WALK_FORWARD;
	}
	if (!path_map_has_address(&w->p->map, link, w->flow.family, &w->next) && hops_to_child(w))
		return w->step;
	if (hops_is_answered(w))
		return WALK_UP;
	inet_ntop(w->flow.family, &w->next, ip, sizeof(ip));
	hop_ends(w, "nobody here answers %s for %s",
		w->flow.family == AF_INET ? "ARP" : "neighbour discovery", ip);
	return WALK_OVER;
}
