/* SPDX-License-Identifier: BSD-2-Clause */
/* As fib_rule_match() of net/core/fib_rules.c and fib4_rule_match(), fib6_rule_match() do. */
#include "session/path/rule-match.h"

#include <arpa/inet.h>
#include <net/if.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/util.h"
#include "facts/read.h"
#include "sys/netlink.h"

#define LOOPBACK_IFINDEX 1

struct match {
	const struct zh_fact_set *facts;
	const struct zh_flow *flow;
	int version;
	size_t rule;
};

static const char *text(const struct match *m, const char *key)
{
	return zh_fact_text(m->facts, "rule.%d.%zu.%s", m->version, m->rule, key);
}

static bool number(const struct match *m, uint64_t *ret, const char *key)
{
	return zh_fact_get(m->facts, ret, "rule.%d.%zu.%s", m->version, m->rule, key);
}

static bool is_in_prefix(const char *prefix, int family, const struct in6_addr *ip)
{
	struct in6_addr net = {};
	char address[INET6_ADDRSTRLEN];
	const char *slash = strchr(prefix, '/');
	uint64_t bits, i;

	snprintf(address, sizeof(address), "%.*s", (int)strcspn(prefix, "/"), prefix);
	if (!slash || !zh_facts_parse(slash + 1, 10, &bits) || bits > 128 ||
		inet_pton(family, address, &net) != 1)
		return false;
	for (i = 0; i < bits; i++)
		if ((net.s6_addr[i / 8] ^ ip->s6_addr[i / 8]) & (0x80 >> i % 8))
			return false;
	return true;
}

static const char *source(const struct match *m)
{
	const char *prefix = text(m, "from");

	if (!prefix)
		return NULL;
	/* A source that is chosen only after the decision cannot lead to it. */
	if (!m->flow->has_from)
		return "no source address is chosen yet";
	return is_in_prefix(prefix, m->flow->family, &m->flow->from) ? NULL : "other source";
}

static const char *destination(const struct match *m)
{
	const char *prefix = text(m, "to");

	return !prefix || is_in_prefix(prefix, m->flow->family, &m->flow->to) ? NULL
									      : "other destination";
}

/* What is sent from here comes in by lo, to the rules. */
static const char *came_in_by(const struct match *m)
{
	const char *name = text(m, "iif");
	char own[IF_NAMESIZE];

	if (!name)
		return NULL;
	zh_netlink_ifname(own, m->flow->iif ? m->flow->iif : LOOPBACK_IFINDEX);
	return strcmp(own, name) ? "came in by another device" : NULL;
}

static const char *bound_to(const struct match *m)
{
	const char *name = text(m, "oif");
	char own[IF_NAMESIZE];

	if (!name)
		return NULL;
	if (!m->flow->oif)
		return "not bound to a device";
	return strcmp(zh_netlink_ifname(own, m->flow->oif), name) ? "bound to another device"
								  : NULL;
}

static const char *mark(const struct match *m)
{
	uint64_t value, mask;

	if (!number(m, &value, "fwmark") || !number(m, &mask, "fwmask"))
		return NULL;
	return ((uint32_t)value ^ m->flow->mark) & (uint32_t)mask ? "other mark" : NULL;
}

static const char *protocol(const struct match *m)
{
	uint64_t value;

	return number(m, &value, "ipproto") && value != m->flow->protocol ? "other protocol" : NULL;
}

/* "80", "80-90", or "0x50/0xfff0": bits that count. */
static bool is_in_range(const char *range, uint64_t value)
{
	char *rest;
	unsigned long long first = strtoull(range, &rest, 0), last = first;

	if (*rest == '/')
		return !((first ^ value) & strtoull(rest + 1, NULL, 0));
	if (*rest == '-')
		last = strtoull(rest + 1, NULL, 10);
	return value >= first && value <= last;
}

static const char *from_port(const struct match *m)
{
	const char *range = text(m, "sport");

	if (!range)
		return NULL;
	if (!m->flow->from_port)
		return "only certain source ports";
	return is_in_range(range, m->flow->from_port) ? NULL : "other source port";
}

static const char *to_port(const struct match *m)
{
	const char *range = text(m, "dport");

	return !range || is_in_range(range, m->flow->to_port) ? NULL : "other port";
}

static const char *user(const struct match *m)
{
	const char *range = text(m, "uid");

	if (!range)
		return NULL;
	if (m->flow->iif)
		return "no user: it came in by a device";
	return is_in_range(range, m->flow->has_uid ? m->flow->uid : getuid()) ? NULL : "other user";
}

/* What is sent here has neither type of service nor flow label: both are 0. */
static const char *type_of_service(const struct match *m)
{
	uint64_t value, mask;

	if (number(m, &value, "tos"))
		return "other type of service";
	return number(m, &value, "dscp") && number(m, &mask, "dscp_mask") && value & mask
		       ? "other DSCP"
		       : NULL;
}

static const char *flow_label(const struct match *m)
{
	uint64_t value, mask;

	return number(m, &value, "flowlabel") && number(m, &mask, "flowlabel_mask") && value & mask
		       ? "other flow label"
		       : NULL;
}

static const char *tunnel(const struct match *m)
{
	uint64_t value;

	return number(m, &value, "tun_id") ? "came in by no such tunnel" : NULL;
}

/* Whether a device is a VRF or belongs to one. */
static bool is_in_vrf(const struct match *m, unsigned int ifindex)
{
	char own[IF_NAMESIZE], device[ZH_FACTS_NAME_MAX];
	const char *kind, *master;

	if (!ifindex)
		return false;
	zh_facts_name(device, sizeof(device), zh_netlink_ifname(own, ifindex));
	kind = zh_fact_text(m->facts, "link.%s.kind", device);
	master = zh_fact_text(m->facts, "link.%s.master", device);
	if (kind && master) {
		zh_facts_name(device, sizeof(device), master);
		kind = zh_fact_text(m->facts, "link.%s.kind", device);
	}
	/* What is not listed may be one. */
	return !kind || !strcmp(kind, "vrf");
}

static const char *vrf(const struct match *m)
{
	uint64_t value;

	return number(m, &value, "l3mdev") && !is_in_vrf(m, m->flow->iif) &&
			       !is_in_vrf(m, m->flow->oif)
		       ? "not in a VRF"
		       : NULL;
}

const char *path_rule_differs(
	const struct zh_fact_set *facts, size_t rule, const struct zh_flow *flow)
{
	static const char *(*const selectors[])(const struct match *) = {source, destination,
		came_in_by, bound_to, mark, protocol, from_port, to_port, user, type_of_service,
		flow_label, tunnel, vrf};
	struct match m = {.facts = facts,
		.flow = flow,
		.version = flow->family == AF_INET ? 4 : 6,
		.rule = rule};
	const char *why = NULL;
	uint64_t inverted = 0;
	size_t i;

	for (i = 0; i < ZH_ARRAY_SIZE(selectors) && !why; i++)
		why = selectors[i](&m);
	number(&m, &inverted, "invert");
	if (inverted)
		return why ? NULL : "it applies to everything else";
	return why;
}
