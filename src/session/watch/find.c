/* SPDX-License-Identifier: BSD-2-Clause */
/* The device that was asked for, in whichever namespace it is, and its other end. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/util.h"
#include "session/watch/internal.h"
#include "sys/netns.h"

#define LISTED_MAX 8

void watch_place_name(const struct watch *w, size_t netns, char *buf, size_t size)
{
	const struct path_netns *place = &w->path->map.netns[netns];
	const struct zh_pod *pod = zh_pods_by_netns(&w->pods, place->inode);
	char label[200];

	if (pod)
		snprintf(buf, size, "pod %s", zh_pod_label(label, sizeof(label), pod));
	else
		snprintf(buf, size, "%s", netns ? place->name : "this namespace");
}

size_t watch_netns_of(const struct watch *w, uint64_t inode)
{
	for (size_t i = 0; i < w->path->map.n_netns; i++)
		if (inode && w->path->map.netns[i].inode == inode)
			return i;
	return SIZE_MAX;
}

void watch_key_name(char *buf, size_t size, const char *name)
{
	snprintf(buf, size, "%s", name);
	for (; *buf; buf++)
		if (*buf == '.')
			*buf = '/';
}

static int none(const struct watch *w, const char *device, struct zh_err *err)
{
	const struct path_map *map = &w->path->map;
	zh_autobuf here = {};
	size_t n = 0;

	for (size_t i = 0; i < map->n_links; i++) {
		if (map->links[i].netns != 0)
			continue;
		if (n++ < LISTED_MAX)
			zh_buf_addf(&here, "%s%s", here.len ? ", " : "", map->links[i].name);
	}
	return zh_err_set(err, -EINVAL,
		"no device '%.40s' in this network namespace (%s%s) nor in %zu others%s%.100s",
		device, here.text ? here.text : "it has none", n > LISTED_MAX ? ", ..." : "",
		map->n_netns - 1, map->refused[0] ? ": " : "", map->refused);
}

static int ambiguous(const struct watch *w, const char *device, size_t found, struct zh_err *err)
{
	const struct path_map *map = &w->path->map;
	zh_autobuf places = {};
	size_t n = 0;

	for (size_t i = 0; i < map->n_links; i++) {
		char place[200];

		if (strcmp(map->links[i].name, device) || n++ >= LISTED_MAX)
			continue;
		watch_place_name(w, map->links[i].netns, place, sizeof(place));
		zh_buf_addf(&places, "%s%s", places.len ? ", " : "", place);
	}
	return zh_err_set(err, -EINVAL,
		"%zu namespaces have a device '%.40s' (%s%s): say which with --netns, --pid or "
		"--pod",
		found, device, places.text ? places.text : "", found > LISTED_MAX ? ", ..." : "");
}

static int find_named(struct watch *w, const char *device, struct zh_err *err)
{
	const struct path_map *map = &w->path->map;
	size_t found = 0;

	for (size_t i = 0; i < map->n_links; i++) {
		const struct path_link *link = &map->links[i];

		if (strcmp(link->name, device))
			continue;
		w->link = link;
		if (link->netns == 0)
			return 0;
		found++;
	}
	if (found == 1)
		return 0;
	w->link = NULL;
	return found ? ambiguous(w, device, found, err) : none(w, device, err);
}

/* A pod's own device: the first that is up and no loopback; one that is down if there is no
 * other. */
static int find_any(struct watch *w, struct zh_err *err)
{
	const struct path_map *map = &w->path->map;

	for (size_t i = 0; i < map->n_links; i++) {
		const struct path_link *link = &map->links[i];

		if (link->netns != 0 || !strcmp(link->name, "lo"))
			continue;
		if (!w->link || (link->is_up && !w->link->is_up))
			w->link = link;
	}
	if (w->link)
		return 0;
	return zh_err_set(err, -ENODEV, "this network namespace has no device but lo");
}

static int open_netns(const struct watch *w, size_t netns, struct zh_err *err)
{
	if (netns == 0)
		return fcntl(w->path->places[0].netns_fd, F_DUPFD_CLOEXEC, 0);
	return zh_netns_by_name(w->path->map.netns[netns].source, err);
}

int watch_find(struct watch *w, const struct zh_watch_config *config, struct zh_err *err)
{
	int r;

	path_map_take(w->path);
	r = config->device ? find_named(w, config->device, err) : find_any(w, err);
	if (r < 0)
		return r;
	w->netns_fd = open_netns(w, w->link->netns, err);
	if (w->netns_fd < 0)
		return w->netns_fd;
	if (!strcmp(w->link->kind, "veth"))
		w->peer = path_link_other(w->path, w->link, w->why_no_peer, sizeof(w->why_no_peer));
	if (!w->peer)
		return 0;
	w->peer_netns_fd = open_netns(w, w->peer->netns, NULL);
	if (w->peer_netns_fd < 0) {
		snprintf(w->why_no_peer, sizeof(w->why_no_peer),
			"the namespace of its other end has gone");
		w->peer = NULL;
	}
	return 0;
}
