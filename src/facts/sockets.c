/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Sockets: totals by protocol, accept queues of TCP listeners, and UDP sockets that hold or dropped
 * datagrams. Asked for by state through inet_diag; /proc/net/tcp is never walked, which takes
 * seconds on a busy machine.
 */
#include <arpa/inet.h>
#include <linux/inet_diag.h>
#include <linux/sock_diag.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/util.h"
#include "facts/facts.h"
#include "facts/netlink-facts.h"
#include "facts/read.h"
#include "facts/sockets.h"
#include "sys/netlink-attr.h"
#include "sys/root.h"

#define LISTED_MAX 256
#define TCP_LISTEN_STATE 10
#define UDP_SEEN_MAX 4096

/* "TCP: inuse 4 orphan 0 tw 2 alloc 5 mem 1" */
static void add_totals(struct zh_fact_set *set, const char *file)
{
	char text[2048], *cursor = text, *line, part[ZH_FACTS_NAME_MAX];
	int r = zh_sys_read(text, sizeof(text), "%s/%s", zh_facts_net(), file);
	uint64_t value;

	if (r < 0) {
		zh_facts_missing(set, r, file, "%s", file);
		return;
	}
	while ((line = zh_facts_line(&cursor))) {
		const char *protocol = zh_facts_word(&line, ": "), *name;

		if (!protocol)
			continue;
		zh_facts_name(part, sizeof(part), protocol);
		while ((name = zh_facts_word(&line, " ")))
			if (zh_facts_parse(zh_facts_word(&line, " "), 10, &value))
				zh_fact_number(set, value, "sockstat.%s.%s", part, name);
	}
}

int zh_facts_listener_reply(void *arg, const struct nlmsghdr *reply)
{
	struct zh_facts_walk *walk = arg;
	struct zh_listeners *listeners = walk->more;
	const struct inet_diag_msg *msg = zh_message_header(reply, sizeof(*msg));
	struct zh_listener *listener;

	if (!msg)
		return 0;
	walk->n++;
	listeners->full += msg->idiag_rqueue > msg->idiag_wqueue;
	if (listeners->n == ZH_LISTENERS_MAX)
		return 0;
	listener = &listeners->list[listeners->n++];
	*listener = (struct zh_listener){
		.family = msg->idiag_family == AF_INET6 ? 6 : 4,
		.port = ntohs(msg->id.idiag_sport),
		.queue = msg->idiag_rqueue,
		.backlog = msg->idiag_wqueue,
		.uid = msg->idiag_uid,
		.inode = msg->idiag_inode,
	};
	inet_ntop(listener->family == 6 ? AF_INET6 : AF_INET, msg->id.idiag_src, listener->ip,
		sizeof(listener->ip));
	return 0;
}

/* The fuller queue first; equal ones by port, so that the order is the same next time. */
static int fuller(const void *a, const void *b)
{
	const struct zh_listener *x = a, *y = b;
	uint64_t x_share = (uint64_t)x->queue * (y->backlog + 1ull);
	uint64_t y_share = (uint64_t)y->queue * (x->backlog + 1ull);

	if (x_share != y_share)
		return x_share > y_share ? -1 : 1;
	return x->port != y->port ? x->port - y->port : x->family - y->family;
}

static void add_listeners(struct zh_fact_set *set, struct zh_listeners *listeners)
{
	size_t i;

	qsort(listeners->list, listeners->n, sizeof(listeners->list[0]), fuller);
	for (i = 0; i < listeners->n && i < LISTED_MAX; i++) {
		const struct zh_listener *listener = &listeners->list[i];

		zh_fact_string(set, listener->ip, "listen.%zu.addr", i);
		zh_fact_number(set, listener->port, "listen.%zu.port", i);
		zh_fact_number(set, (uint64_t)listener->family, "listen.%zu.family", i);
		zh_fact_number(set, listener->queue, "listen.%zu.queue", i);
		zh_fact_number(set, listener->backlog, "listen.%zu.backlog", i);
		zh_fact_number(set, listener->uid, "listen.%zu.uid", i);
		zh_fact_number(set, listener->inode, "listen.%zu.inode", i);
	}
}

static int dump_sockets(struct zh_netlink *nl, int family, int protocol, uint32_t states,
	uint8_t ext, int (*f)(void *arg, const struct nlmsghdr *reply), void *arg,
	struct zh_err *err)
{
	struct inet_diag_req_v2 request = {.sdiag_family = (uint8_t)family,
		.sdiag_protocol = (uint8_t)protocol,
		.idiag_ext = ext,
		.idiag_states = states};

	return zh_netlink_dump(nl, SOCK_DIAG_BY_FAMILY, &request, sizeof(request), f, arg, err);
}

static void collect_listeners(struct zh_fact_set *set, struct zh_netlink *nl)
{
	struct zh_listeners *listeners = calloc(1, sizeof(*listeners));
	struct zh_facts_walk walk = {.set = set, .more = listeners};
	struct zh_err err;

	if (!listeners) {
		zh_fact_unavailable(set, "out of memory", "listen");
		return;
	}
	if (dump_sockets(nl, AF_INET, IPPROTO_TCP, 1u << TCP_LISTEN_STATE, 0,
		    zh_facts_listener_reply, &walk, &err) < 0 ||
		dump_sockets(nl, AF_INET6, IPPROTO_TCP, 1u << TCP_LISTEN_STATE, 0,
			zh_facts_listener_reply, &walk, &err) < 0) {
		zh_facts_refused(set, &err, "list of listeners", "listen");
	} else {
		zh_fact_number(set, walk.n, "listen.count");
		zh_fact_number(set, listeners->full, "listen.full");
		add_listeners(set, listeners);
		if (walk.n > LISTED_MAX)
			zh_facts_truncated(set, "listen", LISTED_MAX, walk.n, "listeners");
	}
	free(listeners);
}

