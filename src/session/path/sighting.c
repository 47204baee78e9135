/* SPDX-License-Identifier: BSD-2-Clause */
#include "session/path/sighting.h"

#include <stdio.h>
#include <string.h>

/* Last, since it defines what netinet/in.h defines as well. */
#include <linux/netfilter.h>

static const struct {
	const char *name;
	int mirrored;
} hooks[NF_INET_NUMHOOKS] = {
	[NF_INET_PRE_ROUTING] = {"prerouting", NF_INET_POST_ROUTING},
	[NF_INET_LOCAL_IN] = {"input", NF_INET_LOCAL_OUT},
	[NF_INET_FORWARD] = {"forward", NF_INET_FORWARD},
	[NF_INET_LOCAL_OUT] = {"output", NF_INET_LOCAL_IN},
	[NF_INET_POST_ROUTING] = {"postrouting", NF_INET_PRE_ROUTING},
};

const char *sighting_hook_name(uint32_t hook)
{
	return hook < NF_INET_NUMHOOKS ? hooks[hook].name : "unknown";
}

int sighting_mirrored_hook(int hook)
{
	return hooks[hook].mirrored;
}

size_t sighting_place(const struct path *p, uint32_t netns)
{
	size_t i;

	for (i = 0; i < p->n_places; i++)
		if ((uint32_t)p->places[i].inode == netns)
			return i;
	return SIGHTING_NO_PLACE;
}

/* Its number in the map, which may have to be taken for that; map->n_netns: not there. */
static size_t find_netns(struct path *p, uint32_t netns)
{
	const struct path_map *map = path_map_take(p);
	size_t i;

	for (i = 0; i < map->n_netns; i++)
		if ((uint32_t)map->netns[i].inode == netns)
			break;
	return i;
}

char *sighting_netns(struct path *p, uint32_t netns, char *buf, size_t size)
{
	size_t i = netns ? find_netns(p, netns) : p->map.n_netns;

	if (i < p->map.n_netns)
		snprintf(buf, size, "%s", p->map.netns[i].name);
	else
		snprintf(buf, size, "namespace %u", netns);
	return buf;
}

static bool name_from_facts(
	const struct zh_fact_set *facts, uint32_t ifindex, char *buf, size_t size)
{
	static const char pattern[] = "link.*.ifindex";
	const struct zh_fact *fact;
	size_t pos = 0;

	while (facts && (fact = zh_fact_next(facts, pattern, &pos)))
		if (fact->type == ZH_FACT_NUMBER && fact->number == ifindex) {
			zh_fact_part(buf, size, fact, pattern, 0);
			return true;
		}
	return false;
}

static void name_from_map(struct path *p, uint32_t netns, uint32_t ifindex, char *buf, size_t size)
{
	size_t i = find_netns(p, netns);
	const struct path_link *link =
		i < p->map.n_netns ? path_map_link(&p->map, i, ifindex) : NULL;

	if (link)
		snprintf(buf, size, "%s", link->name);
	else
		snprintf(buf, size, "if%u", ifindex);
}

char *sighting_device(struct path *p, uint32_t netns, uint32_t ifindex, char *buf, size_t size)
{
	size_t place = sighting_place(p, netns), i;
	const struct zh_fact_set *facts =
		place == SIGHTING_NO_PLACE ? NULL : p->places[place].facts;

	if (!name_from_facts(facts, ifindex, buf, size))
		name_from_map(p, netns, ifindex, buf, size);
	for (i = 0; buf[i]; i++)
		if (buf[i] == '.')
			buf[i] = '/';
	return buf;
}

size_t sighting_hop(
	const struct path *p, const struct path_way *way, const struct zh_trail_step *step)
{
	size_t place = sighting_place(p, step->netns), i, found = way->n_hops;
	bool is_hook = step->point == ZH_TRAIL_HOOK_IN || step->point == ZH_TRAIL_HOOK_OUT;
	bool is_in = step->point == ZH_TRAIL_BACKLOG || step->point == ZH_TRAIL_RX;
	int hook = is_hook && step->what < NF_INET_NUMHOOKS ? (int)step->what : -1;

	if (hook >= 0 && step->leg)
		hook = sighting_mirrored_hook(hook);
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
