/* SPDX-License-Identifier: BSD-2-Clause */
#include "session/path/tally.h"

#include <errno.h>
#include <linux/netfilter.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/util.h"

#define DEVICES_MAX 64
#define GROUPS_MAX 16
#define UNKNOWN_PLACE SIZE_MAX

/* Packets seen on a device, each once, by leg. */
struct device {
	size_t place; /* UNKNOWN_PLACE: none of the path's */
	uint32_t ifindex, netns;
	uint64_t seen[2];
};

struct hook {
	uint64_t in[2], out[2];
};

/* Lost packets that ended in the same way. */
struct group {
	struct zh_trail_step last; /* point 0: never seen */
	char reason[64], function[64];
	uint64_t packets;
};

struct path_tally {
	struct path *p;
	size_t way;
	uint64_t sent, answered;
	struct device devices[DEVICES_MAX];
	size_t n_devices;
	struct hook hooks[ZH_PATH_PLACES_MAX][NF_INET_NUMHOOKS];
	struct group groups[GROUPS_MAX];
	size_t n_groups;
	uint64_t refused, cut; /* cut: rows that did not fit */
};

static const char *const hook_names[NF_INET_NUMHOOKS] = {
	[NF_INET_PRE_ROUTING] = "prerouting",
	[NF_INET_LOCAL_IN] = "input",
	[NF_INET_FORWARD] = "forward",
	[NF_INET_LOCAL_OUT] = "output",
	[NF_INET_POST_ROUTING] = "postrouting",
};

/* The hook that an answer passes where its request passed the other one. */
static const int mirrored[NF_INET_NUMHOOKS] = {
	[NF_INET_PRE_ROUTING] = NF_INET_POST_ROUTING,
	[NF_INET_LOCAL_IN] = NF_INET_LOCAL_OUT,
	[NF_INET_FORWARD] = NF_INET_FORWARD,
	[NF_INET_LOCAL_OUT] = NF_INET_LOCAL_IN,
	[NF_INET_POST_ROUTING] = NF_INET_PRE_ROUTING,
};

struct path_tally *path_tally_new(struct path *p, size_t way, uint64_t sent, uint64_t answered)
{
	struct path_tally *tally = calloc(1, sizeof(*tally));

	if (!tally)
		return NULL;
	tally->p = p;
	tally->way = way;
	tally->sent = sent;
	tally->answered = answered;
	return tally;
}

static size_t place_of(const struct path *p, uint32_t netns)
{
	size_t i;

	for (i = 0; i < p->n_places; i++)
		if ((uint32_t)p->places[i].inode == netns)
			return i;
	return UNKNOWN_PLACE;
}

static struct device *device_of(struct path_tally *tally, uint32_t netns, uint32_t ifindex)
{
	struct device *device;
	size_t i;

	if (!ifindex || !netns)
		return NULL;
	for (i = 0; i < tally->n_devices; i++) {
		device = &tally->devices[i];
		if (device->ifindex == ifindex && device->netns == netns)
			return device;
	}
	if (tally->n_devices == DEVICES_MAX) {
		tally->cut++;
		return NULL;
	}
	device = &tally->devices[tally->n_devices++];
	*device = (struct device){
		.place = place_of(tally->p, netns), .ifindex = ifindex, .netns = netns};
	return device;
}

/* Whether an earlier step of the packet says the same: it is counted once. */
static bool is_repeated(const struct zh_trail_step *steps, size_t i)
{
	const struct zh_trail_step *s = &steps[i];
	size_t k;

	for (k = 0; k < i; k++)
		if (steps[k].point == s->point && steps[k].leg == s->leg &&
			steps[k].netns == s->netns && steps[k].ifindex == s->ifindex &&
			steps[k].what == s->what)
			return true;
	return false;
}

/* Whether an earlier step of the packet's leg was on the same device. */
static bool was_seen(const struct zh_trail_step *steps, size_t i)
{
	const struct zh_trail_step *s = &steps[i];
	size_t k;

	for (k = 0; k < i; k++)
		if (steps[k].point != ZH_TRAIL_DROP && steps[k].point != ZH_TRAIL_HOOK_IN &&
			steps[k].point != ZH_TRAIL_HOOK_OUT && steps[k].leg == s->leg &&
			steps[k].netns == s->netns && steps[k].ifindex == s->ifindex)
			return true;
	return false;
}

