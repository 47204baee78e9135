/* SPDX-License-Identifier: BSD-2-Clause */
/* The device that was asked for, in whichever namespace it is, and its other end. */
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/util.h"
#include "facts/way.h"
#include "session/watch/internal.h"
#include "sys/netlink.h"
#include "sys/netns.h"

#define LISTED_MAX 8

void watch_place_name(const struct watch *w, size_t netns, char *buf, size_t size)
{
	const struct path_netns *place = &w->path->map.netns[netns];
	bool is_here = !netns && !strcmp(place->name, "here");

	snprintf(buf, size, "%s", is_here ? "this namespace" : place->name);
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

/* The device of the default route, 0: none. The addresses are nobody's (RFC 5737, RFC 3849). */
static unsigned int default_device(void)
{
	static const struct {
		int family;
		const char *address;
	} far[] = {{AF_INET, "198.51.100.1"}, {AF_INET6, "2001:db8::1"}};
	zh_autonetlink *nl = NULL;

	if (zh_netlink_open(&nl, NETLINK_ROUTE, NULL) < 0)
		return 0;
	for (size_t i = 0; i < ZH_ARRAY_SIZE(far); i++) {
		struct zh_flow flow = {.family = far[i].family, .protocol = IPPROTO_UDP};
		struct zh_route route;
		int refusal;

		inet_pton(flow.family, far[i].address, &flow.to);
		if (zh_way_ask(nl, &flow, &route, &refusal, NULL) == 0 && route.ifindex)
			return route.ifindex;
	}
	return 0;
}

/* "eth0, net1" */
static void list_up(const struct path_map *map, char *buf, size_t size)
{
	size_t len = 0;

	for (size_t i = 0; i < map->n_links && len + 1 < size; i++)
		if (map->links[i].netns == 0 && map->links[i].is_up &&
			strcmp(map->links[i].name, "lo"))
			len += (size_t)snprintf(
				buf + len, size - len, "%s%s", len ? ", " : "", map->links[i].name);
}

/* Of several devices that are up it is the one that packets to the world take. */
static int find_any(struct watch *w, struct zh_err *err)
{
	const struct path_map *map = &w->path->map;
	unsigned int by_route = default_device();
	size_t n_up = 0, n = 0;
	char list[160] = "";

	for (size_t i = 0; i < map->n_links; i++) {
		const struct path_link *link = &map->links[i];

		if (link->netns != 0 || !strcmp(link->name, "lo"))
			continue;
		n++;
		n_up += link->is_up;
		if (!w->link || (link->is_up && !w->link->is_up) || link->ifindex == by_route)
			w->link = link;
	}
	if (!w->link)
		return zh_err_set(err, -ENODEV, "this network namespace has no device but lo");
	list_up(map, list, sizeof(list));
	if (n == 1)
		snprintf(w->why, sizeof(w->why), "it is the only device but lo");
	else if (n_up < 2)
		snprintf(w->why, sizeof(w->why),
			n_up ? "it is the only device that is up, but lo"
			     : "no device is up, and it is the first");
	else if (w->link->ifindex == by_route)
		snprintf(w->why, sizeof(w->why), "of %s the default route leads over it", list);
	else
		snprintf(w->why, sizeof(w->why),
			"it is the first of %s, and there is no default route", list);
	return 0;
}

/* A pod on the machine's own network has no device of its own. */
static int check_pod(const struct watch *w, struct zh_err *err)
{
	const struct zh_watch_config *config = w->config;
	const struct zh_pod *pod = config->pod && !config->device
					   ? zh_pods_find(&w->path->pods, config->pod, NULL)
					   : NULL;
	char label[200];

	if (!pod || !pod->host_network)
		return 0;
	zh_err_set(err, -EINVAL,
		"pod %.100s uses the machine's own network and has no device of its own",
		zh_pod_label(label, sizeof(label), pod));
	zh_err_hint(err, "name a device with --dev, or leave --pod out");
	return -EINVAL;
}

/* The machine's side of a pod's device; a device of the machine is that itself. */
static void find_host(struct watch *w)
{
	const struct path_link *link = w->link;
	bool is_veth = !strcmp(link->kind, "veth");
	char why[200];

	if (is_veth && w->peer && w->peer->netns != link->netns)
		w->host = w->peer;
	else if (!is_veth && link->link)
		w->host = path_link_other(w->path, link, why, sizeof(why));
	if (link->master)
		w->bridge = path_map_link(&w->path->map, link->netns, link->master);
	else if (w->host)
		w->bridge = path_map_link(&w->path->map, w->host->netns, w->host->master);
}

static int open_netns(const struct watch *w, size_t netns, struct zh_err *err)
{
	if (netns == 0)
		return fcntl(w->path->places[0].netns_fd, F_DUPFD_CLOEXEC, 0);
	return zh_netns_by_name(w->path->map.netns[netns].source, err);
}

static void find_peer(struct watch *w)
{
	if (!strcmp(w->link->kind, "veth"))
		w->peer = path_link_other(w->path, w->link, w->why_no_peer, sizeof(w->why_no_peer));
	if (!w->peer)
		return;
	w->peer_netns_fd = open_netns(w, w->peer->netns, NULL);
	if (w->peer_netns_fd < 0) {
		snprintf(w->why_no_peer, sizeof(w->why_no_peer),
			"the namespace of its other end has gone");
		w->peer = NULL;
	}
}

int watch_find(struct watch *w, struct zh_err *err)
{
	const char *device = w->config->device;
	int r;

	path_map_take(w->path);
	r = check_pod(w, err);
	if (r == 0)
		r = device ? find_named(w, device, err) : find_any(w, err);
	if (r < 0)
		return r;
	w->netns_fd = open_netns(w, w->link->netns, err);
	if (w->netns_fd < 0)
		return w->netns_fd;
	find_peer(w);
	find_host(w);
	return 0;
}
