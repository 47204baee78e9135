/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Kubelet's and CNI's directories are listed once; a runtime's files are opened only for containers
 * that these do not name. Formats: kubelet's log layout (NAMESPACE_NAME_UID and
 * POD_NAMESPACE_CONTAINER-ID.log, kubernetes/kubernetes pkg/kubelet/kuberuntime/legacy.go) and the
 * cache of libcni, version 1 (containernetworking/cni libcni/api.go).
 */
#include "facts/pod-names.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/util.h"
#include "facts/pod-bundle.h"
#include "sys/root.h"

#define ID_LEN 64
#define LISTED_MAX 8192
#define FILE_MAX (1 << 20)

struct listed {
	char key[72]; /* pod UID, or container id */
	char namespace[64], name[128], container[128];
	char netns_path[96]; /* CNI's */
};

struct zh_pod_names {
	struct listed *pods, *containers, *sandboxes; /* by UID; by id; CNI's, by sandbox id */
	size_t n_pods, n_containers, n_sandboxes;
};

struct list {
	struct listed **rows;
	size_t *n;
	const char *dir;
};

static struct listed *append(struct list *list)
{
	struct listed *grown;

	if (*list->n >= LISTED_MAX)
		return NULL;
	if (!(*list->n & (*list->n - 1))) { /* full at each power of two */
		grown = realloc(*list->rows, (*list->n ? 2 * *list->n : 1) * sizeof(*grown));
		if (!grown)
			return NULL;
		*list->rows = grown;
	}
	(*list->rows)[*list->n] = (struct listed){};
	return &(*list->rows)[(*list->n)++];
}

static void take(char *ret, size_t size, const char *text, size_t len)
{
	snprintf(ret, size, "%.*s", (int)len, text);
}

/* "default_redis-0_6a0f...": '_' occurs in none of the three. */
static int add_log_dir(void *arg, const char *entry)
{
	const char *name = strchr(entry, '_'), *uid = name ? strchr(name + 1, '_') : NULL;
	struct listed *row = uid ? append(arg) : NULL;

	if (!row)
		return 0;
	take(row->namespace, sizeof(row->namespace), entry, (size_t)(name - entry));
	take(row->name, sizeof(row->name), name + 1, (size_t)(uid - name - 1));
	take(row->key, sizeof(row->key), uid + 1, strlen(uid + 1));
	return 0;
}

/* "redis-0_default_redis-<64 digits>.log" */
static int add_log_link(void *arg, const char *entry)
{
	static const char suffix[] = ".log";
	const char *namespace = strchr(entry, '_');
	const char *container = namespace ? strchr(namespace + 1, '_') : NULL;
	size_t len = strlen(entry), tail = 1 + ID_LEN + sizeof(suffix) - 1;
	const char *dash = entry + len - tail;
	struct listed *row;

	if (!container || len <= tail || dash <= container || *dash != '-' ||
		strcmp(entry + len - sizeof(suffix) + 1, suffix) != 0)
		return 0;
	row = append(arg);
	if (!row)
		return 0;
	take(row->name, sizeof(row->name), entry, (size_t)(namespace - entry));
	take(row->namespace, sizeof(row->namespace), namespace + 1,
		(size_t)(container - namespace - 1));
	take(row->container, sizeof(row->container), container + 1, (size_t)(dash - container - 1));
	take(row->key, sizeof(row->key), dash + 1, ID_LEN);
	return 0;
}

json_t *zh_pod_read_json(const char *path)
{
	zh_autofree char *text = NULL;
	int64_t len = zh_sys_slurp(&text, "%s", path);

	return len > 0 && len <= FILE_MAX ? json_loadb(text, (size_t)len, 0, NULL) : NULL;
}

void zh_pod_take_string(char *ret, size_t size, const json_t *value)
{
	const char *text = json_string_value(value);

	if (text && *text)
		snprintf(ret, size, "%s", text);
}

/* "cniArgs": [["K8S_POD_NAMESPACE", "default"], ["K8S_POD_NAME", "redis-0"], ...] */
static void take_cni_args(struct listed *found, const json_t *args)
{
	const json_t *pair;
	size_t i;

	for (i = 0; (pair = json_array_get(args, i)); i++) {
		const char *key = json_string_value(json_array_get(pair, 0));

		if (key && !strcmp(key, "K8S_POD_NAMESPACE"))
			zh_pod_take_string(found->namespace, sizeof(found->namespace),
				json_array_get(pair, 1));
		if (key && !strcmp(key, "K8S_POD_NAME"))
			zh_pod_take_string(
				found->name, sizeof(found->name), json_array_get(pair, 1));
	}
}

