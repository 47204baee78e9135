/* SPDX-License-Identifier: BSD-2-Clause */
#include "sys/cgroup.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/units.h"
#include "base/util.h"
#include "sys/process.h"
#include "sys/root.h"

#define PREFIX "zerohop."
#define REMOVE_TRIES 20
#define REMOVE_WAIT_NS (10 * ZH_NSEC_PER_MSEC)

/* True when the comma-separated list holds the word. */
static bool has_word(const char *list, const char *word)
{
	size_t len = strlen(word);
	const char *at;

	for (at = list; (at = strstr(at, word)); at += len)
		if ((at == list || at[-1] == ',') && (at[len] == ',' || at[len] == '\0'))
			return true;
	return false;
}

/* The mount point of the hierarchy with the cpu controller, from /proc/self/mounts. */
static int find_root(struct zh_cgroup *ret, struct zh_err *err)
{
	zh_autofree char *mounts = NULL;
	char dir[256], type[32], options[256], *line, *save = NULL;
	char controllers[256];

	if (zh_sys_slurp(&mounts, "/proc/self/mounts") < 0)
		return zh_err_set(err, -ENOTSUP, "cannot read the list of mounts");
	for (line = strtok_r(mounts, "\n", &save); line; line = strtok_r(NULL, "\n", &save)) {
		if (sscanf(line, "%*s %255s %31s %255s", dir, type, options) != 3)
			continue;
		ret->unified = !strcmp(type, "cgroup2");
		snprintf(ret->path, sizeof(ret->path), "%s", dir);
		if (!strcmp(type, "cgroup") && has_word(options, "cpu"))
			return 0;
		if (ret->unified && zh_sys_read(controllers, sizeof(controllers),
					    "%s/cgroup.subtree_control", dir) >= 0) {
			for (char *c = controllers; *c; c++)
				if (*c == ' ')
					*c = ',';
			if (has_word(controllers, "cpu"))
				return 0;
		}
	}
	return zh_err_set(err, -ENOTSUP, "no control group hierarchy with the cpu controller");
}

int zh_cgroup_new(const char *label, struct zh_cgroup *ret, struct zh_err *err)
{
	struct zh_cgroup group;
	size_t len;
	uint64_t start;
	int r = find_root(&group, err);

	if (r < 0)
		return r;
	r = zh_process_start_ticks(getpid(), &start);
	if (r < 0)
		return zh_err_sys(err, r, "cannot read the own start time");
	len = strlen(group.path);
	if ((size_t)snprintf(group.path + len, sizeof(group.path) - len,
		    "/" PREFIX "%d.%" PRIu64 ".%s", getpid(), start,
		    label) >= sizeof(group.path) - len)
		return zh_err_set(err, -ENAMETOOLONG, "the control group's path is too long");
	if (mkdir(group.path, 0755) < 0)
		return zh_err_sys(err, -errno, "cannot make the control group %s", group.path);
	*ret = group;
	return 0;
}

/* Moves each thread or process of the group to the parent; members that died meanwhile are fine. */
static void evict(const char *path, bool unified)
{
	const char *file = unified ? "cgroup.procs" : "tasks";
	zh_autofree char *members = NULL;
	char *line, *save = NULL;

	if (zh_sys_slurp(&members, "%s/%s", path, file) < 0)
		return;
	for (line = strtok_r(members, "\n", &save); line; line = strtok_r(NULL, "\n", &save))
		zh_sys_write(line, "%s/../%s", path, file);
}

static int remove_group(const char *path, bool unified)
{
	int i, r = 0;

	for (i = 0; i < REMOVE_TRIES; i++) {
		evict(path, unified);
		r = rmdir(path) < 0 ? -errno : 0;
		if (r != -EBUSY)
			break;
		zh_sleep_until(zh_now_ns() + REMOVE_WAIT_NS);
	}
	return r == -ENOENT ? 0 : r;
}

int zh_cgroup_remove(const struct zh_cgroup *group, struct zh_err *err)
{
	int r = remove_group(group->path, group->unified);

	return r < 0 ? zh_err_sys(err, r, "cannot remove the control group %s", group->path) : 0;
}

