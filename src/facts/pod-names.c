/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Kubelet's directories are listed once; a runtime's files are opened only for containers that
 * these do not name. Formats: kubelet's log layout (NAMESPACE_NAME_UID and
 * POD_NAMESPACE_CONTAINER-ID.log), the OCI runtime bundle's annotations, Docker's config.v2.json,
 * containers/storage's containers.json, and the cache of libcni (version 1).
 */
#include "facts/pod-names.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/util.h"
#include "sys/root.h"

#define ID_LEN 64
#define LISTED_MAX 8192
#define FILE_MAX (1 << 20)

struct listed {
	char key[72]; /* pod UID, or container id */
	char namespace[64], name[128], container[128];
};

struct zh_pod_names {
	struct listed *pods, *containers, *sandboxes; /* by UID; by id; CNI's, by sandbox id */
	size_t n_pods, n_containers, n_sandboxes;
};

struct list {
	struct listed **rows;
	size_t *n;
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

static json_t *read_json(const char *path)
{
	zh_autofree char *text = NULL;
	int64_t len = zh_sys_slurp(&text, "%s", path);

	return len > 0 && len <= FILE_MAX ? json_loadb(text, (size_t)len, 0, NULL) : NULL;
}

static void take_string(char *ret, size_t size, const json_t *value)
{
	const char *text = json_string_value(value);

	if (text && *text)
		snprintf(ret, size, "%s", text);
}

/* libcni: "cniArgs": [["K8S_POD_NAMESPACE", "default"], ["K8S_POD_NAME", "redis-0"], ...] */
static int add_cni(void *arg, const char *entry)
{
	struct listed found = {}, *row;
	char path[512];
	json_t *root, *pair;
	size_t i;

	snprintf(path, sizeof(path), "/var/lib/cni/results/%s", entry);
	root = read_json(path);
	take_string(found.key, sizeof(found.key), json_object_get(root, "containerId"));
	json_array_foreach(json_object_get(root, "cniArgs"), i, pair)
	{
		const char *key = json_string_value(json_array_get(pair, 0));

		if (key && !strcmp(key, "K8S_POD_NAMESPACE"))
			take_string(
				found.namespace, sizeof(found.namespace), json_array_get(pair, 1));
		if (key && !strcmp(key, "K8S_POD_NAME"))
			take_string(found.name, sizeof(found.name), json_array_get(pair, 1));
	}
	json_decref(root);
	row = found.key[0] && found.name[0] ? append(arg) : NULL;
	if (row)
		*row = found;
	return 0;
}

struct zh_pod_names *zh_pod_names_read(void)
{
	struct zh_pod_names *names = calloc(1, sizeof(*names));

