/* SPDX-License-Identifier: BSD-2-Clause */
#include "facts/way.h"

#include <errno.h>
#include <linux/rtnetlink.h>
#include <netlink/msg.h>
#include <string.h>

#include "base/util.h"

static int read_route(void *arg, const struct nlmsghdr *reply)
{
	zh_route_read(arg, reply);
	return 0;
}

static int address_len(const struct zh_flow *flow)
{
	return flow->family == AF_INET ? 4 : 16;
}

static void put_selectors(struct nl_msg *msg, const struct zh_flow *flow)
{
	int len = address_len(flow);

	nla_put(msg, RTA_DST, len, &flow->to);
	if (flow->has_from)
		nla_put(msg, RTA_SRC, len, &flow->from);
	if (flow->iif)
		nla_put_u32(msg, RTA_IIF, flow->iif);
	if (flow->oif)
		nla_put_u32(msg, RTA_OIF, flow->oif);
	if (flow->mark)
		nla_put_u32(msg, RTA_MARK, flow->mark);
	if (flow->has_uid)
		nla_put_u32(msg, RTA_UID, flow->uid);
	if (flow->protocol)
		nla_put_u8(msg, RTA_IP_PROTO, flow->protocol);
	if (flow->from_port)
		nla_put_u16(msg, RTA_SPORT, htons(flow->from_port));
	if (flow->to_port)
		nla_put_u16(msg, RTA_DPORT, htons(flow->to_port));
}

/* What the kernel's routing says of a flow. Anything else is a question that it did not accept,
 * as is EINVAL with an explanation: a blackhole has none. */
static bool is_answer(int r, const struct zh_err *err)
{
	switch (-r) {
	case EINVAL:
		return !strchr(err->text, '(');
	case ENETUNREACH:
	case EHOSTUNREACH:
	case EACCES:
	case EXDEV:
	case ENETDOWN:
	case EADDRNOTAVAIL:
		return true;
	default:
		return false;
	}
}

int zh_way_ask(struct zh_netlink *nl, const struct zh_flow *flow, struct zh_route *ret,
	int *ret_errno, struct zh_err *err)
{
	struct rtmsg header = {.rtm_family = (unsigned char)flow->family,
		.rtm_dst_len = (unsigned char)(8 * address_len(flow)),
		.rtm_src_len = (unsigned char)(flow->has_from ? 8 * address_len(flow) : 0),
		/* IPv6 says the table unasked, and refuses the flag. */
		.rtm_flags = flow->family == AF_INET ? RTM_F_LOOKUP_TABLE : 0};
	struct nl_msg *msg = zh_netlink_message(RTM_GETROUTE, 0, &header, sizeof(header));
	struct zh_err own;
	int r;

	*ret = (struct zh_route){};
	*ret_errno = 0;
	if (msg)
		put_selectors(msg, flow);
	r = zh_netlink_ask(nl, msg, read_route, ret, &own);
	if (r < 0 && is_answer(r, &own)) {
		*ret_errno = -r;
		return 1;
	}
	if (r < 0) {
		if (err)
			*err = own;
		return r;
	}
	if (!ret->type)
		return zh_err_set(err, -EBADMSG, "the kernel's answer holds no route");
	return 0;
}
