/* SPDX-License-Identifier: BSD-2-Clause */
/* From the target as the user wrote it to ways: one for each address, in getaddrinfo's order. */
#include <arpa/inet.h>
#include <errno.h>
#include <limits.h>
#include <net/if.h>
#include <stdio.h>
#include <string.h>

#include "base/units.h"
#include "base/util.h"
#include "facts/name-lookup.h"
#include "session/path/internal.h"

#define LOOKUP_TIMEOUT_NS (5 * ZH_NSEC_PER_SEC)

/* In the order of enum zh_transport_id. */
static const struct {
	const char *name;  /* path.transport, and the prefix of a target */
	uint8_t four, six; /* IPPROTO_ */
} transports[ZH_TRANSPORT_MAX] = {
	[ZH_TRANSPORT_ICMP] = {"icmp", IPPROTO_ICMP, IPPROTO_ICMPV6},
	[ZH_TRANSPORT_UDP] = {"udp", IPPROTO_UDP, IPPROTO_UDP},
	[ZH_TRANSPORT_TCP] = {"tcp", IPPROTO_TCP, IPPROTO_TCP},
	[ZH_TRANSPORT_UNIX_STREAM] = {"unix", 0, 0},
	[ZH_TRANSPORT_UNIX_DGRAM] = {"unix-dgram", 0, 0},
};

static bool is_unix(const struct zh_target *target)
{
	return !transports[target->transport].four;
}

static void add_target(struct path *p)
{
	const struct zh_target *target = &p->config->target;
	const char *name = transports[target->transport].name;
	bool bracket = target->port && strchr(target->host, ':');
	char text[300], port[8] = "";

	if (target->port)
		snprintf(port, sizeof(port), ":%u", target->port);
	if (is_unix(target))
		snprintf(text, sizeof(text), "%s:%s", name, target->path);
	else
		snprintf(text, sizeof(text), "%s%s%s%s%s%s",
			target->transport == ZH_TRANSPORT_ICMP ? "" : name,
			target->transport == ZH_TRANSPORT_ICMP ? "" : ":", bracket ? "[" : "",
			target->host, bracket ? "]" : "", port);
	zh_fact_string(p->out, text, "path.target");
	zh_fact_string(p->out, name, "path.transport");
}

/* The source address that the user wants; family 0: none. */
static int parse_from(
	const struct path *p, int *ret_family, struct in6_addr *ret, struct zh_err *err)
{
	const char *from = p->config->from;

	*ret_family = 0;
	if (!from)
		return 0;
	*ret_family = strchr(from, ':') ? AF_INET6 : AF_INET;
	*ret = (struct in6_addr){};
	if (inet_pton(*ret_family, from, ret) != 1)
		return zh_err_set(err, -EINVAL, "--from: '%.100s' is no address", from);
	return 0;
}

static bool is_link_local(const struct in6_addr *ip)
{
	return IN6_IS_ADDR_LINKLOCAL(ip) || IN6_IS_ADDR_MC_LINKLOCAL(ip);
}

static void add_facts(struct path *p, size_t n)
{
	const struct path_way *way = &p->ways[n];
	const struct zh_flow *flow = &way->flow;
	const struct zh_path_config *config = p->config;
	const char *name = transports[config->target.transport].name;

	zh_fact_string(p->out, way->address, "path.way.%zu.address", n);
	zh_fact_number(p->out, flow->family == AF_INET ? 4 : 6, "path.way.%zu.family", n);
	zh_fact_string(p->out, flow->protocol == IPPROTO_ICMPV6 ? "icmpv6" : name,
		"path.way.%zu.protocol", n);
	if (flow->to_port)
		zh_fact_number(p->out, flow->to_port, "path.way.%zu.to_port", n);
	if (flow->has_from)
		zh_fact_string(p->out, config->from, "path.way.%zu.from", n);
	if (config->has_mark)
		zh_fact_number(p->out, flow->mark, "path.way.%zu.mark", n);
	if (flow->has_uid)
		zh_fact_number(p->out, flow->uid, "path.way.%zu.uid", n);
	if (config->iif)
		zh_fact_string(p->out, config->iif, "path.way.%zu.iif", n);
}

/* What of the flow does not depend on the address. */
static int common_flow(const struct path *p, struct zh_flow *ret, struct zh_err *err)
{
	const struct zh_path_config *config = p->config;

	*ret = (struct zh_flow){.to_port = config->target.port,
		.mark = config->has_mark ? config->mark : 0,
		.has_uid = config->has_uid,
		.uid = config->uid};
	if (!config->iif)
		return 0;
	ret->iif = if_nametoindex(config->iif);
	if (!ret->iif)
		return zh_err_set(
			err, -ENODEV, "--iif: there is no device '%.60s' here", config->iif);
	if (!config->from)
		return zh_err_set(err, -EINVAL,
			"a packet that came in by %.60s needs a source address: --from ADDR",
			config->iif);
	return 0;
}

