/* SPDX-License-Identifier: BSD-2-Clause */
#include "facts/pods.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/util.h"
#include "facts/pod-cgroup.h"
#include "facts/pod-names.h"
#include "facts/read.h"
#include "sys/netns.h"
#include "sys/root.h"

#define CONTAINERS_MAX 4096
#define BUCKETS 8192

struct walk {
	struct zh_pods *pods;
	struct zh_pod_names *names;
	size_t size, seen, denied;
	bool failed;
	uint32_t *bucket, *next; /* containers by id and namespace, numbered from 1 */
};

/* "12:cpu,cpuacct:/path" or "0::/path": any hierarchy that names a container will do. */
static bool group_of(pid_t pid, struct zh_pod_group *ret)
{
	char text[8192], *cursor = text, *line, *path;

	if (zh_sys_read(text, sizeof(text), "/proc/%d/cgroup", (int)pid) < 0)
		return false;
	while ((line = zh_facts_line(&cursor))) {
		path = strchr(line, ':');
		path = path ? strchr(path + 1, ':') : NULL;
		if (path && zh_pod_group_parse(ret, path + 1))
			return true;
	}
	return false;
}

static bool netns_of(struct walk *walk, pid_t pid, uint64_t *ret)
{
	int r = zh_netns_inode_at(ret, "/proc/%d/ns/net", (int)pid);

	walk->denied += r == -EACCES || r == -EPERM;
	return r == 0;
}

static uint32_t *bucket_of(const struct walk *walk, const char *id, uint64_t netns)
{
	uint64_t hash = netns;

	for (; *id; id++)
		hash = hash * 31 + (unsigned char)*id;
	return &walk->bucket[hash % BUCKETS];
}

static struct zh_pod *known(const struct walk *walk, const char *id, uint64_t netns)
{
	uint32_t i = *bucket_of(walk, id, netns);

	for (; i; i = walk->next[i - 1])
		if (walk->pods->list[i - 1].netns == netns &&
			!strcmp(walk->pods->list[i - 1].id, id))
			return &walk->pods->list[i - 1];
	return NULL;
}

/* NULL when there is no room. */
static struct zh_pod *append(struct walk *walk, const char *id, uint64_t netns)
{
	struct zh_pods *pods = walk->pods;
	size_t size = walk->size ? 2 * walk->size : 16;
	uint32_t *bucket = bucket_of(walk, id, netns);
	struct zh_pod *grown, *pod;

	if (pods->n == CONTAINERS_MAX)
		return NULL;
	if (pods->n == walk->size) {
		grown = realloc(pods->list, size * sizeof(*grown));
		if (!grown) {
			walk->failed = true;
			return NULL;
		}
		pods->list = grown;
		walk->size = size;
	}
	walk->next[pods->n] = *bucket;
	pod = &pods->list[pods->n++];
	*bucket = (uint32_t)pods->n;
	*pod = (struct zh_pod){.netns = netns};
	snprintf(pod->id, sizeof(pod->id), "%s", id);
	return pod;
}

static int add_process(void *arg, const char *name)
{
	struct walk *walk = arg;
	struct zh_pod_group group;
	struct zh_pod *pod;
	uint64_t pid, netns;

	if (!isdigit((unsigned char)*name) || !zh_facts_parse(name, 10, &pid))
		return 0;
	walk->seen++;
	if (!group_of((pid_t)pid, &group) || !netns_of(walk, (pid_t)pid, &netns))
		return 0;
	pod = known(walk, group.id, netns);
	if (pod) {
		pod->pid = ZH_MIN(pod->pid, (pid_t)pid);
		return 0;
	}
	pod = append(walk, group.id, netns);
	if (!pod)
		return 1;
	pod->pid = (pid_t)pid;
	pod->nesting = group.nesting;
	pod->host_network = netns == walk->pods->host_netns;
	snprintf(pod->uid, sizeof(pod->uid), "%s", group.uid);
	snprintf(pod->runtime, sizeof(pod->runtime), "%s", group.runtime);
	if (group.is_name) {
		snprintf(pod->name, sizeof(pod->name), "%s", group.id);
		snprintf(pod->from, sizeof(pod->from), "the control group");
	} else {
		zh_pod_names_fill(walk->names, pod);
	}
	return 0;
}

/* Where a namespace's name leads to; in a captured tree it is a link that names the number. */
static bool inode_at(const char *path, uint64_t *ret)
{
	zh_autoclose int fd = -1;

	if (zh_sys_is_captured())
		return zh_netns_inode_at(ret, "%s", path) == 0;
	fd = zh_netns_by_name(path, NULL);
	return fd >= 0 && zh_netns_inode(fd, ret) == 0;
}

