/* SPDX-License-Identifier: BSD-2-Clause */
#include "session/path/tally.h"

#include <stdlib.h>
#include <string.h>

#include "base/util.h"
#include "session/path/lost.h"
#include "session/path/sighting.h"

/* Last, since it defines what netinet/in.h defines as well. */
#include <linux/netfilter.h>

#define DEVICES_MAX 64

/* Packets seen on a device, each once, by leg. */
struct device {
	size_t place; /* SIGHTING_NO_PLACE: none of the way's */
	uint32_t ifindex, netns;
	uint64_t seen[2];
};

struct hook {
	uint64_t in[2], out[2];
};

struct path_tally {
	struct path *p;
	size_t way;
	uint64_t sent, answered;
	struct device devices[DEVICES_MAX];
	size_t n_devices;
	struct hook hooks[ZH_PATH_PLACES_MAX][NF_INET_NUMHOOKS];
	struct path_lost lost;
	uint64_t refused, cut; /* cut: devices that did not fit */
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
	tally->lost = (struct path_lost){.p = p, .way = way};
	return tally;
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
		.place = sighting_place(tally->p, netns), .ifindex = ifindex, .netns = netns};
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
	size_t place = sighting_place(tally->p, s->netns);
	struct hook *hook;

	if (place == SIGHTING_NO_PLACE || s->what >= NF_INET_NUMHOOKS || is_repeated(steps, i))
		return;
	hook = &tally->hooks[place][s->what];
	(s->point == ZH_TRAIL_HOOK_IN ? hook->in : hook->out)[s->leg & 1]++;
}

void path_tally_add(struct path_tally *tally, const struct zh_trail_step *steps, size_t n,
	const struct path_sent *sent, struct zh_trail *trail)
{
	size_t i;

	for (i = 0; i < n; i++) {
		if (steps[i].point == ZH_TRAIL_HOOK_IN || steps[i].point == ZH_TRAIL_HOOK_OUT)
			count_hook(tally, steps, i);
		else if (steps[i].point != ZH_TRAIL_DROP)
			count_device(tally, steps, i);
	}
	tally->refused += sent->outcome == PATH_REFUSED;
	path_lost_add(&tally->lost, steps, n, sent, trail);
}

#define FACT(tally, value, format, ...)                                                            \
	zh_fact_number(                                                                            \
		(tally)->p->out, value, "path.way.%zu.proof." format, (tally)->way, ##__VA_ARGS__)
#define FACT_TEXT(tally, value, format, ...)                                                       \
	zh_fact_string(                                                                            \
		(tally)->p->out, value, "path.way.%zu.proof." format, (tally)->way, ##__VA_ARGS__)

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
		sighting_device(tally->p, (uint32_t)tally->p->places[0].inode,
			(uint32_t)fact->number, name, sizeof(name));
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

		if (d->place == SIGHTING_NO_PLACE)
			continue;
		sighting_device(tally->p, d->netns, d->ifindex, name, sizeof(name));
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
			const char *name = sighting_hook_name((uint32_t)number);

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

	sighting_device(tally->p, (uint32_t)tally->p->places[hop->place].inode, hop->ifindex, name,
		sizeof(name));
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
		ret[0] = ret[1] = tally->answered + tally->refused - tally->lost.rejected;
		ret_known[0] = ret_known[1] = !hop->ends || ret[0];
		break;
	case PATH_NETFILTER:
		ret_known[0] = ret_known[1] = hop->hook >= 0 && any_hook_seen(tally, hop->place);
		if (!ret_known[0])
			break;
		ret[0] = tally->hooks[hop->place][hop->hook].in[0];
		ret[1] = tally->hooks[hop->place][sighting_mirrored_hook(hop->hook)].in[1];
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
		sighting_device(tally->p, d->netns, d->ifindex, name, sizeof(name));
		if (d->place == SIGHTING_NO_PLACE) {
			FACT_TEXT(tally, sighting_netns(tally->p, d->netns, place, sizeof(place)),
				"stray.%zu.place", n);
		} else {
			FACT(tally, d->place, "stray.%zu.place", n);
		}
		FACT_TEXT(tally, name, "stray.%zu.dev", n);
		FACT(tally, d->seen[0], "stray.%zu.packets", n++);
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
	path_lost_finish(&tally->lost);
	tally->cut += tally->lost.cut;
	if (tally->cut)
		zh_record_not_measured(tally->p->record, "some sightings of packets",
			"%llu devices or ways of getting lost were too many to list",
			(unsigned long long)tally->cut);
	free(tally);
}
