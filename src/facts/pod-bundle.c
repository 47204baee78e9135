/* SPDX-License-Identifier: BSD-2-Clause */
#include "facts/pod-bundle.h"

#include <jansson.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/util.h"
#include "facts/pod-names.h"
#include "sys/root.h"

#define ID_LEN 64
#define ANCESTORS_MAX 6 /* a process that `exec` made stands deeper below the shim */

/* Annotations and labels that carry names; the first that is there wins. Kubelet's labels are the
 * same for all runtimes; containerd adds annotations of its own. */
static const char *const namespace_keys[] = {"io.kubernetes.cri.sandbox-namespace",
	"io.kubernetes.pod.namespace", "io.kubernetes.cri-o.Namespace", NULL};
static const char *const name_keys[] = {
	"io.kubernetes.cri.sandbox-name", "io.kubernetes.pod.name", "nerdctl/name", NULL};
static const char *const container_keys[] = {
	"io.kubernetes.cri.container-name", "io.kubernetes.container.name", NULL};
static const char *const uid_keys[] = {
	"io.kubernetes.cri.sandbox-uid", "io.kubernetes.pod.uid", NULL};
static const char *const type_keys[] = {"io.kubernetes.cri.container-type",
	"io.kubernetes.cri-o.ContainerType", "io.kubernetes.docker.type", NULL};

static void take_first(char *ret, size_t size, const json_t *object, const char *const *keys)
{
	for (; *keys && !ret[0]; keys++)
		zh_pod_take_string(ret, size, json_object_get(object, *keys));
}

static bool fill_labels(const json_t *labels, struct zh_pod *pod)
{
	char type[16] = "";

	take_first(pod->namespace, sizeof(pod->namespace), labels, namespace_keys);
	take_first(pod->name, sizeof(pod->name), labels, name_keys);
	take_first(pod->container, sizeof(pod->container), labels, container_keys);
	take_first(pod->uid, sizeof(pod->uid), labels, uid_keys);
	take_first(type, sizeof(type), labels, type_keys);
	/* Docker's and CRI-O's sandboxes are containers that are called so. */
	if (!strcmp(type, "sandbox") || !strcmp(type, "podsandbox") ||
		!strcmp(pod->container, "POD")) {
		pod->is_sandbox = true;
		pod->container[0] = '\0';
	}
	return pod->name[0];
}

/* CRI-O keeps the labels as JSON in one annotation. */
static bool fill_annotations(const json_t *annotations, struct zh_pod *pod)
{
	const char *labels =
		json_string_value(json_object_get(annotations, "io.kubernetes.cri-o.Labels"));
	json_t *inner = labels ? json_loads(labels, 0, NULL) : NULL;

	if (inner)
		fill_labels(inner, pod);
	json_decref(inner);
	return fill_labels(annotations, pod);
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

/* Docker's bundles have no names, but mounts from the directory that does. */
static bool fill_docker_mounts(const json_t *mounts, struct zh_pod *pod)
{
	const json_t *mount;
	size_t i;

	for (i = 0; (mount = json_array_get(mounts, i)); i++) {
		const char *from = json_string_value(json_object_get(mount, "source"));
		const char *file = from ? strrchr(from, '/') : NULL;
		char path[PATH_MAX];
		json_t *root;
		bool filled;

		if (!file || strcmp(file, "/hostname") || !strstr(from, pod->id))
			continue;
		snprintf(path, sizeof(path), "%.*s/config.v2.json", (int)(file - from), from);
		root = zh_pod_read_json(path);
		filled = root && fill_docker(root, pod);
		json_decref(root);
		return filled;
	}
	return false;
}

static bool fill_bundle(const json_t *root, struct zh_pod *pod)
{
	return fill_annotations(json_object_get(root, "annotations"), pod) ||
	       fill_docker_mounts(json_object_get(root, "mounts"), pod);
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
			zh_pod_take_string(pod->name, sizeof(pod->name),
				json_array_get(json_object_get(row, "names"), 0));
	}
	return pod->name[0];
}

struct source {
	const char *path, *runtime; /* "%s" is the container's id */
	bool (*fill)(const json_t *root, struct zh_pod *pod);
};

#define TASKS "containerd/io.containerd.runtime.v2.task/"

