/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Network namespaces of the way. They are found by their names (--via-netns, /run/netns) and by the
 * processes in them; numbers that devices carry (netnsid) are matched by asking the kernel.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/util.h"
#include "facts/facts.h"
#include "facts/read.h"
#include "session/path/internal.h"
#include "sys/net-config.h"
#include "sys/netns.h"
#include "sys/root.h"

int path_enter(struct path *p, size_t place, struct zh_err *err)
{
	int r;

	if (place == p->current)
		return 0;
	r = zh_netns_enter(p->places[place].netns_fd, err);
	if (r == 0)
		p->current = place;
	return r;
}

static void add_place(struct path *p, size_t netns, int fd)
{
	struct path_place *place = &p->places[p->n_places];

	*place = (struct path_place){
		.netns_fd = fd, .inode = p->map.netns[netns].inode, .netns = netns};
	memcpy(place->name, p->map.netns[netns].name, sizeof(place->name));
	p->map.netns[netns].place = p->n_places;
	zh_fact_string(p->out, place->name, "path.place.%zu.name", p->n_places);
	zh_fact_number(p->out, place->inode, "path.place.%zu.inode", p->n_places);
	p->n_places++;
}

static const struct zh_pods *read_pods(struct path *p)
{
	if (!p->has_pods)
		zh_pods_read(&p->pods, NULL);
	p->has_pods = true;
	return &p->pods;
}

/* A pod's name says more than that of a file or of a process. */
static void name_pod(struct path *p, struct path_netns *netns)
{
	const struct zh_pods *pods = read_pods(p);
	const struct zh_pod *pod = zh_pods_by_netns(pods, netns->inode);
	char label[200];

	if (pod)
		snprintf(netns->name, sizeof(netns->name), "pod %.100s",
			zh_pod_label(label, sizeof(label), pod));
	else if (netns->pid && netns->inode == pods->host_netns)
		snprintf(netns->name, sizeof(netns->name), "the host");
}

/* Nothing need be read where every process started. */
static bool is_first(const struct path_netns *netns)
{
	uint64_t inode;

	return zh_netns_inode_at(&inode, "/proc/1/ns/net") == 0 && inode == netns->inode;
}

int path_places_open(struct path *p, struct zh_err *err)
{
	struct path_netns *here = &p->map.netns[0];
	int fd = zh_netns_current(err), r;

	if (fd < 0)
		return fd;
	r = zh_netns_inode(fd, &here->inode);
	if (r < 0) {
		close(fd);
		return zh_err_sys(err, r, "cannot look at the network namespace");
	}
	snprintf(here->name, sizeof(here->name), "here");
	if (!is_first(here))
		name_pod(p, here);
	p->map.n_netns = 1;
	add_place(p, 0, fd);
	p->places[0].facts = &p->record->before;
	return path_map_collect(&p->map, 0, err);
}

int path_survey_open(struct path **ret, struct zh_err *err)
{
	static const struct zh_path_config config = {};
	struct path *p = calloc(1, sizeof(*p));
	int r;

	if (p)
		p->record = zh_record_new(&(struct zh_record_limits){});
	if (!p || !p->record) {
		free(p);
		return zh_err_set(err, -ENOMEM, "out of memory");
	}
	p->config = &config;
	p->out = &p->record->after;
	r = path_places_open(p, err);
	if (r < 0)
		path_survey_close(p);
	else
		*ret = p;
	return r;
}

struct path *path_survey_close(struct path *p)
{
	if (!p)
		return NULL;
	if (p->n_places)
		path_places_done(p);
	zh_record_free(p->record);
	free(p);
	return NULL;
}

void path_places_done(struct path *p)
{
	size_t i;

	path_enter(p, 0, NULL);
	for (i = 0; i < p->n_places; i++) {
		close(p->places[i].netns_fd);
		zh_fact_set_done(&p->places[i].own_facts);
	}
	free(p->map.links);
	free(p->map.addresses);
	zh_pods_done(&p->pods);
}

static struct path_netns *add_netns(struct path_map *map, uint64_t inode)
{
	struct path_netns *netns;

