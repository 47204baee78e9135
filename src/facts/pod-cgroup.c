/* SPDX-License-Identifier: BSD-2-Clause */
#include "facts/pod-cgroup.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "base/util.h"

#define ID_LEN 64
#define UID_LEN 36 /* of a UUID with '-'; static pods have 32 digits without */

/* Names of groups that hold a container: what stands before and behind its id or name. */
static const struct pattern {
	const char *prefix, *suffix, *runtime;
	bool is_name;
} patterns[] = {
	{"cri-containerd-", ".scope", "containerd", false},
	{"nerdctl-", ".scope", "containerd", false},
	{"crio-", ".scope", "cri-o", false},
	{"crio-", "", "cri-o", false},
	{"docker-", ".scope", "docker", false},
	{"libpod-", ".scope", "podman", false},
	{"libpod-", "", "podman", false},
	{"lxc.payload.", "", "lxc", true},
	{"machine-", ".scope", "nspawn", true},
	{"systemd-nspawn@", ".service", "nspawn", true},
};

/* Managers that name the group by the id alone tell themselves by the group above. */
static const struct parent {
	const char *name, *runtime;
} parents[] = {{"docker", "docker"}, {"libpod_parent", "podman"}};

static bool is_hex(const char *text, size_t len)
{
	size_t i;

	for (i = 0; i < len; i++)
		if (!isxdigit((unsigned char)text[i]))
			return false;
	return true;
}

static bool is_id(const char *text, size_t len)
{
	return len == ID_LEN && is_hex(text, len);
}

static void copy(char *ret, size_t size, const char *text, size_t len)
{
	snprintf(ret, size, "%.*s", (int)len, text);
}

/* "pod<UID>" of the cgroupfs driver, "kubepods-burstable-pod<UID with '_'>.slice" of systemd's. */
static bool take_uid(struct zh_pod_group *ret, const char *part, size_t len)
{
	const char *pod = NULL, *p;
	size_t n;

	if (len > 3 && !strncmp(part, "pod", 3))
		pod = part + 3;
	for (p = part; !pod && p + 5 < part + len; p++)
		if (!strncmp(p, "-pod", 4))
			pod = p + 4;
	if (!pod)
		return false;
	n = strspn(pod, "0123456789abcdefABCDEF-_");
	if (n > (size_t)(part + len - pod))
		n = (size_t)(part + len - pod);
	if (n != UID_LEN && n != 32)
		return false;
	copy(ret->uid, sizeof(ret->uid), pod, n);
	for (n = 0; ret->uid[n]; n++)
		if (ret->uid[n] == '_')
			ret->uid[n] = '-';
	return true;
}

static bool take_pattern(struct zh_pod_group *ret, const char *part, size_t len)
{
	size_t i;

	for (i = 0; i < ZH_ARRAY_SIZE(patterns); i++) {
		const struct pattern *p = &patterns[i];
		size_t before = strlen(p->prefix), behind = strlen(p->suffix), n;

		if (len <= before + behind || strncmp(part, p->prefix, before) != 0 ||
			strncmp(part + len - behind, p->suffix, behind) != 0)
			continue;
		n = len - before - behind;
		if (!p->is_name && !is_id(part + before, n))
			continue;
		copy(ret->id, sizeof(ret->id), part + before, n);
		copy(ret->runtime, sizeof(ret->runtime), p->runtime, strlen(p->runtime));
		ret->is_name = p->is_name;
		return true;
	}
	return false;
}

/* A group named by the id alone, below `above`. */
static bool take_id(
	struct zh_pod_group *ret, const char *part, size_t len, const char *above, size_t above_len)
{
	size_t i;

	if (!is_id(part, len))
		return false;
	copy(ret->id, sizeof(ret->id), part, len);
	ret->runtime[0] = '\0';
	ret->is_name = false;
	for (i = 0; i < ZH_ARRAY_SIZE(parents); i++)
		if (strlen(parents[i].name) == above_len &&
			!strncmp(parents[i].name, above, above_len))
			copy(ret->runtime, sizeof(ret->runtime), parents[i].runtime,
				strlen(parents[i].runtime));
	return true;
}

/* "kubepods-pod<UID>.slice:cri-containerd:<id>": a parent in systemd's words and a manager that
 * does not speak them. */
static bool take_colons(struct zh_pod_group *ret, const char *part, size_t len)
{
	const char *id = part + len - ZH_MIN(len, (size_t)ID_LEN), *colon;

	if (len <= ID_LEN + 1 || id[-1] != ':' || !is_id(id, ID_LEN))
		return false;
	copy(ret->id, sizeof(ret->id), id, ID_LEN);
	ret->is_name = false;
	for (colon = id - 1; colon > part && colon[-1] != ':'; colon--)
		;
	len = (size_t)(id - 1 - colon);
	copy(ret->runtime, sizeof(ret->runtime), colon, len);
	if (!strcmp(ret->runtime, "cri-containerd"))
		copy(ret->runtime, sizeof(ret->runtime), "containerd", 10);
	else if (!strcmp(ret->runtime, "crio"))
		copy(ret->runtime, sizeof(ret->runtime), "cri-o", 5);
	return true;
}

bool zh_pod_group_parse(struct zh_pod_group *ret, const char *path)
{
	const char *above = "", *part = path + strspn(path, "/");
	size_t above_len = 0, len;
	unsigned int n = 0;

	*ret = (struct zh_pod_group){};
	/* The innermost container counts: nodes may be containers themselves. */
	for (; (len = strcspn(part, "/")); part += len, part += strspn(part, "/")) {
		if (take_uid(ret, part, len))
			ret->id[0] = '\0';
		else if (take_pattern(ret, part, len) || take_id(ret, part, len, above, above_len))
			n++;
		n += take_colons(ret, part, len);
		above = part;
		above_len = len;
	}
	ret->nesting = n ? n - 1 : 0;
	return ret->id[0] != '\0';
}