static void count_device(struct path_tally *tally, const struct zh_trail_step *steps, size_t i)
{
	struct device *device = device_of(tally, steps[i].netns, steps[i].ifindex);

	if (device && !was_seen(steps, i))
		device->seen[steps[i].leg & 1]++;
}

static void count_hook(struct path_tally *tally, const struct zh_trail_step *steps, size_t i)
{
	const struct zh_trail_step *s = &steps[i];
	size_t place = place_of(tally->p, s->netns);
	struct hook *hook;

	if (place == UNKNOWN_PLACE || s->what >= NF_INET_NUMHOOKS || is_repeated(steps, i))
		return;
	hook = &tally->hooks[place][s->what];
	(s->point == ZH_TRAIL_HOOK_IN ? hook->in : hook->out)[s->leg & 1]++;
}

static bool same_end(const struct group *group, const struct group *other)
{
	const struct zh_trail_step *a = &group->last, *b = &other->last;

	return a->point == b->point && a->leg == b->leg && a->netns == b->netns &&
	       a->ifindex == b->ifindex && !strcmp(group->reason, other->reason) &&
	       !strcmp(group->function, other->function) &&
	       (a->point != ZH_TRAIL_HOOK_IN || a->what == b->what);
}

static void add_group(struct path_tally *tally, const struct group *found)
{
	size_t i;

	for (i = 0; i < tally->n_groups; i++)
		if (same_end(&tally->groups[i], found)) {
			tally->groups[i].packets++;
			return;
		}
	if (tally->n_groups == GROUPS_MAX) {
		tally->cut++;
		return;
	}
	tally->groups[tally->n_groups] = *found;
	tally->groups[tally->n_groups++].packets = 1;
}

/*
 * How a packet without an answer ended. True when it was lost: dropped, seen in front of a hook and
 * not behind it, or gone without a trace. False: it was handed on to whoever it was for.
 */
static bool find_end(const struct path_tally *tally, const struct zh_trail_step *steps, size_t n,
	struct zh_trail *trail, struct group *ret)
{
	const struct path_way *way = &tally->p->ways[tally->way];
	const struct zh_trail_step *drop = NULL;
	const char *name;
	size_t end = way->n_hops ? way->hops[way->n_hops - 1].place : 0, i;

	for (i = 0; i < n; i++) {
		if (steps[i].point == ZH_TRAIL_DROP)
			drop = &steps[i];
		else
			ret->last = steps[i];
	}
	if (drop) {
		name = trail ? zh_trail_drop_reason(trail, drop->what) : NULL;
		if (name)
			snprintf(ret->reason, sizeof(ret->reason), "%.63s", name);
		if (trail)
			zh_trail_function(
				trail, ret->function, sizeof(ret->function), drop->location);
		if (!ret->last.point)
			ret->last = *drop;
		return true;
	}
	/* A received packet is handed to its socket behind the input hook, or, where no hooks are
	 * seen, behind the device. */
	if (ret->last.leg || place_of(tally->p, ret->last.netns) != end)
		return true;
	if (ret->last.point == ZH_TRAIL_HOOK_OUT)
		return ret->last.what != NF_INET_LOCAL_IN;
	return ret->last.point != ZH_TRAIL_RX;
}

void path_tally_add(struct path_tally *tally, const struct zh_trail_step *steps, size_t n,
	const struct path_sent *sent, struct zh_trail *trail)
{
	struct group group = {};
	bool lost;
	size_t i;

	for (i = 0; i < n; i++) {
		if (steps[i].point == ZH_TRAIL_HOOK_IN || steps[i].point == ZH_TRAIL_HOOK_OUT)
			count_hook(tally, steps, i);
		else if (steps[i].point != ZH_TRAIL_DROP)
			count_device(tally, steps, i);
	}
	tally->refused += sent->outcome == PATH_REFUSED;
	if (sent->outcome == PATH_ANSWERED || sent->outcome == PATH_REFUSED)
		return;
	lost = find_end(tally, steps, n, trail, &group);
	/* Without sightings nobody can say where it got. */
	if (sent->outcome == PATH_SILENT && !n)
		return;
	if (sent->outcome == PATH_FAILED && !group.reason[0])
		snprintf(group.reason, sizeof(group.reason), "%.60s", strerror(sent->error));
	if (lost || sent->outcome == PATH_FAILED)
		add_group(tally, &group);
}

