/* SPDX-License-Identifier: BSD-2-Clause */
#include "session/path/nat.h"

#include <linux/netfilter/nfnetlink.h>
#include <linux/netfilter/nfnetlink_conntrack.h>
#include <string.h>

#include "base/util.h"
#include "sys/netlink-attr.h"
#include "sys/netlink.h"

/* One direction of a tracked connection. */
struct tuple {
	bool has_addresses;
	struct in6_addr from, to;
	uint16_t from_port, to_port; /* of echoes their id, in both */
	uint8_t protocol;
};

struct search {
	const struct zh_flow *flow;
	uint16_t id;
	bool is_source, is_found;
	uint32_t timeout; /* of the best one so far */
	struct path_translation *ret;
};

static void read_addresses(struct tuple *ret, const struct nlattr *ip, int family)
{
	const struct nlattr *attrs[CTA_IP_MAX + 1];
	const struct nlattr *from, *to;
	size_t len = family == AF_INET ? 4 : 16;

	zh_attrs_nested(attrs, CTA_IP_MAX, ip);
	from = attrs[family == AF_INET ? CTA_IP_V4_SRC : CTA_IP_V6_SRC];
	to = attrs[family == AF_INET ? CTA_IP_V4_DST : CTA_IP_V6_DST];
	ret->has_addresses = zh_attr_len(from) == len && zh_attr_len(to) == len;
	if (!ret->has_addresses)
		return;
	memcpy(&ret->from, zh_attr_data(from), len);
	memcpy(&ret->to, zh_attr_data(to), len);
}

static void read_tuple(struct tuple *ret, const struct nlattr *nest, int family)
{
	const struct nlattr *attrs[CTA_TUPLE_MAX + 1], *proto[CTA_PROTO_MAX + 1];
	uint16_t id;

	*ret = (struct tuple){};
	zh_attrs_nested(attrs, CTA_TUPLE_MAX, nest);
	zh_attrs_nested(proto, CTA_PROTO_MAX, attrs[CTA_TUPLE_PROTO]);
	read_addresses(ret, attrs[CTA_TUPLE_IP], family);
	ret->protocol = zh_attr_u8(proto[CTA_PROTO_NUM], 0);
	id = zh_attr_be16(proto[CTA_PROTO_ICMP_ID], zh_attr_be16(proto[CTA_PROTO_ICMPV6_ID], 0));
	ret->from_port = zh_attr_be16(proto[CTA_PROTO_SRC_PORT], id);
	ret->to_port = zh_attr_be16(proto[CTA_PROTO_DST_PORT], id);
}

static bool is_same(const struct zh_flow *flow, const struct in6_addr *a, const struct in6_addr *b)
{
	return !memcmp(a, b, flow->family == AF_INET ? 4 : 16);
}

static bool has_ports(const struct zh_flow *flow)
{
	return flow->protocol == IPPROTO_TCP || flow->protocol == IPPROTO_UDP;
}

/* `there` as it was sent, `back` as answers to it must look. */
static bool is_wanted(
	const struct search *search, const struct tuple *there, const struct tuple *back)
{
	const struct zh_flow *flow = search->flow;
	const struct in6_addr *to = search->is_source ? &back->from : &there->to;
	uint16_t to_port = search->is_source ? back->from_port : there->to_port;

	return there->has_addresses && back->has_addresses && there->protocol == flow->protocol &&
	       is_same(flow, to, &flow->to) &&
	       (!flow->has_from || is_same(flow, &there->from, &flow->from)) &&
	       (!has_ports(flow) || !flow->to_port || to_port == flow->to_port) &&
	       (!search->id || there->from_port == search->id);
}

static void take(struct search *search, const struct tuple *there, const struct tuple *back)
{
	struct path_translation *ret = search->ret;
	bool ports = has_ports(search->flow);

	*ret = (struct path_translation){.to = back->from, .from = back->to};
	ret->is_target = !is_same(search->flow, &back->from, &there->to) ||
			 (ports && back->from_port != there->to_port);
	ret->is_source = !is_same(search->flow, &back->to, &there->from) ||
			 (ports && back->to_port != there->from_port);
	ret->to_port = ports && back->from_port != there->to_port ? back->from_port : 0;
	ret->from_port = back->to_port != there->from_port ? back->to_port : 0;
}

static int on_connection(void *arg, const struct nlmsghdr *reply)
{
	struct search *search = arg;
	const struct nlattr *attrs[CTA_MAX + 1];
	struct tuple there, back;
	uint32_t timeout;

	zh_attrs_of(attrs, CTA_MAX, reply, sizeof(struct nfgenmsg));
	read_tuple(&there, attrs[CTA_TUPLE_ORIG], search->flow->family);
	read_tuple(&back, attrs[CTA_TUPLE_REPLY], search->flow->family);
	timeout = zh_attr_be32(attrs[CTA_TIMEOUT], 0);
	if (!is_wanted(search, &there, &back) || (search->is_found && timeout < search->timeout))
		return 0;
	search->is_found = true;
	search->timeout = timeout;
	take(search, &there, &back);
	return 0;
}

int path_nat_find(const struct zh_flow *flow, uint16_t id, bool is_source,
	struct path_translation *ret, struct zh_err *err)
{
	struct nfgenmsg header = {.nfgen_family = (uint8_t)flow->family, .version = NFNETLINK_V0};
	struct search search = {.flow = flow, .id = id, .is_source = is_source, .ret = ret};
	zh_autonetlink *nl = NULL;
	int r = zh_netlink_open(&nl, NETLINK_NETFILTER, err);

	*ret = (struct path_translation){};
	if (r >= 0)
		r = zh_netlink_dump(nl, NFNL_SUBSYS_CTNETLINK << 8 | IPCTNL_MSG_CT_GET, &header,
			sizeof(header), on_connection, &search, err);
	return r < 0 ? r : !search.is_found;
}
