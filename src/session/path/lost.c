/* SPDX-License-Identifier: BSD-2-Clause */
#include "session/path/lost.h"

#include <stdio.h>
#include <string.h>

#include "base/util.h"
#include "session/path/listener.h"
#include "session/path/next-hop.h"
#include "session/path/sighting.h"

/* Last, since it defines what netinet/in.h defines as well. */
#include <linux/netfilter.h>

#define REASON_MAX 96

static bool same_end(const struct path_lost_group *group, const struct path_lost_group *other)
{
	const struct zh_trail_step *a = &group->last, *b = &other->last;

	return a->point == b->point && a->leg == b->leg && a->netns == b->netns &&
	       a->ifindex == b->ifindex && !strcmp(group->reason, other->reason) &&
	       !strcmp(group->function, other->function) &&
	       (a->point != ZH_TRAIL_HOOK_IN || a->what == b->what) &&
	       (!group->error || !other->error || group->error == other->error);
}

static struct path_lost_group *group_of(struct path_lost *lost, const struct path_lost_group *found)
{
	size_t i;

	for (i = 0; i < lost->n; i++)
		if (same_end(&lost->groups[i], found))
			return &lost->groups[i];
	if (lost->n == PATH_LOST_GROUPS)
		return NULL;
	lost->groups[lost->n] = *found;
	lost->groups[lost->n].rejected = 0;
	return &lost->groups[lost->n++];
}

/* Of packets that end alike only some are told why: ICMP errors are limited in number. */
static void add_group(struct path_lost *lost, const struct path_lost_group *found)
{
	struct path_lost_group *group = group_of(lost, found);

	if (!group) {
		lost->cut++;
		return;
	}
	group->packets++;
	group->rejected += found->rejected;
	if (!group->icmp)
		group->icmp = found->icmp;
	if (!group->error)
		group->error = found->error;
}

/* The generic and the veth's XDP give no reason of their own, but they are the only ones to drop
 * there: do_xdp_generic(), netif_receive_generic_xdp(), veth_xdp_rcv_skb(). */
static bool is_xdp(const struct path_lost_group *group)
{
	return (!group->reason[0] || !strcmp(group->reason, "NOT_SPECIFIED")) &&
	       strstr(group->function, "xdp");
}

static void name_drop(
	struct path_lost_group *ret, const struct zh_trail_step *drop, struct zh_trail *trail)
{
	const char *name = trail ? zh_trail_drop_reason(trail, drop->what) : NULL;

	if (name)
		snprintf(ret->reason, sizeof(ret->reason), "%.63s", name);
	if (trail)
		zh_trail_function(trail, ret->function, sizeof(ret->function), drop->location);
	if (is_xdp(ret))
		snprintf(ret->reason, sizeof(ret->reason), "XDP");
	ret->drop_netns = drop->netns;
	ret->drop_ifindex = drop->ifindex;
}

/*
 * Where the packet ended. An ICMP error about it is not the packet: it counts only when it is what
 * got lost. Returns whether a drop was seen.
 */
static bool find_end(const struct zh_trail_step *steps, size_t n, struct zh_trail *trail,
	struct path_lost_group *ret)
{
	const struct zh_trail_step *drop[2] = {}, *last[2] = {}; /* [1]: of an ICMP error */
	bool is_error;
	size_t i;

	for (i = 0; i < n; i++) {
		is_error = steps[i].icmp != 0;
		if (is_error)
			ret->icmp = steps[i].icmp;
		*(steps[i].point == ZH_TRAIL_DROP ? &drop[is_error] : &last[is_error]) = &steps[i];
	}
	is_error = !drop[0] && drop[1];
	if (last[is_error])
		ret->last = *last[is_error];
	else if (drop[is_error])
		ret->last = *drop[is_error];
	if (drop[is_error])
		name_drop(ret, drop[is_error], trail);
	return drop[is_error];
}

/* Whether the last sighting means that the packet was handed to its socket: behind the input hook
 * where the way ends or, where no hooks are seen, behind the device. */
static bool is_delivered(const struct path_lost *lost, const struct zh_trail_step *last)
{
	const struct path_way *way = &lost->p->ways[lost->way];
	size_t end = way->n_hops ? way->hops[way->n_hops - 1].place : 0;

	if (last->leg || sighting_place(lost->p, last->netns) != end)
		return false;
	if (last->point == ZH_TRAIL_HOOK_OUT)
		return last->what == NF_INET_LOCAL_IN;
	return last->point == ZH_TRAIL_RX;
}

