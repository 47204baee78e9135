/* SPDX-License-Identifier: BSD-2-Clause */
#include "facts/pods.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/util.h"
#include "facts/facts.h"
#include "facts/pod-cgroup.h"
#include "facts/pod-names.h"
#include "facts/read.h"
#include "sys/root.h"

#define CONTAINERS_MAX 4096
#define LISTED_MAX 256 /* of them as facts */

struct walk {
	struct zh_pods *pods;
	struct zh_pod_names *names;
	size_t size, seen, denied;
	bool failed;
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

/* "net:[4026531840]" */
static bool netns_of(struct walk *walk, pid_t pid, uint64_t *ret)
{
	char text[64], *end;
	int r = zh_sys_readlink(text, sizeof(text), "/proc/%d/ns/net", (int)pid);

	walk->denied += r == -EACCES || r == -EPERM;
	if (r <= 0 || strncmp(text, "net:[", 5) != 0)
		return false;
	end = strchr(text + 5, ']');
	if (!end)
		return false;
	*end = '\0';
	return zh_facts_parse(text + 5, 10, ret);
}

static struct zh_pod *known(const struct zh_pods *pods, const char *id, uint64_t netns)
{
	size_t i;

	for (i = pods->n; i > 0; i--)
		if (pods->list[i - 1].netns == netns && !strcmp(pods->list[i - 1].id, id))
			return &pods->list[i - 1];
	return NULL;
}

static struct zh_pod *append(struct walk *walk)
{
	struct zh_pods *pods = walk->pods;
	size_t size = walk->size ? 2 * walk->size : 16;
	struct zh_pod *grown;

	if (pods->n == walk->size) {
		grown = realloc(pods->list, size * sizeof(*grown));
		if (!grown) {
			walk->failed = true;
			return NULL;
		}
		pods->list = grown;
		walk->size = size;
	}
	pods->list[pods->n] = (struct zh_pod){};
	return &pods->list[pods->n++];
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
	pod = known(walk->pods, group.id, netns);
	if (pod) {
		pod->pid = ZH_MIN(pod->pid, (pid_t)pid);
		return 0;
	}
	pod = append(walk);
	if (!pod)
		return 1;
	pod->pid = (pid_t)pid;
	pod->netns = netns;
	snprintf(pod->id, sizeof(pod->id), "%s", group.id);
	snprintf(pod->uid, sizeof(pod->uid), "%s", group.uid);
	snprintf(pod->runtime, sizeof(pod->runtime), "%s", group.runtime);
	if (group.is_name) {
		snprintf(pod->name, sizeof(pod->name), "%s", group.id);
		snprintf(pod->from, sizeof(pod->from), "the control group");
	} else {
		zh_pod_names_fill(walk->names, pod);
	}
	return walk->pods->n >= CONTAINERS_MAX;
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
	names = strcmp(a->name, b->name);
	/* A container with a name stands before the sandbox. */
	return names ? names : strcmp(b->container, a->container);
}

int zh_pods_read(struct zh_pods *ret, struct zh_err *err)
{
	struct walk walk = {.pods = ret, .names = zh_pod_names_read()};

	*ret = (struct zh_pods){};
	if (walk.names)
		zh_sys_list(add_process, &walk, "/proc");
	if (!walk.names || walk.failed) {
		zh_pod_names_free(walk.names);
		zh_pods_done(ret);
		return zh_err_set(err, -ENOMEM, "out of memory for the list of containers");
	}
	zh_pod_names_free(walk.names);
	if (!walk.seen)
		snprintf(ret->why_not, sizeof(ret->why_not), "no process can be seen in /proc");
	else if (walk.denied)
		snprintf(ret->why_not, sizeof(ret->why_not),
			"the network namespaces of %zu processes may not be looked at (run as root)",
			walk.denied);
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

const struct zh_pod *zh_pods_by_netns(const struct zh_pods *pods, uint64_t netns)
{
	size_t i;

	for (i = 0; i < pods->n; i++)
		if (pods->list[i].netns == netns)
			return &pods->list[i];
	return NULL;
}

static bool is_called(const struct zh_pod *pod, const char *name)
{
	const char *slash = strchr(name, '/');
	size_t len = strlen(name);

	if (slash)
		return strlen(pod->namespace) == (size_t)(slash - name) &&
		       !strncmp(pod->namespace, name, (size_t)(slash - name)) &&
		       !strcmp(pod->name, slash + 1);
	return !strcmp(pod->name, name) || !strcmp(pod->container, name) ||
	       (len >= 6 && !strncmp(pod->id, name, len));
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

const struct zh_pod *zh_pods_find(const struct zh_pods *pods, const char *name, struct zh_err *err)
{
	const struct zh_pod *found = NULL;
	char names[240];
	size_t i;

	for (i = 0; i < pods->n; i++) {
		const struct zh_pod *pod = &pods->list[i];

		if (!is_called(pod, name))
			continue;
		if (found && found->netns != pod->netns) {
			zh_err_set(err, -EEXIST, "'%.100s' is the name of several pods", name);
			zh_err_hint(err, "write NAMESPACE/NAME, or the container's id");
			return NULL;
		}
		found = found ? found : pod;
	}
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

static void collect(struct zh_fact_set *set)
{
	struct zh_pods pods;
	struct zh_err err;
	size_t i;

	if (zh_pods_read(&pods, &err) < 0) {
		zh_fact_unavailable(set, err.text, "pod");
		return;
	}
	if (pods.why_not[0])
		zh_fact_unavailable(set, pods.why_not, "pod");
	for (i = 0; i < pods.n && i < LISTED_MAX; i++) {
		const struct zh_pod *pod = &pods.list[i];

		zh_fact_string(set, pod->namespace, "pod.%zu.namespace", i);
		zh_fact_string(set, pod->name, "pod.%zu.name", i);
		zh_fact_string(set, pod->container, "pod.%zu.container", i);
		zh_fact_string(set, pod->runtime, "pod.%zu.runtime", i);
		zh_fact_string(set, pod->id, "pod.%zu.id", i);
		zh_fact_number(set, (uint64_t)pod->pid, "pod.%zu.pid", i);
		zh_fact_number(set, pod->netns, "pod.%zu.netns", i);
	}
	zh_fact_number(set, pods.n, "pod.count");
	if (pods.n > LISTED_MAX)
		zh_facts_truncated(set, "pod", LISTED_MAX, pods.n, "containers");
	zh_pods_done(&pods);
}

static const struct zh_fact_schema schema[] = {
	{"pod.count", ZH_FACT_NUMBER, "count", "containers with a process"},
	{"pod.*.namespace", ZH_FACT_STRING, "", "Kubernetes namespace of its pod"},
	{"pod.*.name", ZH_FACT_STRING, "", "its pod's name, or the container's own"},
	{"pod.*.container", ZH_FACT_STRING, "", "its name in the pod; empty: the pod's sandbox"},
	{"pod.*.runtime", ZH_FACT_STRING, "", "containerd, cri-o, docker, podman, lxc, nspawn"},
	{"pod.*.id", ZH_FACT_STRING, "", "container id"},
	{"pod.*.pid", ZH_FACT_NUMBER, "", "its first process"},
	{"pod.*.netns", ZH_FACT_NUMBER, "", "inode of its network namespace"},
	{"pod", ZH_FACT_UNAVAILABLE, "", "why containers could not be looked for"},
	{NULL},
};

const struct zh_fact_group zh_fact_group_pods = {
	.id = "pods",
	.summary = "containers, their pods and network namespaces",
	.schema = schema,
	.collect = collect,
};