static int add_ways(struct path *p, const struct zh_name_lookup *lookup, struct zh_err *err)
{
	struct in6_addr from;
	int from_family, r = parse_from(p, &from_family, &from, err);
	struct zh_flow common;
	size_t i;

	if (r == 0)
		r = common_flow(p, &common, err);
	for (i = 0; r == 0 && i < lookup->n && p->n_ways < ZH_PATH_WAYS_MAX; i++) {
		struct path_way *way = &p->ways[p->n_ways];
		bool is_six = lookup->list[i].family == AF_INET6;

		if (from_family && from_family != lookup->list[i].family)
			continue;
		way->flow = common;
		way->flow.family = lookup->list[i].family;
		way->flow.to = lookup->list[i].ip;
		way->flow.oif = lookup->list[i].scope;
		way->flow.has_from = from_family != 0;
		way->flow.from = from;
		way->flow.protocol = is_six ? transports[p->config->target.transport].six
					    : transports[p->config->target.transport].four;
		inet_ntop(way->flow.family, &way->flow.to, way->address, sizeof(way->address));
		if (is_six && is_link_local(&way->flow.to) && !way->flow.oif)
			return zh_err_set(err, -EINVAL,
				"%s is link-local and needs a device: %s%%DEVICE", way->address,
				way->address);
		add_facts(p, p->n_ways++);
	}
	if (r == 0 && !p->n_ways)
		return zh_err_set(err, -EINVAL, "'%.100s' has no IPv%d address, but --from is one",
			p->config->target.host, from_family == AF_INET ? 4 : 6);
	return r;
}

/* "::ffff:10.0.0.1" is IPv4 in the notation of IPv6: sockets send it over IPv4. */
static void unmap(struct in6_addr *ip, int *family)
{
	struct in6_addr plain = {};

	if (*family != AF_INET6 || !IN6_IS_ADDR_V4MAPPED(ip))
		return;
	memcpy(&plain, &ip->s6_addr[12], 4);
	*ip = plain;
	*family = AF_INET;
}

/* "10.0.0.1", "fe80::1%eth0", "fe80::1%2". 0: it is one, 1: it is not, or negative. */
static int parse_address(const struct path *p, struct zh_name_lookup *ret, struct zh_err *err)
{
	const char *host = p->config->target.host, *scope = strchr(host, '%');
	char text[INET6_ADDRSTRLEN];
	int family = strchr(host, ':') ? AF_INET6 : AF_INET;
	uint64_t number;
	uint8_t version;

	snprintf(text, sizeof(text), "%.*s", (int)strcspn(host, "%"), host);
	*ret = (struct zh_name_lookup){.n = 1};
	if (strcspn(host, "%") >= sizeof(text) || inet_pton(family, text, &ret->list[0].ip) != 1)
		return 1;
	unmap(&ret->list[0].ip, &family);
	ret->list[0].family = family;
	version = family == AF_INET ? 4 : 6;
	if (p->config->ip_version && p->config->ip_version != version)
		return zh_err_set(err, -EINVAL, "'%.100s' is not an IPv%u address", host,
			p->config->ip_version);
	if (!scope)
		return 0;
	ret->list[0].scope = if_nametoindex(scope + 1);
	if (ret->list[0].scope)
		return 0;
	if (zh_parse_u64(scope + 1, &number, NULL) < 0 || !number || number > INT_MAX)
		return zh_err_set(err, -ENODEV, "there is no device '%.60s' here", scope + 1);
	ret->list[0].scope = (uint32_t)number;
	return 0;
}

static int look_up(struct path *p, struct zh_name_lookup *ret, struct zh_err *err)
{
	const char *host = p->config->target.host;
	char ip[INET6_ADDRSTRLEN];
	size_t i;

	zh_name_lookup(ret, host, p->config->ip_version, LOOKUP_TIMEOUT_NS);
	zh_fact_string(p->out, host, "path.name.asked");
	zh_fact_number(p->out, ret->took_ns, "path.name.took_ns");
	for (i = 0; i < ret->n; i++)
		zh_fact_string(p->out,
			inet_ntop(ret->list[i].family, &ret->list[i].ip, ip, sizeof(ip)),
			"path.name.%zu.ip", i);
	if (ret->n)
		return 0;
	zh_fact_string(p->out, ret->error[0] ? ret->error : "no address", "path.name.error");
	return zh_err_set(err, -EINVAL, "cannot resolve '%.100s': %s", host,
		ret->error[0] ? ret->error : "no address");
}

int path_resolve(struct path *p, struct zh_err *err)
{
	struct zh_name_lookup lookup;
	int r;

	add_target(p);
	if (is_unix(&p->config->target)) {
		p->n_ways = 1;
		p->ways[0].flow.family = AF_UNIX;
		return path_unix_check(&p->config->target, err);
	}
	r = parse_address(p, &lookup, err);
	if (r > 0)
		r = look_up(p, &lookup, err);
	return r < 0 ? r : add_ways(p, &lookup, err);
}
