/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/util.h"
#include "facts/pods.h"
#include "sys/netns.h"

const struct zh_pod *zh_pods_by_netns(const struct zh_pods *pods, uint64_t netns)
{
	size_t from = 0, to = pods->n;

	if (!netns || netns == pods->host_netns)
		return NULL;
	while (from < to) {
		size_t middle = from + (to - from) / 2;

		if (pods->list[middle].netns < netns)
			from = middle + 1;
		else
			to = middle;
	}
	return from < pods->n && pods->list[from].netns == netns ? &pods->list[from] : NULL;
}

int zh_pod_netns_open(const struct zh_pod *pod, struct zh_err *err)
{
	return pod->pid ? zh_netns_of_pid(pod->pid, err) : zh_netns_by_name(pod->netns_path, err);
}

/* A pod's own name counts before that of a container in another pod. */
enum match { POD_NAME, CONTAINER_NAME, MATCHES };

static bool is_called(const struct zh_pod *pod, const char *name, enum match match)
{
	const char *slash = strchr(name, '/');
	size_t len = strlen(name);

	if (match == CONTAINER_NAME)
		return (pod->container[0] && !strcmp(pod->container, name)) ||
		       (len >= 6 && !strncmp(pod->id, name, len));
	if (slash)
		return strlen(pod->namespace) == (size_t)(slash - name) &&
		       !strncmp(pod->namespace, name, (size_t)(slash - name)) &&
		       !strcmp(pod->name, slash + 1);
	return *name && !strcmp(pod->name, name);
}

/* "default/redis-0, kube-system/dns-1, ..." */
static void list_names(const struct zh_pods *pods, char *buf, size_t size)
{
	char label[200];
	uint64_t last = 0;
	size_t i, len = 0;

	buf[0] = '\0';
	for (i = 0; i < pods->n && len + 1 < size; i++) {
		if (pods->list[i].netns == last)
			continue;
		last = pods->list[i].netns;
		len += (size_t)snprintf(buf + len, size - len, "%s%s", len ? ", " : "",
			zh_pod_label(label, sizeof(label), &pods->list[i]));
	}
}

/* Two containers of one pod, or one container that was seen twice. */
static bool is_same(const struct zh_pod *a, const struct zh_pod *b)
{
	if (a->netns != b->netns)
		return false;
	/* Pods that share a network are still different ones. */
	return !strcmp(a->namespace, b->namespace) && !strcmp(a->name, b->name);
}

static int ambiguous(
	const struct zh_pods *pods, const char *name, enum match match, struct zh_err *err)
{
	char list[300] = "", label[200];
	const struct zh_pod *last = NULL;
	size_t i, len = 0;

	for (i = 0; i < pods->n && len + 1 < sizeof(list); i++) {
		const struct zh_pod *pod = &pods->list[i];

		if (!is_called(pod, name, match) || (last && is_same(last, pod)))
			continue;
		last = pod;
		len += (size_t)snprintf(list + len, sizeof(list) - len, "%s%s (%.12s)",
			len ? ", " : "", zh_pod_label(label, sizeof(label), pod), pod->id);
	}
	zh_err_set(err, -EEXIST, "'%.60s' is the name of several: %s%s", name, list,
		len + 1 < sizeof(list) ? "" : " ...");
	zh_err_hint(err, "write NAMESPACE/NAME, or the container's id");
	return -EEXIST;
}

/* 0 and *ret, NULL: none; -EEXIST: several. */
static int find_one(const struct zh_pods *pods, const char *name, enum match match,
	const struct zh_pod **ret, struct zh_err *err)
{
	size_t i;

	*ret = NULL;
	for (i = 0; i < pods->n; i++) {
		const struct zh_pod *pod = &pods->list[i];

		if (!is_called(pod, name, match))
			continue;
		if (*ret && !is_same(*ret, pod))
			return ambiguous(pods, name, match, err);
		*ret = *ret ? *ret : pod;
	}
	return 0;
}

const struct zh_pod *zh_pods_find(const struct zh_pods *pods, const char *name, struct zh_err *err)
{
	const struct zh_pod *found = NULL;
	char names[240];
	int match;

	for (match = POD_NAME; match < MATCHES && !found; match++)
		if (find_one(pods, name, (enum match)match, &found, err) < 0)
			return NULL;
	if (found)
		return found;
	list_names(pods, names, sizeof(names));
	zh_err_set(err, -ENOENT, "no pod or container '%.100s' runs here", name);
	if (pods->why_not[0])
		zh_err_hint(err, "%s", pods->why_not);
	else if (names[0])
		zh_err_hint(err, "there are: %s", names);
	else
		zh_err_hint(err, "no container was found in any process's control group");
	return NULL;
}

char *zh_pod_label(char *buf, size_t size, const struct zh_pod *pod)
{
	if (pod->namespace[0])
		snprintf(buf, size, "%s/%s", pod->namespace, pod->name);
	else if (pod->name[0])
		snprintf(buf, size, "%s", pod->name);
	else
		snprintf(buf, size, "%.12s", pod->id);
	return buf;
}
