/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The hops of a request in their order: from the socket through the stack to a device, from there
 * to the next device, in whatever namespace it is, and up again, until somebody takes the packet or
 * it leaves the machine.
 */
#include <arpa/inet.h>
#include <stdio.h>
#include <string.h>
#include <netinet/in.h>

#include "base/util.h"
#include "session/path/hops.h"

/* Last, since it defines what netinet/in.h defines as well. */
#include <linux/netfilter.h>

static void send_out(struct walk *w)
{
	const struct path_link *link = w->link;

	hops_tc(w, link, false);
	hops_qdisc(w, link);
	hops_device(w, link, false);
	if (w->step != WALK_OVER)
		hops_leave(w);
}

static void arrive(struct walk *w)
{
	const struct path_link *link = w->link;
	bool is_lo = w->is_routed;

	/* On lo it is the device that it just left by. */
	if (!is_lo)
		hops_device(w, link, true);
	if (w->step == WALK_OVER)
		return;
	hops_steering(w, link);
	hops_xdp(w, link);
	hops_tc(w, link, true);
	w->step = is_lo ? WALK_UP : hops_next(w);
}

static void step(struct walk *w)
{
	switch (w->step) {
	case WALK_SEND:
		send_out(w);
		break;
	case WALK_ARRIVE:
		arrive(w);
		break;
	case WALK_FORWARD:
		hops_bridge(w);
		break;
	case WALK_UP:
		hops_received(w);
		break;
	case WALK_OVER:
		break;
	}
}

/* The source that the decision chose is the packet's from now on. */
static void take_source(struct walk *w)
{
	const struct zh_route *route = &w->p->ways[w->way].route;

	if (!w->flow.has_from && route->type &&
		inet_pton(w->flow.family, route->src, &w->flow.from) == 1)
		w->flow.has_from = true;
}

static void start_here(struct walk *w)
{
	hops_socket(w);
	hops_cgroup(w, false, 0);
	hops_sent(w);
	if (w->step == WALK_OVER)
		return;
	hops_netfilter(w, NF_INET_LOCAL_OUT);
	if (w->is_renamed)
		hops_rerouted(w);
	if (w->step != WALK_OVER)
		hops_netfilter(w, NF_INET_POST_ROUTING);
}

/* It came in by a device, as the user says. */
static void start_at_device(struct walk *w)
{
	w->link = path_map_link(&w->p->map, 0, w->flow.iif);
	w->step = w->link ? WALK_ARRIVE : WALK_OVER;
	w->flow.iif = 0;
}

static void forget(struct path *p, size_t way)
{
	static const char *const parts[] = {"hop", "nat", "reply"};
	char prefix[64];
	size_t i;

	for (i = 0; p->ways[way].n_hops && i < ZH_ARRAY_SIZE(parts); i++) {
		snprintf(prefix, sizeof(prefix), "path.way.%zu.%s.", way, parts[i]);
		zh_fact_set_remove(p->out, prefix);
	}
	p->ways[way].n_hops = p->ways[way].n_translations = 0;
}

void path_walk(struct path *p, size_t way)
{
	struct walk w = {.p = p,
		.way = way,
		.step = WALK_OVER,
		.flow = p->ways[way].flow,
		.id = p->ways[way].scout_id};

	forget(p, way);
	take_source(&w);
	if (w.flow.iif)
		start_at_device(&w);
	else
		start_here(&w);
	while (w.step != WALK_OVER)
		step(&w);
	path_enter(p, 0, NULL);
}
