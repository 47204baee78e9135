/* SPDX-License-Identifier: BSD-2-Clause */
/* Addresses of the namespace, and whether lo has the ones that everything relies on. */
#include <arpa/inet.h>
#include <linux/if_addr.h>
#include <linux/rtnetlink.h>
#include <stdio.h>
#include <string.h>

#include "base/util.h"
#include "facts/facts.h"
#include "facts/netlink-facts.h"
#include "facts/read.h"
#include "sys/netlink-attr.h"
#include "sys/root.h"

#define ADDRESSES_MAX 1024

struct found {
	bool ip4, ip6;
	uint64_t prefix4;
};

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
	default:
		return "other";
	}
}

struct address {
	char ip[INET6_ADDRSTRLEN];
	char device[ZH_FACTS_NAME_MAX];
	int family;
	uint8_t prefix, scope;
	uint32_t flags;
};

/* Counts from 0 for each device; the kernel lists a device's addresses of a family together, and
 * `found` remembers where the numbering stands. */
static void add(struct zh_facts_walk *walk, const struct address *a, unsigned int n)
{
	struct found *found = walk->more;
	char prefix[ZH_FACTS_NAME_MAX + 32];

	snprintf(prefix, sizeof(prefix), "addr.%s.%u", a->device, n);
	zh_fact_string(walk->set, a->ip, "%s.ip", prefix);
	zh_fact_number(walk->set, a->prefix, "%s.prefix", prefix);
	zh_fact_number(walk->set, (uint64_t)a->family, "%s.family", prefix);
	zh_fact_string(walk->set, scope_name(a->scope), "%s.scope", prefix);
	zh_fact_number(walk->set, (a->flags & IFA_F_TENTATIVE) != 0, "%s.tentative", prefix);
	zh_fact_number(walk->set, (a->flags & IFA_F_DADFAILED) != 0, "%s.dadfailed", prefix);
	zh_fact_number(walk->set, (a->flags & IFA_F_DEPRECATED) != 0, "%s.deprecated", prefix);
	if (!found || strcmp(a->device, "lo"))
		return;
	if (!strcmp(a->ip, "127.0.0.1")) {
		found->ip4 = true;
		found->prefix4 = a->prefix;
	}
	found->ip6 = found->ip6 || !strcmp(a->ip, "::1");
}

int zh_facts_address_reply(void *arg, const struct nlmsghdr *reply)
{
	struct zh_facts_walk *walk = arg;
	const struct ifaddrmsg *header = zh_message_header(reply, sizeof(*header));
	const struct nlattr *attrs[IFA_MAX + 1];
	struct address a = {0};

	if (!header || (header->ifa_family != AF_INET && header->ifa_family != AF_INET6) ||
		walk->n++ >= ADDRESSES_MAX)
		return 0;
	zh_attrs_of(attrs, IFA_MAX, reply, sizeof(*header));
	zh_attr_ip(attrs[attrs[IFA_LOCAL] ? IFA_LOCAL : IFA_ADDRESS], a.ip);
	zh_facts_device(a.device, header->ifa_index);
	a.family = header->ifa_family == AF_INET ? 4 : 6;
	a.prefix = header->ifa_prefixlen;
	a.scope = header->ifa_scope;
	a.flags = zh_attr_u32(attrs[IFA_FLAGS], header->ifa_flags);
	/* A number that no other address of the device has: families follow one another. */
	add(walk, &a, (unsigned int)(walk->n - 1));
	return 0;
}

