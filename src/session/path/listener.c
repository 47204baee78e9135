/* SPDX-License-Identifier: BSD-2-Clause */
#include "session/path/listener.h"

#include <linux/inet_diag.h>
#include <linux/sock_diag.h>
#include <netlink/msg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/util.h"
#include "sys/netlink-attr.h"
#include "sys/root.h"

/* net/tcp_states.h */
enum { STATE_LISTEN = 10, STATE_CLOSE = 7 };

struct search {
	const struct zh_flow *flow;
	unsigned int ifindex;
	struct path_listener *ret;
	int best; /* how well the best one so far matches, 0: none */
};

static bool is_any(const void *ip, int family)
{
	static const uint8_t none[16];

	return !memcmp(ip, none, family == AF_INET ? 4 : 16);
}

/* IPv4 on an IPv6 socket: ::ffff:a.b.c.d, or any address unless the socket is IPv6 only. */
static int rate_six_for_four(const struct inet_diag_msg *msg, const struct zh_flow *flow, bool only)
{
	static const uint8_t mapped[12] = {[10] = 0xff, [11] = 0xff};

	if (only)
		return 0;
	if (is_any(msg->id.idiag_src, AF_INET6))
		return 1;
	return !memcmp(msg->id.idiag_src, mapped, sizeof(mapped)) &&
			       !memcmp(&msg->id.idiag_src[3], &flow->to, 4)
		       ? 4
		       : 0;
}

/* 0: takes none of the flow's packets; more is a better match, as compute_score() of the kernel
 * has it. */
static int rate(const struct search *search, const struct inet_diag_msg *msg, bool only_six)
{
	const struct zh_flow *flow = search->flow;
	int score = 0;

	if (ntohs(msg->id.idiag_sport) != flow->to_port || msg->id.idiag_dport)
		return 0;
	if (msg->id.idiag_if && msg->id.idiag_if != search->ifindex)
		return 0;
	if (msg->idiag_family != flow->family && flow->family == AF_INET)
		score = rate_six_for_four(msg, flow, only_six);
	else if (msg->idiag_family != flow->family)
		return 0;
	else if (is_any(msg->id.idiag_src, flow->family))
		score = 2;
	else if (!memcmp(msg->id.idiag_src, &flow->to, flow->family == AF_INET ? 4 : 16))
		score = 4;
	return score ? score + (msg->id.idiag_if ? 8 : 0) : 0;
}

static int on_socket(void *arg, const struct nlmsghdr *reply)
{
	struct search *search = arg;
	const struct inet_diag_msg *msg = zh_message_header(reply, sizeof(*msg));
	const struct nlattr *attrs[INET_DIAG_SKV6ONLY + 1];
	int score;

	if (!msg)
		return 0;
	zh_attrs_of(attrs, INET_DIAG_SKV6ONLY, reply, sizeof(*msg));
	score = rate(search, msg, zh_attr_u8(attrs[INET_DIAG_SKV6ONLY], 0));
	if (score <= search->best)
		return 0;
	search->best = score;
	*search->ret = (struct path_listener){.inode = msg->idiag_inode,
		.uid = msg->idiag_uid,
		.queue = msg->idiag_rqueue,
		.backlog = msg->idiag_wqueue};
	return 0;
}

int path_listener_find(struct path_listener *ret, const struct zh_flow *flow, unsigned int ifindex,
	struct zh_err *err)
{
	static const int families[] = {AF_INET, AF_INET6};
	struct search search = {.flow = flow, .ifindex = ifindex, .ret = ret};
	struct inet_diag_req_v2 request = {.sdiag_protocol = flow->protocol,
		.idiag_states = 1u << (flow->protocol == IPPROTO_TCP ? STATE_LISTEN : STATE_CLOSE)};
	zh_autonetlink *nl = NULL;
	size_t i;
	int r = zh_netlink_open(&nl, NETLINK_SOCK_DIAG, err);

	*ret = (struct path_listener){};
	for (i = 0; r >= 0 && i < 2; i++) {
		request.sdiag_family = (uint8_t)families[i];
		r = zh_netlink_dump(nl, SOCK_DIAG_BY_FAMILY, &request, sizeof(request), on_socket,
			&search, err);
	}
	if (r < 0)
		return r;
	if (!search.best)
		return 1;
	ret->pid = path_socket_holder(ret->inode, ret->process, sizeof(ret->process));
	return 0;
}

struct holder {
	char wanted[32]; /* "socket:[123]" */
	long pid;
};

static int look_at_descriptor(void *arg, const char *name)
{
	const struct holder *holder = arg;
	char target[64];

	return zh_sys_readlink(target, sizeof(target), "/proc/%ld/fd/%s", holder->pid, name) > 0 &&
	       !strcmp(target, holder->wanted);
}

static int look_at_process(void *arg, const char *name)
{
	struct holder *holder = arg;
	char *end;

	holder->pid = strtol(name, &end, 10);
	if (*end || holder->pid <= 0)
		return 0;
	return zh_sys_list(look_at_descriptor, holder, "/proc/%ld/fd", holder->pid) == 1;
}

long path_socket_holder(uint32_t inode, char *process, size_t size)
{
	struct holder holder = {};

	process[0] = '\0';
	snprintf(holder.wanted, sizeof(holder.wanted), "socket:[%u]", inode);
	if (!inode || zh_sys_list(look_at_process, &holder, "/proc") != 1)
		return 0;
	if (zh_sys_read(process, size, "/proc/%ld/comm", holder.pid) < 0)
		snprintf(process, size, "?");
	return holder.pid;
}
