/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The kernel's decision for the flow itself; beside it the answer to the plain question, as `ip
 * route get` puts it; and the rule that decided.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <linux/rtnetlink.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>

#include "base/util.h"
#include "facts/read.h"
#include "session/path/internal.h"
#include "session/path/rules.h"

#define KEY "path.way.%zu.decision."

/* Asks in the namespace that the thread is in. As zh_way_ask(). */
static int ask(const struct zh_flow *flow, struct zh_route *ret, int *ret_errno, struct zh_err *err)
{
	zh_autonetlink *nl = NULL;
	int r = zh_netlink_open(&nl, NETLINK_ROUTE, err);

	return r < 0 ? r : zh_way_ask(nl, flow, ret, ret_errno, err);
}

/*
 * A connected IPv4 socket asks twice: for a source address, and then with it, so that a rule that
 * selects by source applies to it as well (ip_route_connect()); the one that sends echoes is
 * connected, too. UDP and TCP over IPv6 keep the route of the first question, but echoes are routed
 * one by one, with the source that connecting chose.
 */
static bool asks_twice(const struct zh_flow *flow)
{
	return !flow->has_from && !flow->iif &&
	       (flow->family == AF_INET || flow->protocol == IPPROTO_ICMPV6);
}

static int ask_as_socket(
	struct zh_flow *flow, struct zh_route *ret, int *ret_errno, struct zh_err *err)
{
	char source[sizeof(ret->src)];
	int r = ask(flow, ret, ret_errno, err);

	if (r != 0 || !asks_twice(flow) || inet_pton(flow->family, ret->src, &flow->from) != 1)
		return r;
	memcpy(source, ret->src, sizeof(source));
	flow->has_from = true;
	r = ask(flow, ret, ret_errno, err);
	/* What is in the question is not in the answer. */
	if (r == 0 && !ret->src[0])
		memcpy(ret->src, source, sizeof(source));
	return r;
}

/* IPv4 keeps the local table inside main until the first rule is added. */
static uint32_t table_of(const struct zh_flow *flow, const struct zh_route *route)
{
	bool is_local = !strcmp(route->type, "local") || !strcmp(route->type, "broadcast");

	return flow->family == AF_INET && is_local && route->table == RT_TABLE_MAIN ? RT_TABLE_LOCAL
										    : route->table;
}

static void add_mtu(struct path *p, size_t way, const struct zh_route *route)
{
	char device[ZH_FACTS_NAME_MAX];
	uint64_t mtu = route->mtu;

	if (!mtu)
		zh_fact_get(&p->record->before, &mtu, "link.%s.mtu",
			zh_facts_name(device, sizeof(device), route->oif));
	if (mtu)
		zh_fact_number(p->out, mtu, KEY "mtu", way);
}

static void add_route(struct path *p, size_t way, const struct zh_flow *flow)
{
	const struct zh_route *route = &p->ways[way].route;

	if (route->oif[0])
		zh_fact_string(p->out, route->oif, KEY "dev", way);
	zh_fact_string(p->out, route->type, KEY "type", way);
	zh_fact_number(p->out, table_of(flow, route), KEY "table", way);
	if (route->src[0])
		zh_fact_string(p->out, route->src, KEY "src", way);
	if (route->gateway[0])
		zh_fact_string(p->out, route->gateway, KEY "gateway", way);
	add_mtu(p, way, route);
}

struct passed {
	struct path *p;
	size_t way, n;
	int version;
};

/* The facts' texts start with the priority; that is a fact of its own. */
static const char *rule_text(const struct passed *passed, size_t rule)
{
	const char *text =
		zh_fact_text(&passed->p->record->before, "rule.%d.%zu.text", passed->version, rule);
	const char *behind = text ? strstr(text, ": ") : NULL;

	return behind ? behind + 2 : text ? text : "?";
}

static void add_passed(void *arg, size_t rule, const char *why)
{
	struct passed *passed = arg;
	struct path *p = passed->p;
	uint64_t pref = 0;

	zh_fact_get(&p->record->before, &pref, "rule.%d.%zu.pref", passed->version, rule);
	zh_fact_number(p->out, pref, KEY "before.%zu.pref", passed->way, passed->n);
	zh_fact_string(
		p->out, rule_text(passed, rule), KEY "before.%zu.text", passed->way, passed->n);
	zh_fact_string(p->out, why, KEY "before.%zu.why", passed->way, passed->n++);
}

static void add_rule(
	struct path *p, size_t way, const struct zh_flow *flow, struct path_rule_verdict *verdict)
{
	struct path_way *w = &p->ways[way];
	struct passed passed = {.p = p, .way = way, .version = flow->family == AF_INET ? 4 : 6};
	struct path_rules rules = {.facts = &p->record->before,
		.flow = flow,
		.route = &w->route,
		.refusal = w->refusal,
		.passed = add_passed,
		.arg = &passed};
	uint64_t pref = 0;

	path_rules_judge(&rules, verdict);
	if (!verdict->is_known)
		zh_fact_unavailable(p->out, verdict->why, KEY "rule.text", way);
	if (!verdict->is_known || !verdict->is_found)
		return;
	zh_fact_get(&p->record->before, &pref, "rule.%d.%zu.pref", passed.version, verdict->rule);
	zh_fact_number(p->out, pref, KEY "rule.pref", way);
	snprintf(w->rule, sizeof(w->rule), "%s", rule_text(&passed, verdict->rule));
	zh_fact_string(p->out, rule_text(&passed, verdict->rule), KEY "rule.text", way);
}

static bool is_own(struct path *p, const struct zh_flow *flow)
{
	return path_map_netns_has_address(path_map_take(p), 0, flow->family, &flow->from);
}

/* What the errno means here. */
static void add_refusal(struct path *p, size_t way, const struct path_rule_verdict *verdict)
{
	struct path_way *w = &p->ways[way];
	const char *reason = strerror(w->refusal);

	if (p->config->from && !p->config->iif && !is_own(p, &w->flow))
		snprintf(w->error, sizeof(w->error), "%s: %.60s is no address of this namespace",
			reason, p->config->from);
	else if (p->config->iif && !verdict->is_known &&
		 (w->refusal == EXDEV || w->refusal == EINVAL))
		snprintf(w->error, sizeof(w->error),
			"%s: not accepted by %.40s (rp_filter, or a martian)", reason,
			p->config->iif);
	else if (verdict->is_known && verdict->is_found && verdict->table)
		snprintf(w->error, sizeof(w->error), "%s: a route of type %s in table %u", reason,
			verdict->type, verdict->table);
	else if (verdict->is_known && verdict->is_found)
		snprintf(w->error, sizeof(w->error), "%s: the rule says %s", reason, verdict->type);
	else
		snprintf(w->error, sizeof(w->error), "%s", reason);
	zh_fact_string(p->out, w->error, KEY "error", way);
}

static void add_plain(struct path *p, size_t way)
{
	const struct zh_flow *flow = &p->ways[way].flow;
	struct zh_flow plain = {.family = flow->family,
		.to = flow->to,
		.has_from = flow->has_from,
		.from = flow->from,
		.iif = flow->iif,
		.oif = flow->oif};
	struct zh_route route;
	struct zh_err err;
	int refusal, r = ask(&plain, &route, &refusal, &err);

	if (r < 0)
		zh_fact_unavailable(p->out, err.text, KEY "plain", way);
	if (r > 0)
		zh_fact_string(p->out, strerror(refusal), KEY "plain.error", way);
	if (r != 0)
		return;
	if (route.oif[0])
		zh_fact_string(p->out, route.oif, KEY "plain.dev", way);
	zh_fact_string(p->out, route.type, KEY "plain.type", way);
	zh_fact_number(p->out, table_of(&plain, &route), KEY "plain.table", way);
}

/* Whether a rule looks at source ports, so that one has to be chosen before the question. */
static bool selects_by_source_port(const struct path *p, int family)
{
	char pattern[24];
	size_t pos = 0;

	snprintf(pattern, sizeof(pattern), "rule.%d.*.sport", family == AF_INET ? 4 : 6);
	return zh_fact_next(&p->record->before, pattern, &pos) != NULL;
}

/* A port of the kernel's choice, as sockets get it that ask for none; 0: there is none. */
static uint16_t ephemeral_port(const struct zh_flow *flow)
{
	struct sockaddr_storage own = {.ss_family = (sa_family_t)flow->family};
	socklen_t len =
		flow->family == AF_INET ? sizeof(struct sockaddr_in) : sizeof(struct sockaddr_in6);
	zh_autoclose int fd = socket(flow->family,
		(flow->protocol == IPPROTO_TCP ? SOCK_STREAM : SOCK_DGRAM) | SOCK_CLOEXEC, 0);

	if (fd < 0 || bind(fd, (struct sockaddr *)&own, len) < 0 ||
		getsockname(fd, (struct sockaddr *)&own, &len) < 0)
		return 0;
	/* At the same place in both families. */
	return ntohs(((struct sockaddr_in *)&own)->sin_port);
}

static void choose_source_port(struct path *p, size_t way)
{
	struct zh_flow *flow = &p->ways[way].flow;

	if ((flow->protocol != IPPROTO_UDP && flow->protocol != IPPROTO_TCP) || flow->from_port ||
		flow->iif || !selects_by_source_port(p, flow->family))
		return;
	flow->from_port = ephemeral_port(flow);
	if (flow->from_port)
		zh_fact_number(p->out, flow->from_port, "path.way.%zu.from_port", way);
}

void path_decide(struct path *p, size_t way)
{
	struct path_way *w = &p->ways[way];
	struct path_rule_verdict verdict;
	struct zh_flow flow;
	struct zh_err err = {};
	int r = path_enter(p, 0, &err);

	if (r == 0)
		choose_source_port(p, way);
	flow = w->flow;
	if (r == 0)
		r = ask_as_socket(&flow, &w->route, &w->refusal, &err);
	if (r < 0) {
		zh_fact_unavailable(p->out, err.text, KEY "dev", way);
		return;
	}
	if (r == 0)
		add_route(p, way, &flow);
	add_rule(p, way, &flow, &verdict);
	if (r > 0)
		add_refusal(p, way, &verdict);
	add_plain(p, way);
}

void path_reply(struct path *p, size_t way, size_t place, const struct zh_flow *flow)
{
	struct zh_flow reply = {.family = flow->family,
		.to = flow->from,
		.from = flow->to,
		.has_from = true,
		.protocol = flow->protocol,
		.from_port = flow->to_port,
		.to_port = flow->from_port};
	struct zh_route route;
	struct zh_err err;
	int refusal, r;

	r = path_enter(p, place, &err);
	if (r == 0)
		r = ask(&reply, &route, &refusal, &err);
	zh_fact_number(p->out, place, "path.way.%zu.reply.place", way);
	if (r < 0)
		zh_fact_unavailable(p->out, err.text, "path.way.%zu.reply.dev", way);
	else if (r > 0)
		zh_fact_string(p->out, strerror(refusal), "path.way.%zu.reply.error", way);
	else
		zh_fact_string(p->out, route.oif, "path.way.%zu.reply.dev", way);
	if (r == 0 && route.gateway[0])
		zh_fact_string(p->out, route.gateway, "path.way.%zu.reply.gateway", way);
}
