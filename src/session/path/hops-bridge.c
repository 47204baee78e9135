/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Through a bridge: which port leads to the next one. The bridge's own table knows addresses that
 * have sent something; before that it floods, and the port is found by who has the address.
 */
#include <linux/if_bridge.h>
#include <linux/neighbour.h>
#include <linux/rtnetlink.h>
#include <stdio.h>
#include <string.h>

#include "base/util.h"
#include "session/path/hops.h"
#include "sys/netlink-attr.h"

struct fdb {
	const struct path_link *bridge;
	uint8_t mac[6];
	unsigned int port; /* 0: not known */
	bool is_own;       /* the bridge's, or a port's own */
};

static int on_entry(void *arg, const struct nlmsghdr *reply)
{
	struct fdb *fdb = arg;
	const struct ndmsg *header = zh_message_header(reply, sizeof(*header));
	const struct nlattr *attrs[NDA_MAX + 1];

	if (!header)
		return 0;
	zh_attrs_of(attrs, NDA_MAX, reply, sizeof(*header));
	if (zh_attr_u32(attrs[NDA_MASTER], 0) != fdb->bridge->ifindex ||
		zh_attr_len(attrs[NDA_LLADDR]) != sizeof(fdb->mac) ||
		memcmp(zh_attr_data(attrs[NDA_LLADDR]), fdb->mac, sizeof(fdb->mac)) != 0)
		return 0;
	fdb->port = (unsigned int)header->ndm_ifindex;
	fdb->is_own = header->ndm_state & NUD_PERMANENT;
	return 0;
}

static bool parse_mac(const char *text, uint8_t *ret)
{
	return sscanf(text, "%hhx:%hhx:%hhx:%hhx:%hhx:%hhx", &ret[0], &ret[1], &ret[2], &ret[3],
		       &ret[4], &ret[5]) == 6;
}

/* Asks the bridge's table, in its namespace, where the thread then is. */
static void ask_table(struct walk *w, struct fdb *fdb)
{
	struct ndmsg header = {.ndm_family = AF_BRIDGE};
	zh_autonetlink *nl = NULL;
	struct zh_err err;

	if (!parse_mac(w->mac, fdb->mac) || path_enter(w->p, w->place, &err) < 0 ||
		zh_netlink_open(&nl, NETLINK_ROUTE, &err) < 0)
		return;
	zh_netlink_dump(nl, RTM_GETNEIGH, &header, sizeof(header), on_entry, fdb, &err);
}

/* Whether who is looked for is right behind a port: the veth's other end, or a macvlan child on it.
 */
static bool is_behind(struct walk *w, const struct path_link *port)
{
	const struct path_link *peer;
	char why[200];

	if (strcmp(port->kind, "veth") != 0)
		return false;
	peer = path_link_other(w->p, port, why, sizeof(why));
	return peer && (path_map_has_address(&w->p->map, peer, w->flow.family, &w->next) ||
			       walk_child(w, peer));
}

static const struct path_link *find_port(
	struct walk *w, const struct path_link *bridge, const struct fdb *fdb)
{
	const struct path_map *map = &w->p->map;
	size_t i;

	if (fdb->port)
		return path_map_link(map, bridge->netns, fdb->port);
	for (i = 0; i < map->n_links; i++) {
		const struct path_link *link = &map->links[i];

		if (link->netns == bridge->netns && link->master == bridge->ifindex &&
			is_behind(w, link))
			return link;
	}
	return NULL;
}

/* `ip_hooks`: those of IP that br_netfilter lets such frames pass. */
static void note_settings(struct walk *w, const struct path_link *bridge, const char *ip_hooks)
{
	bool six = w->flow.family == AF_INET6;
	uint64_t all = 0, hooks = 0, n;
	static const char *const names[] = {"prerouting", "forward", "postrouting"};
	size_t i;

	zh_fact_get(walk_facts(w), &all, "sysctl.net/bridge/bridge-nf-call-%s",
		six ? "ip6tables" : "iptables");
	if (all || (six ? bridge->nf_call6 : bridge->nf_call4))
		hop_note(w, "br_netfilter: passes IP's %s of this namespace too", ip_hooks);
	for (i = 0; i < ZH_ARRAY_SIZE(names); i++)
		if (zh_fact_get(walk_facts(w), &n, "nfhook.bridge.%s.count", names[i]))
			hooks += n;
	if (hooks)
		hop_note(w, "%llu functions at the bridge family's hooks",
			(unsigned long long)hooks);
	if (bridge->stp)
		hop_note(w, "spanning tree is on");
	if (bridge->vlan_filtering)
		hop_note(w, "VLAN filtering is on: ports of other VLANs are not looked at here");
}

/* br_forward(): what keeps a frame from a port. */
static bool is_kept(struct walk *w, const struct path_link *in, const struct path_link *out)
{
	if (in == out && !in->hairpin)
		hop_ends(w, "it would go back out of %s, and hairpin mode is off", in->name);
	else if (in && in->isolated && out->isolated)
		hop_ends(w, "%s and %s are both isolated ports", in->name, out->name);
	else if (out->port_state != BR_STATE_FORWARDING)
		hop_ends(w, "the port %s does not forward (spanning tree state %u)", out->name,
			out->port_state);
	else
		return false;
	return true;
}

static void up(struct walk *w, const struct path_link *bridge)
{
	hop_add(w, PATH_BRIDGE, bridge, "for the bridge itself: up to IP");
	note_settings(w, bridge, "prerouting hook");
	w->step = WALK_UP;
}

void hops_bridge(struct walk *w)
{
	const struct path_link *bridge = w->link, *in = w->port, *out;
	struct fdb fdb = {.bridge = bridge};

	path_map_take(w->p);
	if (in && in->port_state != BR_STATE_FORWARDING) {
		hop_add(w, PATH_BRIDGE, bridge, "by the port %s", in->name);
		hop_ends(w, "the port %s does not forward (spanning tree state %u)", in->name,
			in->port_state);
		return;
	}
	ask_table(w, &fdb);
	if (in && (fdb.is_own ||
			  path_map_has_address(&w->p->map, bridge, w->flow.family, &w->next))) {
		up(w, bridge);
		return;
	}
	out = find_port(w, bridge, &fdb);
	hop_add(w, PATH_BRIDGE, bridge, "%s%s%s", in ? in->name : "from here", " to ",
		out ? out->name : "all ports");
	note_settings(
		w, bridge, in ? "prerouting, forward and postrouting hooks" : "postrouting hook");
	if (!out) {
		hop_unseen(w, "the bridge has not learnt who has the address, and no namespace "
			      "that was found has it: it floods");
		w->step = WALK_OVER;
		return;
	}
	if (!fdb.port)
		hop_note(w, "not learnt yet: the first packet is flooded to every port");
	if (is_kept(w, in, out))
		return;
	w->link = out;
	w->step = WALK_SEND;
}