/* A namespace that outlived its pod, or serves a virtual machine. */
static void add_empty(void *arg, const struct zh_pod *found)
{
	struct walk *walk = arg;
	struct zh_pod *pod;
	uint64_t netns;
	size_t i;

	/* Other paths (/proc/PID/ns/net) may be somebody else's by now. */
	if ((strncmp(found->netns_path, "/run/netns/", 11) &&
		    strncmp(found->netns_path, "/var/run/netns/", 15)) ||
		!inode_at(found->netns_path, &netns))
		return;
	for (i = 0; i < walk->pods->n; i++)
		if (walk->pods->list[i].netns == netns)
			return;
	pod = append(walk, found->id, netns);
	if (!pod)
		return;
	*pod = *found;
	pod->netns = netns;
	pod->host_network = netns == walk->pods->host_netns;
}

/* The machine's own namespace is that of its first process, unless all that can be seen from here
 * is a container. */
static void read_host(struct walk *walk)
{
	struct zh_pod_group group;
	uint64_t netns;

	if (!group_of(1, &group) && netns_of(walk, 1, &netns))
		walk->pods->host_netns = netns;
	walk->denied = 0;
}

/* Containers of a pod without a name of their own (the sandbox, or a runtime whose files say
 * nothing) take the pod's name from a neighbour with the same UID or namespace. */
static void share_names(struct zh_pods *pods)
{
	size_t i, j;

	for (i = 0; i < pods->n; i++) {
		struct zh_pod *pod = &pods->list[i];

		for (j = 0; j < pods->n && !pod->name[0]; j++) {
			const struct zh_pod *other = &pods->list[j];

			if (!other->name[0] || !other->namespace[0] || !pod->uid[0] ||
				strcmp(other->uid, pod->uid) != 0)
				continue;
			memcpy(pod->name, other->name, sizeof(pod->name));
			memcpy(pod->namespace, other->namespace, sizeof(pod->namespace));
			memcpy(pod->from, other->from, sizeof(pod->from));
		}
	}
}

static int by_netns(const void *left, const void *right)
{
	const struct zh_pod *a = left, *b = right;
	int names;

	if (a->netns != b->netns)
		return a->netns < b->netns ? -1 : 1;
	if (a->nesting != b->nesting)
		return a->nesting < b->nesting ? -1 : 1;
	/* Those without any name are last, and a container with a name stands before the sandbox.
	 */
	if (!a->name[0] != !b->name[0])
		return a->name[0] ? -1 : 1;
	names = strcmp(a->name, b->name);
	if (names)
		return names;
	return a->is_sandbox != b->is_sandbox ? a->is_sandbox - b->is_sandbox
					      : strcmp(b->container, a->container);
}

static void say_why_not(const struct walk *walk, char *ret, size_t size)
{
	if (!walk->seen)
		snprintf(ret, size, "no process can be seen in /proc");
	else if (walk->denied)
		snprintf(ret, size,
			"the network namespaces of %zu processes may not be looked at (run as root)",
			walk->denied);
	else if (walk->pods->n == CONTAINERS_MAX)
		snprintf(ret, size, "only the first %d containers were looked at", CONTAINERS_MAX);
}

int zh_pods_read(struct zh_pods *ret, struct zh_err *err)
{
	struct walk walk = {.pods = ret,
		.names = zh_pod_names_read(),
		.bucket = calloc(BUCKETS, sizeof(*walk.bucket)),
		.next = calloc(CONTAINERS_MAX, sizeof(*walk.next))};
	bool is_ready = walk.names && walk.bucket && walk.next;

	*ret = (struct zh_pods){};
	if (is_ready) {
		read_host(&walk);
		zh_sys_list(add_process, &walk, "/proc");
		zh_pod_names_each_netns(walk.names, add_empty, &walk);
	}
	zh_pod_names_free(walk.names);
	free(walk.bucket);
	free(walk.next);
	if (!is_ready || walk.failed) {
		zh_pods_done(ret);
		return zh_err_set(err, -ENOMEM, "out of memory for the list of containers");
	}
	say_why_not(&walk, ret->why_not, sizeof(ret->why_not));
	share_names(ret);
	if (ret->n)
		qsort(ret->list, ret->n, sizeof(*ret->list), by_netns);
	return 0;
}

void zh_pods_done(struct zh_pods *pods)
{
	free(pods->list);
	*pods = (struct zh_pods){};
}