static const struct source sources[] = {
	{"/run/" TASKS "k8s.io/%s/config.json", "containerd", fill_bundle},
	{"/run/" TASKS "default/%s/config.json", "containerd", fill_bundle},
	{"/run/k3s/" TASKS "k8s.io/%s/config.json", "containerd", fill_bundle},
	{"/var/lib/docker/containers/%s/config.v2.json", "docker", fill_docker},
	{"/run/" TASKS "moby/%s/config.json", "docker", fill_bundle},
	{"/run/containers/storage/overlay-containers/%s/userdata/config.json", "", fill_bundle},
	{"/run/containers/storage/overlay-containers/%s/userdata/state.json", "", fill_bundle},
	{"/var/lib/containers/storage/overlay-containers/%s/userdata/config.json", "", fill_bundle},
	{"/run/containers/storage/vfs-containers/%s/userdata/config.json", "", fill_bundle},
	{"/var/lib/containers/storage/overlay-containers/containers.json", "podman", fill_storage},
	{"/var/lib/containers/storage/vfs-containers/containers.json", "podman", fill_storage},
};

static bool fill_file(const char *path, const struct source *source, struct zh_pod *pod)
{
	const char *who;
	json_t *root;
	bool filled;

	if (!zh_sys_exists("%s", path))
		return false;
	if (!pod->runtime[0])
		snprintf(pod->runtime, sizeof(pod->runtime), "%s", source->runtime);
	root = zh_pod_read_json(path);
	filled = root && source->fill(root, pod);
	json_decref(root);
	who = source->runtime[0] ? source->runtime : pod->runtime;
	if (filled)
		snprintf(pod->from, sizeof(pod->from), "%.30s's files",
			who[0] ? who : "the runtime");
	return filled;
}

static pid_t parent_of(pid_t pid)
{
	char text[1024], *close;
	int parent = 0;

	if (zh_sys_read(text, sizeof(text), "/proc/%d/stat", (int)pid) < 0)
		return 0;
	close = strrchr(text, ')'); /* "PID (name) STATE PARENT ..." */
	return close && sscanf(close + 1, " %*c %d", &parent) == 1 ? parent : 0;
}

/* The word behind --bundle or -b of conmon's command line. */
static bool bundle_word(char *ret, size_t size, pid_t pid)
{
	zh_autofree char *text = NULL;
	int64_t len = zh_sys_slurp(&text, "/proc/%d/cmdline", (int)pid);
	const char *word = text, *next;

	for (; len > 0 && word < text + len; word = next) {
		next = word + strlen(word) + 1;
		if ((strcmp(word, "-b") && strcmp(word, "--bundle")) || next >= text + len)
			continue;
		snprintf(ret, size, "%s", next);
		return true;
	}
	return false;
}

/* In the parent's own mount namespace: its directories are not those of the machine when it runs
 * in a container itself. */
static bool fill_beside(struct zh_pod *pod, pid_t parent)
{
	static const struct source shim = {"", "containerd", fill_bundle};
	static const struct source conmon = {"", "", fill_bundle};
	static const struct source storage = {"", "podman", fill_storage};
	char path[PATH_MAX], word[PATH_MAX - 128];

	/* One shim serves all containers of a pod; it works in the bundle of the first. */
	snprintf(path, sizeof(path), "/proc/%d/cwd/../%s/config.json", (int)parent, pod->id);
	if (fill_file(path, &shim, pod))
		return true;
	if (!bundle_word(word, sizeof(word), parent) || word[0] != '/' || !strstr(word, pod->id))
		return false;
	snprintf(path, sizeof(path), "/proc/%d/root%s/config.json", (int)parent, word);
	if (fill_file(path, &conmon, pod))
		return true;
	snprintf(path, sizeof(path), "/proc/%d/root%s/../../containers.json", (int)parent, word);
	return fill_file(path, &storage, pod);
}

/* Only whole ids are put into a path. */
static bool is_plain(const char *id)
{
	return strspn(id, "0123456789abcdef") == ID_LEN && strlen(id) == ID_LEN;
}

bool zh_pod_bundle_fill(struct zh_pod *pod)
{
	char path[256];
	pid_t parent = pod->pid;
	size_t i;

	if (!is_plain(pod->id))
		return false;
	for (i = 0; i < ZH_ARRAY_SIZE(sources); i++) {
		snprintf(path, sizeof(path), sources[i].path, pod->id);
		if (fill_file(path, &sources[i], pod))
			return true;
	}
	for (i = 0; i < ANCESTORS_MAX && (parent = parent_of(parent)) > 1; i++)
		if (fill_beside(pod, parent))
			return true;
	return false;
}
