/* SPDX-License-Identifier: BSD-2-Clause */
/* Both ends: the socket that sends, and who takes the packet at the other end. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/util.h"
#include "session/path/hops.h"
#include "session/path/listener.h"

static const char *protocol_name(const struct zh_flow *flow)
{
	switch (flow->protocol) {
	case IPPROTO_TCP:
		return "TCP";
	case IPPROTO_UDP:
		return "UDP";
	default:
		return "ICMP echo";
	}
}

void hops_socket(struct walk *w)
{
	const struct zh_flow *flow = &w->flow;
	char port[24] = "";

	if (flow->to_port)
		snprintf(port, sizeof(port), " port %u", flow->to_port);
	hop_add(w, PATH_SOCKET, NULL, "%s to %s%s", protocol_name(flow), w->p->ways[w->way].address,
		port);
	if (flow->mark)
		hop_note(w, "mark 0x%x", flow->mark);
	if (flow->has_uid)
		hop_note(w, "of user %u", flow->uid);
}

static void answer_echo(struct walk *w)
{
	bool six = w->flow.family == AF_INET6;
	uint64_t ignored = 0;

	hop_add(w, PATH_END, NULL, "the kernel answers the echo request");
	zh_fact_get(walk_facts(w), &ignored, "sysctl.net/%s",
		six ? "ipv6/icmp/echo_ignore_all" : "ipv4/icmp_echo_ignore_all");
	if (ignored)
		hop_ends(w, "%s is 1: echo requests are thrown away",
			six ? "net.ipv6.icmp.echo_ignore_all" : "net.ipv4.icmp_echo_ignore_all");
}

static void nobody(struct walk *w)
{
	hop_add(w, PATH_END, NULL, "nobody listens at port %u", w->flow.to_port);
	hop_ends(w, "no listener: %s",
		w->flow.protocol == IPPROTO_TCP ? "answered by RST"
						: "answered by ICMP port unreachable");
}

static void somebody(struct walk *w, const struct path_listener *listener)
{
	if (listener->pid)
		hops_cgroup(w, true, listener->pid);
	if (listener->pid)
		hop_add(w, PATH_END, NULL, "%s (pid %ld)", listener->process, listener->pid);
	else
		hop_add(w, PATH_END, NULL, "a socket of user %u", listener->uid);
	if (!listener->pid)
		hop_unseen(w, "which process: its descriptors may not be looked at");
	if (w->flow.protocol == IPPROTO_TCP)
		hop_note(w, "%u of %u connections wait to be accepted", listener->queue,
			listener->backlog);
	if (w->flow.protocol == IPPROTO_TCP && listener->queue > listener->backlog)
		hop_note(w, "the accept queue is full: connection attempts are thrown away");
}

void hops_deliver(struct walk *w)
{
	const struct zh_route *route = &w->p->ways[w->way].route;
	bool icmp = w->flow.protocol != IPPROTO_TCP && w->flow.protocol != IPPROTO_UDP;
	struct path_listener listener;
	struct zh_err err = {};
	int r;

	w->step = WALK_OVER;
	w->p->ways[w->way].end_address = w->flow.to;
	if (icmp) {
		answer_echo(w);
	} else if (!w->flow.to_port) {
		hop_add(w, PATH_END, NULL, "a responder of zerohop's own");
	} else {
		r = path_enter(w->p, w->place, &err);
		if (r == 0)
			r = path_listener_find(
				&listener, &w->flow, w->link ? w->link->ifindex : 0, &err);
		if (r < 0) {
			hop_add(w, PATH_END, NULL, "port %u", w->flow.to_port);
			hop_unseen(w, "who listens: %s", err.text);
		} else if (r > 0) {
			nobody(w);
		} else {
			somebody(w, &listener);
		}
	}
	/* Nobody answers as a group. */
	if (!route->type || !strcmp(route->type, "local") || !strcmp(route->type, "unicast"))
		path_reply(w->p, w->way, w->place, &w->flow);
}
