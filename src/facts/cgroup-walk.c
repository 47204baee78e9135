/* SPDX-License-Identifier: BSD-2-Clause */
#include "facts/cgroup-walk.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "base/util.h"
#include "facts/read.h"
#include "sys/root.h"

#define PATH_SIZE 1024

struct walk {
	const char *mount, *path; /* of the group being listed */
	void (*f)(void *arg, const char *path);
	void *arg;
	int seen, depth;
	bool full;
};

/* The files of a group are "<controller>.<name>", tasks and two more; telling them from groups by
 * name saves a look at each of about sixty of them. */
static bool looks_like_file(const char *name)
{
	static const char *const controllers[] = {"cgroup.", "cpu.", "cpuacct.", "cpuset.",
		"memory.", "io.", "blkio.", "pids.", "hugetlb.", "rdma.", "misc.", "irq.", "dmem.",
		"net_cls.", "net_prio.", "perf_event.", "freezer.", "devices."};
	size_t i;

	if (!strcmp(name, "tasks") || !strcmp(name, "notify_on_release") ||
		!strcmp(name, "release_agent"))
		return true;
	for (i = 0; i < ZH_ARRAY_SIZE(controllers); i++) {
		size_t len = strlen(controllers[i]);

		/* "cpu.slice" would be a group. */
		if (!strncmp(name, controllers[i], len) && !strstr(name, ".slice") &&
			!strstr(name, ".scope") && !strstr(name, ".service"))
			return true;
	}
	return false;
}

static int visit(void *arg, const char *name)
{
	struct walk *walk = arg;
	const char *parent = walk->path;
	char path[PATH_SIZE];

	if (looks_like_file(name) ||
		(size_t)snprintf(path, sizeof(path), "%s/%s", parent, name) >= sizeof(path) ||
		!zh_sys_exists("%s%s/cgroup.procs", walk->mount, path))
		return 0;
	if (walk->seen++ >= ZH_CGROUP_SEEN_MAX) {
		walk->full = true;
		return 1;
	}
	walk->f(walk->arg, path);
	if (walk->depth >= ZH_CGROUP_DEPTH_MAX)
		return 0;
	walk->path = path;
	walk->depth++;
	zh_sys_list(visit, walk, "%s%s", walk->mount, path);
	walk->depth--;
	walk->path = parent;
	return walk->full;
}

bool zh_cgroup_walk(const char *mount, void (*f)(void *arg, const char *path), void *arg)
{
	struct walk walk = {.mount = mount, .path = "", .f = f, .arg = arg};

	zh_sys_list(visit, &walk, "%s", mount);
	return !walk.full;
}

bool zh_cgroup_read_cpu(struct zh_cgroup_cpu *ret, const char *mount, const char *path)
{
	char text[2048], *at;
	unsigned long long throttled = 0;
	bool quota;

	quota = zh_sys_read(text, sizeof(text), "%s%s/cpu.max", mount, path) > 0 ||
		zh_sys_read(text, sizeof(text), "%s%s/cpu.cfs_quota_us", mount, path) > 0;
	ret->limited = quota && isdigit((unsigned char)text[0]);
	if (zh_sys_read(text, sizeof(text), "%s%s/cpu.stat", mount, path) < 0)
		return quota;
	at = strstr(text, "nr_throttled ");
	ret->throttled = at && sscanf(at, "nr_throttled %llu", &throttled) == 1 ? throttled : 0;
	return true;
}