int zh_cgroup_set_quota(
	const struct zh_cgroup *group, uint64_t quota_us, uint64_t period_us, struct zh_err *err)
{
	char quota[48], period[24];
	int r;

	if (group->unified) {
		if (quota_us)
			snprintf(quota, sizeof(quota), "%" PRIu64 " %" PRIu64, quota_us, period_us);
		else
			snprintf(quota, sizeof(quota), "max %" PRIu64, period_us);
		r = zh_sys_write(quota, "%s/cpu.max", group->path);
	} else {
		snprintf(quota, sizeof(quota), "%" PRId64, quota_us ? (int64_t)quota_us : -1);
		snprintf(period, sizeof(period), "%" PRIu64, period_us);
		r = zh_sys_write(period, "%s/cpu.cfs_period_us", group->path);
		if (r == 0)
			r = zh_sys_write(quota, "%s/cpu.cfs_quota_us", group->path);
	}
	return r < 0 ? zh_err_sys(err, r, "cannot set the CPU quota of %s", group->path) : 0;
}

bool zh_cgroup_takes_threads(const struct zh_cgroup *group)
{
	return !group->unified;
}

static int add(const struct zh_cgroup *group, const char *file, pid_t id, struct zh_err *err)
{
	char text[16];
	int r;

	snprintf(text, sizeof(text), "%d", (int)id);
	r = zh_sys_write(text, "%s/%s", group->path, file);
	return r < 0 ? zh_err_sys(err, r, "cannot move %d into %s", (int)id, group->path) : 0;
}

int zh_cgroup_add_thread(const struct zh_cgroup *group, pid_t tid, struct zh_err *err)
{
	if (group->unified)
		return zh_err_set(err, -ENOTSUP, "a v2 control group takes whole processes only");
	return add(group, "tasks", tid, err);
}

int zh_cgroup_add_process(const struct zh_cgroup *group, pid_t pid, struct zh_err *err)
{
	return add(group, "cgroup.procs", pid, err);
}

int zh_cgroup_throttled(const struct zh_cgroup *group, uint64_t *ret)
{
	char text[512];
	const char *at;
	int r = zh_sys_read(text, sizeof(text), "%s/cpu.stat", group->path);

	if (r < 0)
		return r;
	at = strstr(text, "nr_throttled ");
	return at && sscanf(at, "nr_throttled %" SCNu64, ret) == 1 ? 0 : -ENODATA;
}

struct gc {
	const struct zh_cgroup *root;
	unsigned int removed;
	int error;
	char failed[256];
};

/* zerohop.PID.STARTTIME.LABEL: removed unless that very process lives. */
static int collect(void *arg, const char *name)
{
	struct gc *gc = arg;
	uint64_t start, now_start;
	char path[640];
	int pid, r;

	if (sscanf(name, PREFIX "%d.%" SCNu64 ".", &pid, &start) != 2)
		return 0;
	if (zh_process_start_ticks(pid, &now_start) == 0 && now_start == start)
		return 0;
	snprintf(path, sizeof(path), "%s/%s", gc->root->path, name);
	r = remove_group(path, gc->root->unified);
	if (r == 0) {
		gc->removed++;
	} else if (!gc->error) {
		gc->error = r;
		snprintf(gc->failed, sizeof(gc->failed), "%s", name);
	}
	return 0;
}

int zh_cgroup_gc(unsigned int *ret_removed, struct zh_err *err)
{
	struct zh_cgroup root;
	struct gc gc = {.root = &root};
	int r = find_root(&root, NULL);

	if (ret_removed)
		*ret_removed = 0;
	if (r < 0) /* without the controller nothing of ours can be there */
		return 0;
	r = zh_sys_list(collect, &gc, "%s", root.path);
	if (ret_removed)
		*ret_removed = gc.removed;
	if (gc.error)
		return zh_err_sys(err, gc.error, "cannot remove the left-over group %s", gc.failed);
	return r < 0 ? zh_err_sys(err, r, "cannot list %s", root.path) : 0;
}