/* "interfaces": [{"name": "veth12"}, {"name": "eth0", "sandbox": "/var/run/netns/cni-..."}] */
static void take_cni_netns(struct listed *found, const json_t *interfaces)
{
	const json_t *interface;
	size_t i;

	for (i = 0; (interface = json_array_get(interfaces, i)); i++)
		zh_pod_take_string(found->netns_path, sizeof(found->netns_path),
			json_object_get(interface, "sandbox"));
}

static int add_cni(void *arg, const char *entry)
{
	const struct list *list = arg;
	struct listed found = {}, *row;
	char path[512], id[160] = "";
	json_t *root;
	size_t len;

	snprintf(path, sizeof(path), "%s/%s", list->dir, entry);
	root = zh_pod_read_json(path);
	zh_pod_take_string(id, sizeof(id), json_object_get(root, "containerId"));
	/* Some callers put their own namespace before the id. */
	len = strlen(id);
	take(found.key, sizeof(found.key),
		len > ID_LEN && id[len - ID_LEN - 1] == '-' ? id + len - ID_LEN : id, ID_LEN);
	take_cni_args(&found, json_object_get(root, "cniArgs"));
	take_cni_netns(&found, json_object_get(json_object_get(root, "result"), "interfaces"));
	json_decref(root);
	row = found.key[0] && found.name[0] ? append(arg) : NULL;
	if (row)
		*row = found;
	return 0;
}

static int by_key(const void *left, const void *right)
{
	const struct listed *a = left, *b = right;

	return strcmp(a->key, b->key);
}

static void read_dir(
	const char *dir, int (*add)(void *, const char *), struct listed **rows, size_t *n)
{
	zh_sys_list(add, &(struct list){rows, n, dir}, "%s", dir);
	if (*n)
		qsort(*rows, *n, sizeof(**rows), by_key);
}

struct zh_pod_names *zh_pod_names_read(void)
{
	struct zh_pod_names *names = calloc(1, sizeof(*names));

	if (!names)
		return NULL;
	read_dir("/var/log/pods", add_log_dir, &names->pods, &names->n_pods);
	read_dir("/var/log/containers", add_log_link, &names->containers, &names->n_containers);
	read_dir("/var/lib/cni/results", add_cni, &names->sandboxes, &names->n_sandboxes);
	read_dir("/var/lib/cni/cache/results", add_cni, &names->sandboxes, &names->n_sandboxes);
	return names;
}

struct zh_pod_names *zh_pod_names_free(struct zh_pod_names *names)
{
	if (names) {
		free(names->pods);
		free(names->containers);
		free(names->sandboxes);
		free(names);
	}
	return NULL;
}

static const struct listed *find(const struct listed *rows, size_t n, const char *key)
{
	struct listed like = {};

	if (!n || !key[0])
		return NULL;
	snprintf(like.key, sizeof(like.key), "%s", key);
	return bsearch(&like, rows, n, sizeof(*rows), by_key);
}

static void fill_from(const struct listed *row, struct zh_pod *pod, const char *from)
{
	snprintf(pod->namespace, sizeof(pod->namespace), "%s", row->namespace);
	snprintf(pod->name, sizeof(pod->name), "%s", row->name);
	if (row->container[0])
		snprintf(pod->container, sizeof(pod->container), "%s", row->container);
	snprintf(pod->from, sizeof(pod->from), "%s", from);
}

void zh_pod_names_fill(const struct zh_pod_names *names, struct zh_pod *pod)
{
	const struct listed *row = find(names->containers, names->n_containers, pod->id);

	if (row) {
		fill_from(row, pod, "/var/log/containers");
		return;
	}
	row = find(names->pods, names->n_pods, pod->uid);
	if (row)
		fill_from(row, pod, "/var/log/pods");
	/* Sandboxes have no log. Where kubelet lists logs, its own containers are all there. */
	if (row && names->n_containers) {
		pod->is_sandbox = true;
		return;
	}
	if (zh_pod_bundle_fill(pod) || pod->name[0])
		return;
	row = find(names->sandboxes, names->n_sandboxes, pod->id);
	if (!row)
		return;
	fill_from(row, pod, "CNI's cache");
	pod->is_sandbox = true;
}

void zh_pod_names_each_netns(
	const struct zh_pod_names *names, void (*f)(void *arg, const struct zh_pod *pod), void *arg)
{
	size_t i;

	for (i = 0; i < names->n_sandboxes; i++) {
		const struct listed *row = &names->sandboxes[i];
		struct zh_pod pod = {.is_sandbox = true};

		if (!row->netns_path[0])
			continue;
		fill_from(row, &pod, "CNI's cache");
		snprintf(pod.id, sizeof(pod.id), "%s", row->key);
		snprintf(pod.netns_path, sizeof(pod.netns_path), "%s", row->netns_path);
		f(arg, &pod);
	}
}
