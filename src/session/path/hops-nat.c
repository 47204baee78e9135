/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Address translation on the way. Its target changes in front of routing (output, prerouting), its
 * source behind it (postrouting, input); both for the whole connection, at its first packet.
 */
#include <arpa/inet.h>
#include <stdio.h>
#include <string.h>

#include "base/util.h"
#include "session/path/hops.h"
#include "session/path/nat.h"
#include "session/path/sighting.h"

/* Last, since it defines what netinet/in.h defines as well. */
#include <linux/netfilter.h>

#define TEXT_MAX (INET6_ADDRSTRLEN + 16)
#define KEY "path.way.%zu.nat.%zu."

/* "10.0.0.1", "10.0.0.1:80", "[fd00::1]:80" */
static const char *name(char *buf, int family, const struct in6_addr *ip, uint16_t port)
{
	char text[INET6_ADDRSTRLEN];
	bool bracket = port && family == AF_INET6;

	inet_ntop(family, ip, text, sizeof(text));
	if (port)
		snprintf(buf, TEXT_MAX, "%s%s%s:%u", bracket ? "[" : "", text, bracket ? "]" : "",
			port);
	else
		snprintf(buf, TEXT_MAX, "%s", text);
	return buf;
}

static void write_facts(
	struct walk *w, int hook, const char *side, const char *was, const char *becomes)
{
	struct path_way *way = &w->p->ways[w->way];
	struct zh_fact_set *out = w->p->out;

	zh_fact_number(out, w->place, KEY "place", w->way, way->n_translations);
	zh_fact_string(
		out, sighting_hook_name((uint32_t)hook), KEY "hook", w->way, way->n_translations);
	zh_fact_string(out, side, KEY "side", w->way, way->n_translations);
	zh_fact_string(out, was, KEY "was", w->way, way->n_translations);
	zh_fact_string(out, becomes, KEY "becomes", w->way, way->n_translations++);
}

/* Whether it comes from a packet that was sent ahead. */
static const char *origin(const struct walk *w)
{
	return w->id ? "" : ", as of another connection to there";
}

static void change_target(struct walk *w, int hook, const struct path_translation *made)
{
	struct zh_flow *flow = &w->flow;
	char was[TEXT_MAX], becomes[TEXT_MAX];
	uint16_t port = made->to_port ? made->to_port : flow->to_port;

	name(was, flow->family, &flow->to, made->to_port ? flow->to_port : 0);
	name(becomes, flow->family, &made->to, made->to_port);
	hop_note(w, "NAT: its target %s becomes %s%s", was, becomes, origin(w));
	write_facts(w, hook, "target", was, becomes);
	w->is_renamed = memcmp(&flow->to, &made->to, flow->family == AF_INET ? 4 : 16);
	flow->to = made->to;
	if (flow->to_port)
		flow->to_port = port;
}

static void change_source(struct walk *w, int hook, const struct path_translation *made)
{
	struct zh_flow *flow = &w->flow;
	char was[TEXT_MAX], becomes[TEXT_MAX];

	name(was, flow->family, &flow->from, 0);
	name(becomes, flow->family, &made->from, w->id ? made->from_port : 0);
	hop_note(w, "NAT: its source %s becomes %s%s", was, becomes, origin(w));
	write_facts(w, hook, "source", was, becomes);
	flow->from = made->from;
	flow->has_from = true;
	if (w->id && made->from_port)
		w->id = made->from_port;
	if (flow->from_port && made->from_port)
		flow->from_port = made->from_port;
}

void hops_nat(struct walk *w, int hook)
{
	bool is_source = hook == NF_INET_POST_ROUTING || hook == NF_INET_LOCAL_IN;
	bool is_arrival = hook == NF_INET_PRE_ROUTING || hook == NF_INET_LOCAL_IN;
	struct path_translation made;
	struct zh_err err = {};
	int r;

	/* On lo the packet's connection got its addresses on the way out. */
	if (w->is_routed && is_arrival)
		return;
	w->p->ways[w->way].meets_nat = true;
	r = path_enter(w->p, w->place, &err);
	if (r == 0)
		r = path_nat_find(&w->flow, w->id, is_source, &made, &err);
	if (r == 0 && !is_source && made.is_target)
		change_target(w, hook, &made);
	else if (r == 0 && is_source && made.is_source)
		change_source(w, hook, &made);
	else if (r == 0)
		hop_note(w, "NAT leaves its %s as it is%s", is_source ? "source" : "target",
			origin(w));
	else
		hop_note(w, "NAT may change its %s here%s%s; what follows holds if it does not",
			is_source ? "source" : "target", r < 0 ? ": " : "", r < 0 ? err.text : "");
}