/* Only sockets with datagrams waiting or lost; INET_DIAG_SKMEMINFO is an array of u32. */
int zh_facts_udp_reply(void *arg, const struct nlmsghdr *reply)
{
	struct zh_facts_walk *walk = arg;
	const struct inet_diag_msg *msg = zh_message_header(reply, sizeof(*msg));
	const struct nlattr *attrs[INET_DIAG_SKMEMINFO + 1];
	uint32_t memory[SK_MEMINFO_DROPS + 1];
	char ip[INET6_ADDRSTRLEN], prefix[32];

	if (!msg)
		return 0;
	if (walk->n++ >= UDP_SEEN_MAX)
		return 1;
	zh_attrs_of(attrs, INET_DIAG_SKMEMINFO, reply, sizeof(*msg));
	zh_attr_copy(attrs[INET_DIAG_SKMEMINFO], memory, sizeof(memory));
	if ((!msg->idiag_rqueue && !memory[SK_MEMINFO_DROPS]) || walk->listed >= LISTED_MAX)
		return 0;
	walk->listed++;
	snprintf(prefix, sizeof(prefix), "udpsock.%u", msg->idiag_inode);
	inet_ntop(msg->idiag_family == AF_INET6 ? AF_INET6 : AF_INET, msg->id.idiag_src, ip,
		sizeof(ip));
	zh_fact_string(walk->set, ip, "%s.addr", prefix);
	zh_fact_number(walk->set, ntohs(msg->id.idiag_sport), "%s.port", prefix);
	zh_fact_number(walk->set, msg->idiag_rqueue, "%s.queue_bytes", prefix);
	zh_fact_number(walk->set, memory[SK_MEMINFO_RCVBUF], "%s.rcvbuf_bytes", prefix);
	zh_fact_number(walk->set, memory[SK_MEMINFO_DROPS], "%s.drops_pkts", prefix);
	return 0;
}

static void collect_udp(struct zh_fact_set *set)
{
	static const int families[] = {AF_INET, AF_INET6};
	struct zh_facts_walk walk = {.set = set};
	struct zh_err err;
	size_t i;
	int r;

	for (i = 0; i < ZH_ARRAY_SIZE(families); i++) {
		zh_autonetlink *nl = zh_facts_netlink(set, NETLINK_SOCK_DIAG, "udpsock");

		if (!nl)
			return;
		r = dump_sockets(nl, families[i], IPPROTO_UDP, UINT32_MAX,
			1u << (INET_DIAG_SKMEMINFO - 1), zh_facts_udp_reply, &walk, &err);
		if (r < 0) {
			zh_facts_refused(set, &err, "list of UDP sockets", "udpsock");
			return;
		}
		if (r == 2)
			zh_fact_string(
				set, "more UDP sockets than were looked at", "truncated.udpsock");
	}
}

static void collect(struct zh_fact_set *set)
{
	zh_autonetlink *nl = NULL;

	add_totals(set, "sockstat");
	add_totals(set, "sockstat6");
	nl = zh_facts_netlink(set, NETLINK_SOCK_DIAG, "listen");
	if (nl) {
		collect_listeners(set, nl);
		collect_udp(set);
	}
}

static const struct zh_fact_schema schema[] = {
	{"sockstat.*.*", ZH_FACT_NUMBER, "count",
		"sockets of a protocol by state; mem is in pages"},
	{"sockstat", ZH_FACT_UNAVAILABLE, "", "why the totals could not be read"},
	{"sockstat6", ZH_FACT_UNAVAILABLE, "", "why the totals of IPv6 could not be read"},
	{"listen.count", ZH_FACT_NUMBER, "count", "TCP listeners"},
	{"listen.full", ZH_FACT_NUMBER, "count", "of which so many take no further connection"},
	{"listen.*.addr", ZH_FACT_STRING, "", "address of a listener, the fullest first"},
	{"listen.*.port", ZH_FACT_NUMBER, "", "its port"},
	{"listen.*.family", ZH_FACT_NUMBER, "", "4 or 6"},
	{"listen.*.queue", ZH_FACT_NUMBER, "count", "connections that wait to be accepted"},
	{"listen.*.backlog", ZH_FACT_NUMBER, "count", "as many may wait"},
	{"listen.*.uid", ZH_FACT_NUMBER, "", "its user"},
	{"listen.*.inode", ZH_FACT_NUMBER, "", "number of the socket"},
	{"listen", ZH_FACT_UNAVAILABLE, "", "why the listeners could not be listed"},
	{"udpsock.*.addr", ZH_FACT_STRING, "", "address of a UDP socket with a queue or losses"},
	{"udpsock.*.port", ZH_FACT_NUMBER, "", "its port"},
	{"udpsock.*.queue_bytes", ZH_FACT_NUMBER, "bytes", "waiting to be read"},
	{"udpsock.*.rcvbuf_bytes", ZH_FACT_NUMBER, "bytes", "as much may wait"},
	{"udpsock.*.drops_pkts", ZH_FACT_NUMBER, "pkts", "datagrams it lost"},
	{"udpsock", ZH_FACT_UNAVAILABLE, "", "why UDP sockets could not be listed"},
	{NULL},
};

const struct zh_fact_group zh_fact_group_sockets = {
	.id = "sockets",
	.summary = "socket totals, accept queues and UDP losses",
	.schema = schema,
	.collect = collect,
};