	if (map->n_netns == PATH_NETNS_MAX) {
		snprintf(map->refused, sizeof(map->refused),
			"only the first %d network namespaces were looked at", PATH_NETNS_MAX);
		return NULL;
	}
	netns = &map->netns[map->n_netns++];
	*netns = (struct path_netns){.inode = inode, .place = SIZE_MAX};
	return netns;
}

/* One with a name or a path. */
static void add_named(struct path_map *map, const char *source)
{
	struct path_netns *netns;
	const char *slash = strrchr(source, '/');
	uint64_t inode;
	zh_autoclose int fd = zh_netns_by_name(source, NULL);

	if (fd < 0 || zh_netns_inode(fd, &inode) < 0 || path_map_netns(map, inode) != SIZE_MAX ||
		strlen(source) >= sizeof(netns->source) || !(netns = add_netns(map, inode)))
		return;
	snprintf(netns->source, sizeof(netns->source), "%s", source);
	snprintf(netns->name, sizeof(netns->name), "netns %.50s",
		slash && !strncmp(source, "/run/netns/", 11) ? slash + 1 : source);
}

static int add_run_netns(void *arg, const char *name)
{
	add_named(arg, name);
	return 0;
}

static void name_process(struct path_netns *netns, long pid)
{
	char comm[32] = "?";

	zh_sys_read(comm, sizeof(comm), "/proc/%ld/comm", pid);
	netns->pid = pid;
	snprintf(netns->source, sizeof(netns->source), "/proc/%ld/ns/net", pid);
	snprintf(netns->name, sizeof(netns->name), "pid %ld (%.20s)", pid, comm);
}

/* Of several processes in a namespace the first gives the name. */
static int add_process(void *arg, const char *name)
{
	struct path_map *map = arg;
	struct path_netns *netns;
	uint64_t inode;
	size_t i;
	char *end;
	long pid = strtol(name, &end, 10);

	if (*end || pid <= 0 || zh_netns_inode_at(&inode, "/proc/%ld/ns/net", pid) < 0)
		return 0;
	i = path_map_netns(map, inode);
	netns = i == SIZE_MAX ? add_netns(map, inode) : &map->netns[i];
	/* A name says more than a process, and the first process more than a later one. */
	if (i != SIZE_MAX && (!netns->pid || pid > netns->pid))
		return 0;
	if (netns)
		name_process(netns, pid);
	return 0;
}

/* Kernel threads, which have no program, name a namespace only when nobody else does. */
static int add_program(void *arg, const char *name)
{
	char path[256];

	return zh_sys_readlink(path, sizeof(path), "/proc/%s/exe", name) < 0
		       ? 0
		       : add_process(arg, name);
}

static int add_other(void *arg, const char *name)
{
	struct path_map *map = arg;
	uint64_t inode;

	if (zh_netns_inode_at(&inode, "/proc/%s/ns/net", name) < 0 ||
		path_map_netns(map, inode) != SIZE_MAX)
		return 0;
	return add_process(arg, name);
}

/* One that is kept by a mount alone, wherever a runtime keeps it (/run/docker/netns, ...). */
static int add_mount(void *arg, uint64_t inode, const char *path)
{
	(void)inode;
	add_named(arg, path);
	return 0;
}

/* Devices and addresses of another namespace; the thread visits it. */
static int visit(struct path *p, size_t netns, struct zh_err *err)
{
	zh_autoclose int fd = -1;
	int r;

	fd = zh_netns_by_name(p->map.netns[netns].source, err);
	if (fd < 0)
		return fd;
	r = zh_netns_enter(fd, err);
	if (r < 0)
		return r;
	r = path_map_collect(&p->map, netns, err);
	/* The first place was entered before, so the way back is open. */
	zh_netns_enter(p->places[p->current].netns_fd, NULL);
	return r;
}

const struct path_map *path_map_take(struct path *p)
{
	struct path_map *map = &p->map;
	size_t i, refused = 0;
	struct zh_err err;

	if (map->is_taken)
		return map;
	map->is_taken = true;
	for (i = 0; i < p->config->n_via; i++)
		add_named(map, p->config->via[i]);
	zh_sys_list(add_run_netns, map, "/run/netns");
	zh_netns_mounts(add_mount, map);
	zh_sys_list(add_program, map, "/proc");
	zh_sys_list(add_other, map, "/proc");
	path_enter(p, 0, NULL);
	for (i = 1; i < map->n_netns; i++) {
		int r = visit(p, i, &err);

		/* A namespace may end at any moment; what may not be entered matters. */
		if ((r == -EPERM || r == -EACCES) && !refused++)
			snprintf(map->refused, sizeof(map->refused),
				"other network namespaces may not be entered (%.100s)", err.text);
		if (r < 0)
			map->netns[i].inode = 0;
		else
			name_pod(p, &map->netns[i]);
	}
	return map;
}

