/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Who is at the ends of a flow. An address leads to a namespace, that to a pod, or else the port to
 * a socket and that to a process. Finding the process means looking at the descriptors of all
 * processes, so a read looks for few, and what was found is kept for a while.
 */
#include <arpa/inet.h>
#include <linux/inet_diag.h>
#include <linux/sock_diag.h>
#include <netinet/in.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/util.h"
#include "session/path/listener.h"
#include "session/top/internal.h"
#include "sys/netlink-attr.h"
#include "sys/netns.h"

#define KEEP_NS (10 * ZH_NSEC_PER_SEC)
#define SEARCHES 2 /* a read */

struct search {
	uint16_t port;
	uint32_t inode;
	bool is_listener;
};

static int on_socket(void *arg, const struct nlmsghdr *reply)
{
	struct search *search = arg;
	const struct inet_diag_msg *msg = zh_message_header(reply, sizeof(*msg));

	/* A connection is preferred to the socket that took it. */
	if (!msg || ntohs(msg->id.idiag_sport) != search->port || !msg->idiag_inode ||
		(search->inode && !search->is_listener))
		return 0;
	search->inode = msg->idiag_inode;
	search->is_listener = !msg->id.idiag_dport;
	return 0;
}

/* The socket with that local port, in the namespace that the thread is in. */
static uint32_t find_socket(uint8_t protocol, uint16_t port)
{
	static const uint8_t families[] = {AF_INET, AF_INET6};
	struct search search = {.port = port};
	struct inet_diag_req_v2 request = {.sdiag_protocol = protocol,
		.idiag_states = UINT32_MAX,
		.id.idiag_sport = htons(port)};
	zh_autonetlink *nl = NULL;

	if (zh_netlink_open(&nl, NETLINK_SOCK_DIAG, NULL) < 0)
		return 0;
	for (size_t i = 0; i < ZH_ARRAY_SIZE(families) && !search.inode; i++) {
		request.sdiag_family = families[i];
		zh_netlink_dump(nl, SOCK_DIAG_BY_FAMILY, &request, sizeof(request), on_socket,
			&search, NULL);
	}
	return search.inode;
}

static void find_process(const struct path *path, size_t netns, uint8_t protocol, uint16_t port,
	char *who, size_t size)
{
	zh_autoclose int fd = netns ? zh_netns_by_name(path->map.netns[netns].source, NULL) : -1;
	char process[32];
	uint32_t inode;
	long pid;

	who[0] = '\0';
	if (netns && (fd < 0 || zh_netns_enter(fd, NULL) < 0))
		return;
	inode = find_socket(protocol, port);
	if (netns)
		zh_netns_enter(path->places[0].netns_fd, NULL);
	pid = inode ? path_socket_holder(inode, process, sizeof(process)) : 0;
	if (pid)
		snprintf(who, size, "%s (%ld)", process, pid);
}

static struct top_owner *remembered(
	struct zh_top *top, uint64_t netns, uint8_t protocol, uint16_t port)
{
	for (size_t i = 0; i < top->n_owners; i++) {
		struct top_owner *owner = &top->owners[i];

		if (owner->netns == netns && owner->protocol == protocol && owner->port == port)
			return owner;
	}
	return NULL;
}

/* A free entry, or the oldest. */
static struct top_owner *entry(struct zh_top *top)
{
	struct top_owner *oldest = &top->owners[0];

	if (top->n_owners < TOP_OWNERS)
		return &top->owners[top->n_owners++];
	for (size_t i = 1; i < TOP_OWNERS; i++)
		if (top->owners[i].found_ns < oldest->found_ns)
			oldest = &top->owners[i];
	return oldest;
}

static void process_of(
	struct zh_top *top, size_t netns, uint8_t protocol, uint16_t port, char *buf, size_t size)
{
	uint64_t inode = top->map.path->map.netns[netns].inode, now = zh_now_ns();
	struct top_owner *owner = remembered(top, inode, protocol, port);

	if ((!owner || now - owner->found_ns > KEEP_NS) && top->searches < SEARCHES) {
		top->searches++;
		if (!owner)
			owner = entry(top);
		*owner = (struct top_owner){
			.netns = inode, .protocol = protocol, .port = port, .found_ns = now};
		find_process(top->map.path, netns, protocol, port, owner->who, sizeof(owner->who));
	}
	if (owner)
		snprintf(buf, size, "%s", owner->who);
}

void top_owner_of(struct zh_top *top, uint64_t near, const struct zh_live_flow *flow, bool is_from,
	char *buf, size_t size)
{
	const struct path *path = top->map.path;
	uint16_t port = is_from ? flow->from_port : flow->to_port;
	struct in6_addr ip;
	size_t netns;

	buf[0] = '\0';
	if (!path)
		return;
	memcpy(&ip, is_from ? flow->from : flow->to, sizeof(ip));
	netns = path_map_owner(&path->map, top_map_netns(&top->map, near),
		flow->family == 4 ? AF_INET : AF_INET6, &ip);
	if (netns == SIZE_MAX)
		return;
	if (netns && zh_pods_by_netns(&path->pods, path->map.netns[netns].inode)) {
		snprintf(buf, size, "%s", path->map.netns[netns].name);
		return;
	}
	if (port && (flow->protocol == IPPROTO_TCP || flow->protocol == IPPROTO_UDP))
		process_of(top, netns, flow->protocol, port, buf, size);
	if (!buf[0] && netns)
		top_map_place(&top->map, path->map.netns[netns].inode, buf, size);
}
