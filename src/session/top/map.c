/* SPDX-License-Identifier: BSD-2-Clause */
/* Who is where. Namespaces, devices and addresses are found as `path` finds them. */
#include <errno.h>
#include <linux/rtnetlink.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/util.h"
#include "session/top/internal.h"
#include "sys/netns.h"
#include "sys/root.h"

static int by_end(const void *left, const void *right)
{
	const struct path_link *a = ((const struct top_pair *)left)->end;
	const struct path_link *b = ((const struct top_pair *)right)->end;

	if (a->netns != b->netns)
		return a->netns < b->netns ? -1 : 1;
	return a->ifindex < b->ifindex ? -1 : a->ifindex > b->ifindex;
}

static void add_pair(
	struct top_map *map, const struct path_link *end, const struct path_link *other)
{
	if (other)
		map->pairs[map->n_pairs++] = (struct top_pair){end, other};
}

static bool is_paired(const struct top_map *map, const struct path_link *link)
{
	for (size_t i = 0; i < map->n_pairs; i++)
		if (map->pairs[i].end == link)
			return true;
	return false;
}

/* A veth's other end leads back, so it need not be asked for from there. */
static void pair_both(
	struct top_map *map, const struct path_link *link, const struct path_link *other)
{
	if (!other)
		return;
	add_pair(map, link, other);
	if (!strcmp(link->kind, "veth") && !strcmp(other->kind, "veth") && !is_paired(map, other))
		add_pair(map, other, link);
}

/* The numbers that the namespaces have in the one that the thread is in. */
static void read_numbers(struct path *path, int64_t *numbers)
{
	zh_autonetlink *nl = NULL;

	for (size_t i = 0; i < path->map.n_netns; i++)
		numbers[i] = -1;
	if (zh_netlink_open(&nl, NETLINK_ROUTE, NULL) < 0)
		return;
	for (size_t i = 0; i < path->map.n_netns; i++) {
		zh_autoclose int fd = i ? zh_netns_by_name(path->map.netns[i].source, NULL)
					: dup(path->places[0].netns_fd);

		if (fd >= 0)
			numbers[i] = path_map_nsid(nl, fd);
	}
}

static const struct path_link *other_of(
	const struct path *path, const struct path_link *link, const int64_t *numbers)
{
	for (size_t i = 0; i < path->map.n_netns; i++)
		if (numbers[i] == link->nsid)
			return path_map_link(&path->map, i, link->link);
	return NULL;
}

/* Devices of one namespace whose other ends are in others. */
static void pair_netns(struct top_map *map, size_t netns, int64_t *numbers)
{
	struct path *path = map->path;
	bool asked = false;

	for (size_t i = 0; i < path->map.n_links; i++) {
		const struct path_link *link = &path->map.links[i];

		if (link->netns != netns || !link->link || is_paired(map, link))
			continue;
		if (link->nsid < 0) {
			pair_both(map, link, path_map_link(&path->map, netns, link->link));
			continue;
		}
		if (!asked) {
			zh_autoclose int fd =
				netns ? zh_netns_by_name(path->map.netns[netns].source, NULL) : -1;

			if (netns && (fd < 0 || zh_netns_enter(fd, NULL) < 0))
				return;
			read_numbers(path, numbers);
			if (netns)
				zh_netns_enter(path->places[0].netns_fd, NULL);
			asked = true;
		}
		pair_both(map, link, other_of(path, link, numbers));
	}
}

static int pair_all(struct top_map *map, struct zh_err *err)
{
	size_t n = map->path->map.n_links;
	zh_autofree int64_t *numbers = calloc(PATH_NETNS_MAX, sizeof(*numbers));

	/* At most two a link: its own, and the one that leads back. */
	map->pairs = calloc(2 * n + 1, sizeof(*map->pairs));
	if (!map->pairs || !numbers)
		return zh_err_set(err, -ENOMEM, "out of memory");
	for (size_t i = 0; i < map->path->map.n_netns; i++)
		pair_netns(map, i, numbers);
	qsort(map->pairs, map->n_pairs, sizeof(*map->pairs), by_end);
	return 0;
}

void top_map_done(struct top_map *map)
{
	path_survey_close(map->path);
	free(map->pairs);
	*map = (struct top_map){};
}

int top_map_take(struct top_map *map, struct zh_err *err)
{
	int r;

	top_map_done(map);
	map->taken_ns = zh_now_ns();
	if (zh_sys_is_captured())
		return 0;
	r = path_survey_open(&map->path, err);
	if (r < 0)
		return r;
	path_map_take(map->path);
	return pair_all(map, err);
}

size_t top_map_netns(const struct top_map *map, uint64_t inode)
{
	return map->path ? path_map_netns(&map->path->map, inode) : SIZE_MAX;
}

bool top_map_place(const struct top_map *map, uint64_t netns, char *buf, size_t size)
{
	size_t i = top_map_netns(map, netns);

	if (!map->path || i == 0)
		snprintf(buf, size, "here");
	else if (i != SIZE_MAX)
		snprintf(buf, size, "%s", map->path->map.netns[i].name);
	else
		snprintf(buf, size, "netns inode %llu", (unsigned long long)netns);
	return !map->path || i != SIZE_MAX;
}

const struct path_link *top_map_peer(const struct top_map *map, uint64_t netns, uint32_t ifindex)
{
	struct path_link key = {.netns = top_map_netns(map, netns), .ifindex = ifindex};
	struct top_pair wanted = {.end = &key}, *found;

	if (!map->n_pairs)
		return NULL;
	found = bsearch(&wanted, map->pairs, map->n_pairs, sizeof(wanted), by_end);
	return found ? found->other : NULL;
}
