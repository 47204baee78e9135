/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <linux/if_addr.h>
#include <linux/if_bridge.h>
#include <linux/if_link.h>
#include <linux/net_namespace.h>
#include <linux/rtnetlink.h>
#include <net/if.h>
#include <netlink/msg.h>
#include <string.h>

#include "base/grow.h"
#include "base/util.h"
#include "session/path/map.h"
#include "sys/netlink-attr.h"

#define LINKS_MAX 16384
#define ADDRESSES_MAX 32768

struct walk {
	struct path_map *map;
	size_t netns;
};

static void read_bridge(struct path_link *link, const struct nlattr *data)
{
	const struct nlattr *attrs[IFLA_BR_MAX + 1];

	zh_attrs_nested(attrs, IFLA_BR_MAX, data);
	link->nf_call4 = zh_attr_u8(attrs[IFLA_BR_NF_CALL_IPTABLES], 0);
	link->nf_call6 = zh_attr_u8(attrs[IFLA_BR_NF_CALL_IP6TABLES], 0);
	link->vlan_filtering = zh_attr_u8(attrs[IFLA_BR_VLAN_FILTERING], 0);
	link->stp = zh_attr_u32(attrs[IFLA_BR_STP_STATE], 0) != 0;
}

static void read_port(struct path_link *link, const struct nlattr *data)
{
	const struct nlattr *attrs[IFLA_BRPORT_MAX + 1];

	zh_attrs_nested(attrs, IFLA_BRPORT_MAX, data);
	link->port_state = zh_attr_u8(attrs[IFLA_BRPORT_STATE], BR_STATE_FORWARDING);
	link->hairpin = zh_attr_u8(attrs[IFLA_BRPORT_MODE], 0);
	link->isolated = zh_attr_u8(attrs[IFLA_BRPORT_ISOLATED], 0);
}

static void read_kind(struct path_link *link, const struct nlattr *info)
{
	const struct nlattr *attrs[IFLA_INFO_MAX + 1], *data[IFLA_MACVLAN_MAX + 1];
	char slave[32];

	zh_attrs_nested(attrs, IFLA_INFO_MAX, info);
	zh_attr_string(attrs[IFLA_INFO_KIND], link->kind, sizeof(link->kind));
	zh_attr_string(attrs[IFLA_INFO_SLAVE_KIND], slave, sizeof(slave));
	if (!strcmp(link->kind, "macvlan") || !strcmp(link->kind, "macvtap")) {
		zh_attrs_nested(data, IFLA_MACVLAN_MAX, attrs[IFLA_INFO_DATA]);
		link->macvlan_mode = zh_attr_u32(data[IFLA_MACVLAN_MODE], 0);
	} else if (!strcmp(link->kind, "bridge")) {
		read_bridge(link, attrs[IFLA_INFO_DATA]);
	}
	if (!strcmp(slave, "bridge"))
		read_port(link, attrs[IFLA_INFO_SLAVE_DATA]);
}

static int on_link(void *arg, const struct nlmsghdr *reply)
{
	struct walk *walk = arg;
	const struct ifinfomsg *header = zh_message_header(reply, sizeof(*header));
	const struct nlattr *attrs[IFLA_MAX + 1];
	struct path_map *map = walk->map;
	struct path_link *link;

	if (!header)
		return 0;
	link = zh_grow(
		(void **)&map->links, &map->n_links, &map->max_links, sizeof(*link), LINKS_MAX);
	if (!link)
		return 1;
	zh_attrs_of(attrs, IFLA_MAX, reply, sizeof(*header));
	link->netns = walk->netns;
	link->ifindex = (unsigned int)header->ifi_index;
	link->is_up = header->ifi_flags & IFF_UP;
	link->link = zh_attr_u32(attrs[IFLA_LINK], 0);
	link->master = zh_attr_u32(attrs[IFLA_MASTER], 0);
	link->nsid =
		attrs[IFLA_LINK_NETNSID] ? (int64_t)zh_attr_u32(attrs[IFLA_LINK_NETNSID], 0) : -1;
	zh_attr_string(attrs[IFLA_IFNAME], link->name, sizeof(link->name));
	link->has_mac = zh_attr_len(attrs[IFLA_ADDRESS]) == sizeof(link->mac) &&
			zh_attr_copy(attrs[IFLA_ADDRESS], link->mac, sizeof(link->mac)) > 0;
	read_kind(link, attrs[IFLA_LINKINFO]);
	return 0;
}

static int on_address(void *arg, const struct nlmsghdr *reply)
{
	struct walk *walk = arg;
	const struct ifaddrmsg *header = zh_message_header(reply, sizeof(*header));
	const struct nlattr *attrs[IFA_MAX + 1], *ip;
	struct path_map *map = walk->map;
	struct path_address *address;

	if (!header || (header->ifa_family != AF_INET && header->ifa_family != AF_INET6))
		return 0;
	zh_attrs_of(attrs, IFA_MAX, reply, sizeof(*header));
	ip = attrs[attrs[IFA_LOCAL] ? IFA_LOCAL : IFA_ADDRESS];
	if (zh_attr_len(ip) != (header->ifa_family == AF_INET ? 4 : 16))
		return 0;
	address = zh_grow((void **)&map->addresses, &map->n_addresses, &map->max_addresses,
		sizeof(*address), ADDRESSES_MAX);
	if (!address)
		return 1;
	address->netns = walk->netns;
	address->ifindex = header->ifa_index;
	address->family = header->ifa_family;
	memcpy(&address->ip, zh_attr_data(ip), zh_attr_len(ip));
	return 0;
}

int path_map_collect(struct path_map *map, size_t netns, struct zh_err *err)
{
	struct ifinfomsg links = {.ifi_family = AF_UNSPEC};
	struct ifaddrmsg addresses = {.ifa_family = AF_UNSPEC};
	struct walk walk = {.map = map, .netns = netns};
	zh_autonetlink *nl = NULL, *other = NULL;
	int r = zh_netlink_open(&nl, NETLINK_ROUTE, err);

	if (r >= 0)
		r = zh_netlink_open(&other, NETLINK_ROUTE, err);
	/* A socket each, since the list of links may be left half read. */
	if (r >= 0)
		r = zh_netlink_dump(nl, RTM_GETLINK, &links, sizeof(links), on_link, &walk, err);
	if (r >= 0)
		r = zh_netlink_dump(
			other, RTM_GETADDR, &addresses, sizeof(addresses), on_address, &walk, err);
	return r < 0 ? r : 0;
}

static int on_nsid(void *arg, const struct nlmsghdr *reply)
{
	const struct nlattr *attrs[NETNSA_MAX + 1];

	zh_attrs_of(attrs, NETNSA_MAX, reply, sizeof(struct rtgenmsg));
	if (attrs[NETNSA_NSID])
		*(int64_t *)arg = (int32_t)zh_attr_u32(attrs[NETNSA_NSID], UINT32_MAX);
	return 0;
}

int64_t path_map_nsid(struct zh_netlink *nl, int netns_fd)
{
	struct rtgenmsg header = {.rtgen_family = AF_UNSPEC};
	struct nl_msg *msg = zh_netlink_message(RTM_GETNSID, 0, &header, sizeof(header));
	int64_t nsid = -1;
	struct zh_err err;

	if (msg)
		nla_put_u32(msg, NETNSA_FD, (uint32_t)netns_fd);
	return zh_netlink_ask(nl, msg, on_nsid, &nsid, &err) < 0 ? -1 : nsid;
}