/* On a thread of its own in that namespace, whose devices it sees in /sys where that is permitted;
 * else those facts are "unavailable". */
static int collect_inside(void *arg)
{
	struct path_place *place = arg;

	zh_netns_show_devices(NULL);
	return zh_facts_collect(&place->own_facts, NULL);
}

static int collect(struct path_place *place, struct zh_err *err)
{
	int r = zh_netns_call(place->netns_fd, collect_inside, place, err);

	place->facts = &place->own_facts;
	return r;
}

struct path_place *path_place_of(struct path *p, size_t netns, char *why, size_t size)
{
	struct path_netns *candidate = &p->map.netns[netns];
	struct path_place *place;
	uint64_t inode;
	struct zh_err err = {};
	int fd;

	if (candidate->place != SIZE_MAX)
		return &p->places[candidate->place];
	if (p->n_places == ZH_PATH_PLACES_MAX) {
		snprintf(why, size, "the way leads through more than %d network namespaces",
			ZH_PATH_PLACES_MAX);
		return NULL;
	}
	fd = zh_netns_by_name(candidate->source, &err);
	if (fd >= 0 && (zh_netns_inode(fd, &inode) < 0 || inode != candidate->inode)) {
		close(fd);
		fd = zh_err_set(&err, -ESTALE, "%s is another one now", candidate->name);
	}
	if (fd < 0) {
		snprintf(why, size, "%.180s", err.text);
		return NULL;
	}
	place = &p->places[p->n_places];
	add_place(p, netns, fd);
	if (collect(place, &err) < 0)
		zh_record_not_measured(p->record, place->name, "%s", err.text);
	return place;
}

/* The namespace that has number `nsid` in that of `link`. */
static size_t netns_of(struct path *p, const struct path_link *link)
{
	zh_autonetlink *nl = NULL;
	size_t i, back = p->current, found = SIZE_MAX;
	zh_autoclose int from = link->netns
					? zh_netns_by_name(p->map.netns[link->netns].source, NULL)
					: dup(p->places[0].netns_fd);

	if (link->nsid < 0)
		return link->netns;
	if (from < 0 || (link->netns != p->places[back].netns && zh_netns_enter(from, NULL) < 0))
		return SIZE_MAX;
	if (zh_netlink_open(&nl, NETLINK_ROUTE, NULL) == 0)
		for (i = 0; i < p->map.n_netns && found == SIZE_MAX; i++) {
			zh_autoclose int fd = i ? zh_netns_by_name(p->map.netns[i].source, NULL)
						: dup(p->places[0].netns_fd);

			if (fd >= 0 && path_map_nsid(nl, fd) == link->nsid)
				found = i;
		}
	if (link->netns != p->places[back].netns)
		zh_netns_enter(p->places[back].netns_fd, NULL);
	return found;
}

const struct path_link *path_link_other(
	struct path *p, const struct path_link *link, char *why, size_t size)
{
	const struct path_map *map = path_map_take(p);
	size_t netns = link->link ? netns_of(p, link) : SIZE_MAX;
	const struct path_link *other =
		netns == SIZE_MAX ? NULL : path_map_link(map, netns, link->link);

	if (!other && map->refused[0])
		snprintf(why, size, "%s", map->refused);
	else if (!other && link->nsid >= 0)
		snprintf(why, size,
			"its network namespace (number %lld from here) was not found: no name, no "
			"mount and no process in it that can be seen",
			(long long)link->nsid);
	else if (!other)
		snprintf(why, size, "the kernel does not say where it is");
	return other;
}

bool path_link_is_on(struct path *p, const struct path_link *child, const struct path_link *parent)
{
	if (child->link != parent->ifindex || child == parent)
		return false;
	return netns_of(p, child) == parent->netns;
}