/*
 * A refusal comes from the port that was asked, or from a rule that rejects on the way: then the
 * request was last seen in front of a hook. False: it did not.
 */
static bool find_rejection(const struct zh_trail_step *steps, size_t n, struct zh_trail *trail,
	struct path_lost_group *ret)
{
	const struct zh_trail_step *last = NULL, *drop = NULL;
	size_t i;

	for (i = 0; i < n; i++)
		if (!steps[i].icmp && !steps[i].leg)
			*(steps[i].point == ZH_TRAIL_DROP ? &drop : &last) = &steps[i];
	if (!last || last->point != ZH_TRAIL_HOOK_IN)
		return false;
	ret->last = *last;
	ret->rejected = 1;
	if (drop)
		name_drop(ret, drop, trail);
	return true;
}

void path_lost_add(struct path_lost *lost, const struct zh_trail_step *steps, size_t n,
	const struct path_sent *sent, struct zh_trail *trail)
{
	struct path_lost_group end = {.error = sent->error};
	bool is_silent = sent->outcome == PATH_SILENT;

	if (sent->outcome == PATH_ANSWERED)
		return;
	if (sent->outcome == PATH_REFUSED) {
		if (!find_rejection(steps, n, trail, &end))
			return;
		lost->rejected++;
		add_group(lost, &end);
		return;
	}
	if (find_end(steps, n, trail, &end) || !is_silent) {
		add_group(lost, &end);
	} else if (n && is_delivered(lost, &end.last)) {
		lost->unheard.last = end.last;
		lost->unheard.packets++;
	} else if (n) {
		/* Without sightings nobody can say where it got. */
		add_group(lost, &end);
	}
}

static const char *icmp_text(int family, uint16_t icmp)
{
	static const struct {
		int family;
		uint8_t type;
		int code; /* -1: any */
		const char *text;
	} rows[] = {
		{AF_INET, 3, 0, "network unreachable"},
		{AF_INET, 3, 1, "host unreachable"},
		{AF_INET, 3, 2, "protocol unreachable"},
		{AF_INET, 3, 3, "port unreachable"},
		{AF_INET, 3, 4, "too large, and must not be fragmented"},
		{AF_INET, 3, 9, "network prohibited"},
		{AF_INET, 3, 10, "host prohibited"},
		{AF_INET, 3, 13, "prohibited"},
		{AF_INET, 3, -1, "destination unreachable"},
		{AF_INET, 11, -1, "time to live exceeded"},
		{AF_INET6, 1, 0, "no route"},
		{AF_INET6, 1, 1, "prohibited"},
		{AF_INET6, 1, 3, "address unreachable"},
		{AF_INET6, 1, 4, "port unreachable"},
		{AF_INET6, 1, 5, "source prohibited"},
		{AF_INET6, 1, 6, "route rejects it"},
		{AF_INET6, 1, -1, "destination unreachable"},
		{AF_INET6, 2, -1, "too large"},
		{AF_INET6, 3, -1, "hop limit exceeded"},
	};
	size_t i;

	for (i = 0; i < ZH_ARRAY_SIZE(rows); i++)
		if (rows[i].family == family && rows[i].type == icmp >> 8 &&
			(rows[i].code < 0 || rows[i].code == (icmp & 0xff)))
			return rows[i].text;
	return "not delivered";
}

/* The best that is known: the kernel's reason for the drop, what the sender was told, or a
 * neighbour that does not answer; "" for none. */
static void explain(const struct path_lost *lost, const struct path_lost_group *group,
	char buf[static REASON_MAX])
{
	size_t place = sighting_place(lost->p, group->last.netns);
	int family = lost->p->ways[lost->way].flow.family;

	snprintf(buf, REASON_MAX, "%s", group->reason);
	if (buf[0] && strcmp(buf, "NOT_SPECIFIED"))
		return;
	if (group->icmp)
		snprintf(buf, REASON_MAX, "ICMP error: %s", icmp_text(family, group->icmp));
	else if (group->error)
		snprintf(buf, REASON_MAX, "%.90s", strerror(group->error));
	else if (!buf[0] && group->last.point == ZH_TRAIL_HOOK_OUT &&
		 group->last.what == NF_INET_POST_ROUTING && place != SIGHTING_NO_PLACE)
		path_neighbour_is_missing(
			lost->p, lost->way, place, group->last.leg, buf, REASON_MAX);
}