/* "fe80…32 hex digits ifindex prefix scope flags device" a line. */
static void collect_if_inet6(struct zh_fact_set *set, struct zh_facts_walk *walk)
{
	zh_autofree char *text = NULL;
	char *cursor, *line;
	int64_t r = zh_sys_slurp(&text, "%s/if_inet6", zh_facts_net());

	if (r < 0) {
		zh_facts_missing(set, (int)r, "if_inet6", "loopback.has_ip6");
		return;
	}
	for (cursor = text; (line = zh_facts_line(&cursor)) && walk->n < ADDRESSES_MAX;) {
		struct address a = {.family = 6};
		struct in6_addr ip;
		unsigned int i, byte, prefix, scope;
		char name[32];

		for (i = 0; i < 16 && sscanf(line + 2 * i, "%2x", &byte) == 1; i++)
			ip.s6_addr[i] = (uint8_t)byte;
		if (i < 16 || sscanf(line + 32, " %*x %x %x %x %31s", &prefix, &scope, &a.flags,
				      name) != 4)
			continue;
		inet_ntop(AF_INET6, &ip, a.ip, sizeof(a.ip));
		a.prefix = (uint8_t)prefix;
		/* The file's scopes are IPV6_ADDR_*: 0x10 host, 0x20 link, 0 global. */
		a.scope = scope == 0x10 ? RT_SCOPE_HOST : scope == 0x20 ? RT_SCOPE_LINK : 0;
		zh_facts_name(a.device, sizeof(a.device), name);
		add(walk, &a, (unsigned int)walk->n++);
	}
}

static void collect(struct zh_fact_set *set)
{
	struct ifaddrmsg all = {.ifa_family = AF_UNSPEC};
	struct found found = {0};
	struct zh_facts_walk walk = {.set = set, .more = &found};
	zh_autonetlink *nl = zh_facts_netlink(set, NETLINK_ROUTE, "addr");
	struct zh_err err;

	if (!nl) {
		if (zh_sys_is_captured()) {
			zh_fact_unavailable(set, "captured root", "loopback.has_ip4");
			collect_if_inet6(set, &walk);
			if (walk.n)
				zh_fact_number(set, found.ip6, "loopback.has_ip6");
		}
		return;
	}
	if (zh_netlink_dump(
		    nl, RTM_GETADDR, &all, sizeof(all), zh_facts_address_reply, &walk, &err) < 0) {
		zh_facts_refused(set, &err, "list of addresses", "addr");
		return;
	}
	zh_fact_number(set, walk.n, "addr.count");
	zh_fact_number(set, found.ip4, "loopback.has_ip4");
	zh_fact_number(set, found.ip6, "loopback.has_ip6");
	if (found.ip4)
		zh_fact_number(set, found.prefix4, "loopback.ip4_prefix");
	if (walk.n > ADDRESSES_MAX)
		zh_facts_truncated(set, "addrs", ADDRESSES_MAX, walk.n, "addresses");
}

static const struct zh_fact_schema schema[] = {
	{"addr.count", ZH_FACT_NUMBER, "count", "addresses in this network namespace"},
	{"addr.*.*.ip", ZH_FACT_STRING, "", "address"},
	{"addr.*.*.prefix", ZH_FACT_NUMBER, "bits", "length of its network part"},
	{"addr.*.*.family", ZH_FACT_NUMBER, "", "4 or 6"},
	{"addr.*.*.scope", ZH_FACT_STRING, "", "host, link, site, global"},
	{"addr.*.*.tentative", ZH_FACT_NUMBER, "", "1: not usable before its detection ends"},
	{"addr.*.*.dadfailed", ZH_FACT_NUMBER, "", "1: somebody else has it"},
	{"addr.*.*.deprecated", ZH_FACT_NUMBER, "", "1: not for new connections"},
	{"loopback.has_ip4", ZH_FACT_NUMBER, "", "1: lo has 127.0.0.1"},
	{"loopback.ip4_prefix", ZH_FACT_NUMBER, "bits", "length of its network part, 8 as a rule"},
	{"loopback.has_ip6", ZH_FACT_NUMBER, "", "1: lo has ::1"},
	{"addr", ZH_FACT_UNAVAILABLE, "", "why the addresses could not be read"},
	{NULL},
};

const struct zh_fact_group zh_fact_group_addrs = {
	.id = "addrs",
	.summary = "addresses",
	.schema = schema,
	.collect = collect,
};