#define FACT(tally, value, format, ...)                                                            \
	zh_fact_number(                                                                            \
		(tally)->p->out, value, "path.way.%zu.proof." format, (tally)->way, ##__VA_ARGS__)
#define FACT_TEXT(tally, value, format, ...)                                                       \
	zh_fact_string(                                                                            \
		(tally)->p->out, value, "path.way.%zu.proof." format, (tally)->way, ##__VA_ARGS__)

/* A device's name in its place, as a key part; "if7" when it is gone. */
static char *name_device(
	const struct path *p, size_t place, uint32_t ifindex, char *buf, size_t size)
{
	static const char pattern[] = "link.*.ifindex";
	const struct zh_fact_set *facts = place == UNKNOWN_PLACE ? NULL : p->places[place].facts;
	const struct zh_fact *fact;
	size_t pos = 0, i;

	snprintf(buf, size, "if%u", ifindex);
	while (facts && (fact = zh_fact_next(facts, pattern, &pos))) {
		if (fact->type != ZH_FACT_NUMBER || fact->number != ifindex)
			continue;
		zh_fact_part(buf, size, fact, pattern, 0);
		break;
	}
	for (i = 0; buf[i]; i++)
		if (buf[i] == '.')
			buf[i] = '/';
	return buf;
}

/* All devices of the first place are listed: "eth0 0" is part of the proof. */
static void finish_idle(struct path_tally *tally)
{
	static const char pattern[] = "link.*.ifindex";
	const struct zh_fact_set *facts = tally->p->places[0].facts;
	const struct zh_fact *fact;
	char name[64];
	size_t pos = 0, i;

	while (facts && (fact = zh_fact_next(facts, pattern, &pos))) {
		for (i = 0; i < tally->n_devices; i++)
			if (tally->devices[i].place == 0 &&
				tally->devices[i].ifindex == fact->number)
				break;
		if (i < tally->n_devices)
			continue;
		name_device(tally->p, 0, (uint32_t)fact->number, name, sizeof(name));
		FACT(tally, 0, "dev.0.%s.requests", name);
		FACT(tally, 0, "dev.0.%s.replies", name);
	}
}

static void finish_devices(struct path_tally *tally)
{
	char name[64];
	size_t i;

	for (i = 0; i < tally->n_devices; i++) {
		const struct device *d = &tally->devices[i];

		if (d->place == UNKNOWN_PLACE)
			continue;
		name_device(tally->p, d->place, d->ifindex, name, sizeof(name));
		FACT(tally, d->seen[0], "dev.%zu.%s.requests", d->place, name);
		FACT(tally, d->seen[1], "dev.%zu.%s.replies", d->place, name);
	}
	finish_idle(tally);
}

static void finish_hooks(struct path_tally *tally)
{
	size_t place, number;

	for (place = 0; place < tally->p->n_places; place++)
		for (number = 0; number < NF_INET_NUMHOOKS; number++) {
			const struct hook *h = &tally->hooks[place][number];
			const char *name = hook_names[number];

			if (!h->in[0] && !h->in[1] && !h->out[0] && !h->out[1])
				continue;
			FACT(tally, h->in[0], "hook.%zu.%s.requests_in", place, name);
			FACT(tally, h->out[0], "hook.%zu.%s.requests_out", place, name);
			FACT(tally, h->in[1], "hook.%zu.%s.replies_in", place, name);
			FACT(tally, h->out[1], "hook.%zu.%s.replies_out", place, name);
		}
}

static const struct device *find_device(
	const struct path_tally *tally, size_t place, uint32_t ifindex)
{
	size_t i;

	for (i = 0; i < tally->n_devices; i++)
		if (tally->devices[i].place == place && tally->devices[i].ifindex == ifindex)
			return &tally->devices[i];
	return NULL;
}

/* A macvlan child takes its packets from the parent's receive path, behind the point where received
 * packets are counted. */
static bool counts_received(const struct path_tally *tally, const struct path_hop *hop)
{
	const struct zh_fact_set *facts = tally->p->places[hop->place].facts;
	const char *kind;
	char name[64];

	name_device(tally->p, hop->place, hop->ifindex, name, sizeof(name));
	kind = facts ? zh_fact_text(facts, "link.%s.kind", name) : NULL;
	return !kind || (strcmp(kind, "macvlan") && strcmp(kind, "macvtap"));
}

static bool any_hook_seen(const struct path_tally *tally, size_t place)
{
	size_t number;

	for (number = 0; number < NF_INET_NUMHOOKS; number++)
		if (tally->hooks[place][number].in[0] || tally->hooks[place][number].in[1])
			return true;
	return false;
}

/* What passed a hop by leg; ret_known says which of the two is watched there. */
static void count_hop(const struct path_tally *tally, const struct path_hop *hop, uint64_t ret[2],
	bool ret_known[2])
{
	const struct device *device;

	ret[0] = ret[1] = 0;
	ret_known[0] = ret_known[1] = true;
	switch (hop->kind) {
	case PATH_SOCKET:
		ret[0] = tally->sent;
		ret[1] = tally->answered;
		break;
	case PATH_END:
		ret[0] = ret[1] = tally->answered + tally->refused;
		ret_known[0] = ret_known[1] = !hop->ends || ret[0];
		break;
	case PATH_NETFILTER:
		ret_known[0] = ret_known[1] = hop->hook >= 0 && any_hook_seen(tally, hop->place);
		if (!ret_known[0])
			break;
		ret[0] = tally->hooks[hop->place][hop->hook].in[0];
		ret[1] = tally->hooks[hop->place][mirrored[hop->hook]].in[1];
		break;
	case PATH_DEVICE:
		device = find_device(tally, hop->place, hop->ifindex);
		if (device)
			memcpy(ret, device->seen, sizeof(device->seen));
		ret_known[!hop->is_inbound] = ret[!hop->is_inbound] || counts_received(tally, hop);
		break;
	default:
		ret_known[0] = ret_known[1] = false;
	}
}

static void finish_hops(struct path_tally *tally)
{
	const struct path_way *way = &tally->p->ways[tally->way];
	bool known[2];
	uint64_t n[2];
	size_t i;

	for (i = 0; i < way->n_hops; i++) {
		count_hop(tally, &way->hops[i], n, known);
		if (known[0])
			FACT(tally, n[0], "hop.%zu.requests", i);
		if (known[1])
			FACT(tally, n[1], "hop.%zu.replies", i);
	}
}

static bool is_on_way(const struct path_tally *tally, const struct device *device)
{
	const struct path_way *way = &tally->p->ways[tally->way];
	size_t i;

	for (i = 0; i < way->n_hops; i++)
		if (way->hops[i].place == device->place && way->hops[i].ifindex == device->ifindex)
			return true;
	return false;
}

static void finish_strays(struct path_tally *tally)
{
	char name[64], place[64];
	size_t i, n = 0;

	for (i = 0; i < tally->n_devices; i++) {
		const struct device *d = &tally->devices[i];

		if (!d->seen[0] || is_on_way(tally, d))
			continue;
		name_device(tally->p, d->place, d->ifindex, name, sizeof(name));
		if (d->place == UNKNOWN_PLACE) {
			snprintf(place, sizeof(place), "namespace %u", d->netns);
			FACT_TEXT(tally, place, "stray.%zu.place", n);
		} else {
			FACT(tally, d->place, "stray.%zu.place", n);
		}
		FACT_TEXT(tally, name, "stray.%zu.dev", n);
		FACT(tally, d->seen[0], "stray.%zu.packets", n++);
	}
}

/* The hop of the list that a sighting belongs to; n_hops when there is none. */
static size_t hop_of(const struct path_tally *tally, const struct zh_trail_step *step)
{
	const struct path_way *way = &tally->p->ways[tally->way];
	size_t place = place_of(tally->p, step->netns), i, found = way->n_hops;
	bool is_hook = step->point == ZH_TRAIL_HOOK_IN || step->point == ZH_TRAIL_HOOK_OUT;
	bool is_in = step->point == ZH_TRAIL_BACKLOG || step->point == ZH_TRAIL_RX;
	int hook = is_hook && step->what < NF_INET_NUMHOOKS ? (int)step->what : -1;

	if (hook >= 0 && step->leg)
		hook = mirrored[hook];
	for (i = 0; i < way->n_hops; i++) {
		const struct path_hop *hop = &way->hops[i];

		if (hop->place != place)
			continue;
		if (hook >= 0 && hop->kind == PATH_NETFILTER && hop->hook == hook)
			return i;
		if (hook < 0 && hop->kind == PATH_DEVICE && hop->ifindex == step->ifindex &&
			hop->is_inbound == (step->leg ? !is_in : is_in))
			found = i;
	}
	return found;
}

static const char *point_name(uint8_t point)
{
	static const char *const names[] = {
		[ZH_TRAIL_QUEUE] = "the queue of",
		[ZH_TRAIL_XMIT] = "the transmit side of",
		[ZH_TRAIL_BACKLOG] = "the backlog behind",
		[ZH_TRAIL_RX] = "the receive side of",
		[ZH_TRAIL_HOOK_IN] = "a hook",
		[ZH_TRAIL_HOOK_OUT] = "behind a hook",
		[ZH_TRAIL_DROP] = "a drop",
	};

	return point < ZH_ARRAY_SIZE(names) && names[point] ? names[point] : "device";
}

static void finish_lost(struct path_tally *tally)
{
	const struct path_way *way = &tally->p->ways[tally->way];
	char name[64];
	size_t i, hop, place;

	for (i = 0; i < tally->n_groups; i++) {
		const struct group *g = &tally->groups[i];

		FACT(tally, g->packets, "lost.%zu.packets", i);
		FACT_TEXT(tally, g->last.leg ? "reply" : "request", "lost.%zu.leg", i);
		if (g->reason[0])
			FACT_TEXT(tally, g->reason, "lost.%zu.reason", i);
		if (g->function[0])
			FACT_TEXT(tally, g->function, "lost.%zu.function", i);
		if (!g->last.point)
			continue;
		place = place_of(tally->p, g->last.netns);
		if (place != UNKNOWN_PLACE)
			FACT(tally, place, "lost.%zu.place", i);
		if (g->last.ifindex)
			FACT_TEXT(tally,
				name_device(tally->p, place, g->last.ifindex, name, sizeof(name)),
				"lost.%zu.dev", i);
		hop = hop_of(tally, &g->last);
		if (hop < way->n_hops)
			FACT(tally, hop, "lost.%zu.hop", i);
		else
			FACT_TEXT(tally, point_name(g->last.point), "lost.%zu.hop", i);
	}
}

/*
 * What a macvlan child received is counted by nobody but the hook behind it: taken from there. On
 * arrival that are requests, where the packet was sent from the answers.
 */
static void infer_received(struct path_tally *tally)
{
	const struct path_way *way = &tally->p->ways[tally->way];
	struct device *device;
	size_t i;

	for (i = 0; i < way->n_hops; i++) {
		const struct path_hop *hop = &way->hops[i];
		int leg = !hop->is_inbound;

		if (hop->kind != PATH_DEVICE || counts_received(tally, hop))
			continue;
		device = device_of(
			tally, (uint32_t)tally->p->places[hop->place].inode, hop->ifindex);
		if (device && !device->seen[leg])
			device->seen[leg] = tally->hooks[hop->place][NF_INET_PRE_ROUTING].in[leg];
	}
}

void path_tally_finish(struct path_tally *tally)
{
	infer_received(tally);
	finish_devices(tally);
	finish_hooks(tally);
	finish_hops(tally);
	finish_strays(tally);
	finish_lost(tally);
	if (tally->cut)
		zh_record_not_measured(tally->p->record, "some sightings of packets",
			"%llu devices or ways of getting lost were too many to list",
			(unsigned long long)tally->cut);
	free(tally);
}