/* Connection attempts beyond the accept queue are thrown away without being called dropped. */
static void judge_unheard(struct path_lost *lost)
{
	const struct zh_flow *flow = &lost->p->ways[lost->way].flow;
	struct path_lost_group *unheard = &lost->unheard;
	size_t place = sighting_place(lost->p, unheard->last.netns);
	struct path_listener listener;

	if (!unheard->packets || flow->protocol != IPPROTO_TCP || !flow->to_port ||
		place == SIGHTING_NO_PLACE || path_enter(lost->p, place, NULL) < 0 ||
		path_listener_find(&listener, flow, unheard->last.ifindex, NULL) != 0 ||
		listener.queue <= listener.backlog)
		return;
	snprintf(unheard->reason, sizeof(unheard->reason), "the accept queue is full (%u of %u)",
		listener.queue, listener.backlog);
	if (lost->n < PATH_LOST_GROUPS)
		lost->groups[lost->n++] = *unheard;
	else
		lost->cut += unheard->packets;
}

#define FACT(lost, value, key, i)                                                                  \
	zh_fact_number((lost)->p->out, value, "path.way.%zu.proof.lost.%zu." key, (lost)->way, i)
#define FACT_TEXT(lost, value, key, i)                                                             \
	zh_fact_string((lost)->p->out, value, "path.way.%zu.proof.lost.%zu." key, (lost)->way, i)

static const char *point_name(const struct zh_trail_step *step, char *buf, size_t size)
{
	static const char *const names[] = {
		[ZH_TRAIL_QUEUE] = "the queue of",
		[ZH_TRAIL_XMIT] = "the transmit side of",
		[ZH_TRAIL_BACKLOG] = "the backlog behind",
		[ZH_TRAIL_RX] = "the receive side of",
		[ZH_TRAIL_DROP] = "device",
	};

	if (step->point == ZH_TRAIL_HOOK_IN || step->point == ZH_TRAIL_HOOK_OUT)
		snprintf(buf, size, "the %s hook, device", sighting_hook_name(step->what));
	else
		snprintf(buf, size, "%s",
			step->point < ZH_ARRAY_SIZE(names) && names[step->point]
				? names[step->point]
				: "device");
	return buf;
}

/* The hop of the XDP program that took it: native ones act before the device counts it. n_hops:
 * there is none. */
static size_t find_xdp(const struct path_lost *lost, const struct path_lost_group *group)
{
	const struct path_way *way = &lost->p->ways[lost->way];
	size_t place = sighting_place(lost->p, group->drop_netns), i;

	for (i = 0; i < way->n_hops; i++)
		if (!strcmp(group->reason, "XDP") && way->hops[i].kind == PATH_XDP &&
			way->hops[i].place == place && way->hops[i].ifindex == group->drop_ifindex)
			return i;
	return way->n_hops;
}

static void write_point(struct path_lost *lost, const struct path_lost_group *group, size_t i)
{
	const struct path_way *way = &lost->p->ways[lost->way];
	struct zh_trail_step at = group->last, *last = &at;
	size_t hop = find_xdp(lost, group), place;
	char name[64];

	if (hop < way->n_hops) {
		last->netns = group->drop_netns;
		last->ifindex = group->drop_ifindex;
	} else {
		hop = sighting_hop(lost->p, way, last);
	}
	place = sighting_place(lost->p, last->netns);
	if (last->point == ZH_TRAIL_HOOK_IN || last->point == ZH_TRAIL_HOOK_OUT)
		FACT_TEXT(lost, sighting_hook_name(last->what), "hook", i);

	if (place != SIGHTING_NO_PLACE)
		FACT(lost, place, "place", i);
	if (last->ifindex)
		FACT_TEXT(lost,
			sighting_device(lost->p, last->netns, last->ifindex, name, sizeof(name)),
			"dev", i);
	if (hop < way->n_hops)
		FACT(lost, hop, "hop", i);
	else
		FACT_TEXT(lost, point_name(last, name, sizeof(name)), "hop", i);
}

void path_lost_finish(struct path_lost *lost)
{
	char reason[REASON_MAX];
	size_t i;

	judge_unheard(lost);
	for (i = 0; i < lost->n; i++) {
		const struct path_lost_group *group = &lost->groups[i];

		FACT(lost, group->packets, "packets", i);
		FACT(lost, group->rejected, "rejected", i);
		FACT_TEXT(lost, group->last.leg ? "reply" : "request", "leg", i);
		explain(lost, group, reason);
		if (reason[0])
			FACT_TEXT(lost, reason, "reason", i);
		if (group->function[0])
			FACT_TEXT(lost, group->function, "function", i);
		if (group->last.point)
			write_point(lost, group, i);
	}
}
