/* SPDX-License-Identifier: BSD-2-Clause */
#include "facts/route-reply.h"

#include <linux/rtnetlink.h>
#include <stdio.h>
#include <string.h>

#include "base/util.h"
#include "sys/netlink-attr.h"
#include "sys/netlink.h"

static const char *const types[] = {[RTN_UNSPEC] = "none",
	[RTN_UNICAST] = "unicast",
	[RTN_LOCAL] = "local",
	[RTN_BROADCAST] = "broadcast",
	[RTN_ANYCAST] = "anycast",
	[RTN_MULTICAST] = "multicast",
	[RTN_BLACKHOLE] = "blackhole",
	[RTN_UNREACHABLE] = "unreachable",
	[RTN_PROHIBIT] = "prohibit",
	[RTN_THROW] = "throw",
	[RTN_NAT] = "nat"};

static const char *scope_name(uint8_t scope)
{
	switch (scope) {
	case RT_SCOPE_UNIVERSE:
		return "global";
	case RT_SCOPE_SITE:
		return "site";
	case RT_SCOPE_LINK:
		return "link";
	case RT_SCOPE_HOST:
		return "host";
	case RT_SCOPE_NOWHERE:
		return "nowhere";
	default:
		return "other";
	}
}

bool zh_route_read(struct zh_route *ret, const struct nlmsghdr *reply)
{
	const struct rtmsg *header = zh_message_header(reply, sizeof(*header));
	const struct nlattr *attrs[RTA_MAX + 1], *metrics[RTAX_MTU + 1];
	char ip[INET6_ADDRSTRLEN];

	*ret = (struct zh_route){};
	if (!header || (header->rtm_family != AF_INET && header->rtm_family != AF_INET6))
		return false;
	zh_attrs_of(attrs, RTA_MAX, reply, sizeof(*header));
	if (attrs[RTA_DST])
		snprintf(ret->dst, sizeof(ret->dst), "%s/%u", zh_attr_ip(attrs[RTA_DST], ip),
			header->rtm_dst_len);
	else
		snprintf(ret->dst, sizeof(ret->dst), "default");
	zh_attr_ip(attrs[RTA_GATEWAY], ret->gateway);
	zh_attr_ip(attrs[RTA_PREFSRC], ret->src);
	ret->ifindex = zh_attr_u32(attrs[RTA_OIF], 0);
	if (ret->ifindex)
		zh_netlink_ifname(ret->oif, ret->ifindex);
	zh_attrs_nested(metrics, RTAX_MTU, attrs[RTA_METRICS]);
	ret->mtu = zh_attr_u32(metrics[RTAX_MTU], 0);
	ret->type = header->rtm_type < ZH_ARRAY_SIZE(types) ? types[header->rtm_type] : "other";
	ret->scope = scope_name(header->rtm_scope);
	ret->table = zh_attr_u32(attrs[RTA_TABLE], header->rtm_table);
	ret->metric = zh_attr_u32(attrs[RTA_PRIORITY], 0);
	ret->protocol = header->rtm_protocol;
	return true;
}
