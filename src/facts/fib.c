/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Which way the kernel itself would send a packet to 127.0.0.1, ::1 and the machine's own
 * addresses. Asked with the protocol of the packet: a rule that selects by protocol is invisible to
 * a question without one.
 */
#include <arpa/inet.h>
#include <linux/if_addr.h>
#include <linux/rtnetlink.h>
#include <stdio.h>
#include <string.h>

#include "base/util.h"
#include "facts/facts.h"
#include "facts/netlink-facts.h"
#include "facts/read.h"
#include "facts/way.h"
#include "sys/netlink-attr.h"
#include "sys/root.h"

#define OWN_MAX 16

static const struct {
	int family;
	const char *name;
	uint8_t protocol;
} questions[] = {
	{4, "icmp", IPPROTO_ICMP},
	{4, "udp", IPPROTO_UDP},
	{4, "tcp", IPPROTO_TCP},
	{6, "icmp", IPPROTO_ICMPV6},
	{6, "udp", IPPROTO_UDP},
	{6, "tcp", IPPROTO_TCP},
};

struct own {
	struct {
		int family; /* AF_ */
		struct in6_addr ip;
	} address[OWN_MAX];
	size_t n;
};

/* Asks for the way to one address and adds the answer under `prefix`. */
static void ask(struct zh_fact_set *set, struct zh_netlink *nl, int family, const void *ip,
	uint8_t protocol, const char *prefix)
{
	struct zh_flow flow = {.family = family, .protocol = protocol};
	struct zh_route route;
	struct zh_err err;
	int refusal, r;

	memcpy(&flow.to, ip, family == AF_INET ? 4 : 16);
	r = zh_way_ask(nl, &flow, &route, &refusal, &err);
	if (r != 0) {
		zh_fact_string(set, r < 0 ? err.text : strerror(refusal), "%s.error", prefix);
		return;
	}
	zh_fact_string(set, route.oif, "%s.oif", prefix);
	zh_fact_string(set, route.type, "%s.type", prefix);
	zh_fact_number(set, route.table, "%s.table", prefix);
	zh_fact_string(set, route.src, "%s.src", prefix);
}

/* Keeps usable addresses other than loopback's; the rest of the dump is of no interest. */
static int keep_address(void *arg, const struct nlmsghdr *reply)
{
	struct own *own = arg;
	const struct ifaddrmsg *header = zh_message_header(reply, sizeof(*header));
	const struct nlattr *attrs[IFA_MAX + 1], *ip;
	size_t len;

	if (!header || (header->ifa_family != AF_INET && header->ifa_family != AF_INET6))
		return 0;
	zh_attrs_of(attrs, IFA_MAX, reply, sizeof(*header));
	ip = attrs[attrs[IFA_LOCAL] ? IFA_LOCAL : IFA_ADDRESS];
	len = header->ifa_family == AF_INET ? 4 : 16;
	/* Link-local addresses need a device to be asked for. */
	if (zh_attr_len(ip) != len || header->ifa_scope == RT_SCOPE_HOST ||
		header->ifa_scope == RT_SCOPE_LINK ||
		zh_attr_u32(attrs[IFA_FLAGS], 0) & IFA_F_TENTATIVE)
		return 0;
	own->address[own->n].family = header->ifa_family;
	memcpy(&own->address[own->n].ip, zh_attr_data(ip), len);
	return ++own->n == OWN_MAX;
}

static void ask_own(struct zh_fact_set *set, struct zh_netlink *nl)
{
	struct ifaddrmsg all = {.ifa_family = AF_UNSPEC};
	zh_autonetlink *other = zh_facts_netlink(set, NETLINK_ROUTE, "fib.own");
	struct own own = {.n = 0};
	struct zh_err err;
	char prefix[32], ip[INET6_ADDRSTRLEN];
	size_t i;

	if (!other)
		return;
	/* A socket of its own, since the list may be left half read. */
	if (zh_netlink_dump(other, RTM_GETADDR, &all, sizeof(all), keep_address, &own, &err) < 0) {
		zh_facts_refused(set, &err, "list of addresses", "fib.own");
		return;
	}
	for (i = 0; i < own.n; i++) {
		int family = own.address[i].family;

		snprintf(prefix, sizeof(prefix), "fib.own.%zu", i);
		inet_ntop(family, &own.address[i].ip, ip, sizeof(ip));
		zh_fact_string(set, ip, "%s.ip", prefix);
		ask(set, nl, family, &own.address[i].ip,
			family == AF_INET ? IPPROTO_ICMP : IPPROTO_ICMPV6, prefix);
	}
}

static void collect(struct zh_fact_set *set)
{
	struct in_addr loopback4 = {htonl(INADDR_LOOPBACK)};
	zh_autonetlink *nl = zh_facts_netlink(set, NETLINK_ROUTE, "fib");
	char prefix[32];
	size_t i;

	if (!nl)
		return;
	for (i = 0; i < ZH_ARRAY_SIZE(questions); i++) {
		bool v4 = questions[i].family == 4;

		snprintf(prefix, sizeof(prefix), "fib.%d.%s", questions[i].family,
			questions[i].name);
		ask(set, nl, v4 ? AF_INET : AF_INET6,
			v4 ? (const void *)&loopback4 : (const void *)&in6addr_loopback,
			questions[i].protocol, prefix);
	}
	ask_own(set, nl);
}

static const struct zh_fact_schema schema[] = {
	{"fib.*.*.oif", ZH_FACT_STRING, "", "device that a packet to loopback or own leaves by"},
	{"fib.*.*.type", ZH_FACT_STRING, "", "type of the route it takes: local, as it should be"},
	{"fib.*.*.table", ZH_FACT_NUMBER, "",
		"table of that route; IPv4 says 254 while local is merged into main"},
	{"fib.*.*.src", ZH_FACT_STRING, "", "source address it gets"},
	{"fib.*.*.error", ZH_FACT_STRING, "", "why the kernel would not send it at all"},
	{"fib.own.*.ip", ZH_FACT_STRING, "", "own address asked for"},
	{"fib.own", ZH_FACT_UNAVAILABLE, "", "why the own addresses could not be listed"},
	{"fib", ZH_FACT_UNAVAILABLE, "", "why the kernel could not be asked"},
	{NULL},
};

const struct zh_fact_group zh_fact_group_fib = {
	.id = "fib",
	.summary = "the kernel's way to loopback and own addresses",
	.schema = schema,
	.collect = collect,
};