	if (!names)
		return NULL;
	zh_sys_list(add_log_dir, &(struct list){&names->pods, &names->n_pods}, "/var/log/pods");
	zh_sys_list(add_log_link, &(struct list){&names->containers, &names->n_containers},
		"/var/log/containers");
	zh_sys_list(add_cni, &(struct list){&names->sandboxes, &names->n_sandboxes},
		"/var/lib/cni/results");
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

static bool fill_from(
	const struct listed *rows, size_t n, const char *key, struct zh_pod *pod, const char *from)
{
	size_t i;

	for (i = 0; key[0] && i < n; i++) {
		if (strcmp(rows[i].key, key) != 0)
			continue;
		snprintf(pod->namespace, sizeof(pod->namespace), "%s", rows[i].namespace);
		snprintf(pod->name, sizeof(pod->name), "%s", rows[i].name);
		if (rows[i].container[0])
			snprintf(pod->container, sizeof(pod->container), "%s", rows[i].container);
		snprintf(pod->from, sizeof(pod->from), "%s", from);
		return true;
	}
	return false;
}

/* Annotations and labels that carry names; the first that is there wins. */
static const char *const namespace_keys[] = {
	"io.kubernetes.cri.sandbox-namespace", "io.kubernetes.pod.namespace", NULL};
static const char *const name_keys[] = {
	"io.kubernetes.cri.sandbox-name", "io.kubernetes.pod.name", "nerdctl/name", NULL};
static const char *const container_keys[] = {
	"io.kubernetes.cri.container-name", "io.kubernetes.container.name", NULL};

static void take_first(char *ret, size_t size, const json_t *object, const char *const *keys)
{
	for (; *keys && !ret[0]; keys++)
		take_string(ret, size, json_object_get(object, *keys));
}

static bool fill_labels(const json_t *labels, struct zh_pod *pod)
{
	take_first(pod->namespace, sizeof(pod->namespace), labels, namespace_keys);
	take_first(pod->name, sizeof(pod->name), labels, name_keys);
	take_first(pod->container, sizeof(pod->container), labels, container_keys);
	return pod->name[0];
}

static bool fill_bundle(const json_t *root, struct zh_pod *pod)
{
	return fill_labels(json_object_get(root, "annotations"), pod);
}

/* Docker writes the name with a slash in front. */
static bool fill_docker(const json_t *root, struct zh_pod *pod)
{
	const char *name = json_string_value(json_object_get(root, "Name"));

	if (fill_labels(json_object_get(json_object_get(root, "Config"), "Labels"), pod))
		return true;
	if (name)
		snprintf(pod->name, sizeof(pod->name), "%s", name + strspn(name, "/"));
	return pod->name[0];
}

/* [{"id": "...", "names": ["web"], ...}, ...] */
static bool fill_storage(const json_t *root, struct zh_pod *pod)
{
	json_t *row;
	size_t i;

	json_array_foreach((json_t *)root, i, row)
	{
		const char *id = json_string_value(json_object_get(row, "id"));

		if (id && !strcmp(id, pod->id))
			take_string(pod->name, sizeof(pod->name),
				json_array_get(json_object_get(row, "names"), 0));
	}
	return pod->name[0];
}

/* Files of one container; "%s" is its id. */
static const struct source {
	const char *path, *runtime;
	bool (*fill)(const json_t *root, struct zh_pod *pod);
} sources[] = {
	{"/run/containerd/io.containerd.runtime.v2.task/k8s.io/%s/config.json", "containerd",
		fill_bundle},
	{"/run/containerd/io.containerd.runtime.v2.task/default/%s/config.json", "containerd",
		fill_bundle},
	{"/run/containerd/io.containerd.runtime.v2.task/moby/%s/config.json", "docker",
		fill_bundle},
	{"/run/k3s/containerd/io.containerd.runtime.v2.task/k8s.io/%s/config.json", "containerd",
		fill_bundle},
	{"/var/lib/docker/containers/%s/config.v2.json", "docker", fill_docker},
	{"/run/containers/storage/overlay-containers/%s/userdata/config.json", "", fill_bundle},
	{"/var/lib/containers/storage/overlay-containers/containers.json", "podman", fill_storage},
};

/* Only whole ids are put into a path. */
static bool is_plain(const char *id)
{
	return strspn(id, "0123456789abcdef") == ID_LEN && strlen(id) == ID_LEN;
}

static bool fill_source(const struct source *source, struct zh_pod *pod)
{
	char path[256];
	json_t *root;
	bool filled;

	snprintf(path, sizeof(path), source->path, pod->id);
	if (!zh_sys_exists("%s", path))
		return false;
	if (!pod->runtime[0])
		snprintf(pod->runtime, sizeof(pod->runtime), "%s", source->runtime);
	root = read_json(path);
	filled = root && source->fill(root, pod);
	json_decref(root);
	if (filled)
		snprintf(pod->from, sizeof(pod->from), "%.30s's files",
			source->runtime[0] ? source->runtime : "the runtime");
	return filled;
}

void zh_pod_names_fill(const struct zh_pod_names *names, struct zh_pod *pod)
{
	size_t i;

	if (fill_from(names->containers, names->n_containers, pod->id, pod, "/var/log/containers"))
		return;
	fill_from(names->pods, names->n_pods, pod->uid, pod, "/var/log/pods");
	for (i = 0; is_plain(pod->id) && i < ZH_ARRAY_SIZE(sources) && !pod->container[0]; i++)
		if (fill_source(&sources[i], pod))
			return;
	if (!pod->name[0])
		fill_from(names->sandboxes, names->n_sandboxes, pod->id, pod, "CNI's cache");
}
