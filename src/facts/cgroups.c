/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Control groups: limits and throttling of this process's own groups and their ancestors, and a
 * bounded look for groups anywhere that are limited or were throttled. Version 1, version 2 and
 * both at once. memory.stat is never read: in a big tree that alone stalls a CPU's softirqs.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/util.h"
#include "facts/cgroup-walk.h"
#include "facts/facts.h"
#include "facts/read.h"
#include "sys/root.h"

#define ROOT "/sys/fs/cgroup"
#define UNLIMITED (1ull << 62) /* version 1 writes "no limit" as a huge number of bytes */
#define PATH_SIZE 1024

static const struct zh_facts_file v2_files[] = {
	{"cpu.max.burst", "burst_ns", ZH_FORM_NUMBER, ZH_NSEC_PER_USEC},
	{"cpu.weight", "weight"},
	{"cpuset.cpus.effective", "cpuset", ZH_FORM_STRING},
	{"memory.current", "memory_bytes"},
	{NULL},
};

static const struct zh_facts_file v1_cpu_files[] = {
	{"cpu.cfs_period_us", "period_ns", ZH_FORM_NUMBER, ZH_NSEC_PER_USEC},
	{"cpu.cfs_quota_us", "quota_ns", ZH_FORM_NUMBER, ZH_NSEC_PER_USEC},
	{"cpu.cfs_burst_us", "burst_ns", ZH_FORM_NUMBER, ZH_NSEC_PER_USEC},
	{"cpu.shares", "weight"},
	{NULL},
};

static const struct zh_facts_file v1_memory_files[] = {
	{"memory.usage_in_bytes", "memory_bytes"},
	{"memory.failcnt", "memory_failcnt"},
	{NULL},
};

static const struct zh_facts_file v1_cpuset_files[] = {
	{"cpuset.effective_cpus", "cpuset", ZH_FORM_STRING},
	{"cpuset.cpus", "cpuset", ZH_FORM_STRING},
	{NULL},
};

/* "name value" lines of which some are wanted. */
static void add_pairs(struct zh_fact_set *set, const char *dir, const char *file,
	const char *prefix, const char *const *wanted, const char *const *keys, uint64_t scale)
{
	char text[4096], *cursor = text, *line;
	uint64_t value;
	size_t i;

	if (zh_sys_read(text, sizeof(text), "%s/%s", dir, file) < 0)
		return;
	while ((line = zh_facts_line(&cursor))) {
		const char *name = zh_facts_word(&line, " ");

		for (i = 0; name && wanted[i]; i++)
			if (!strcmp(name, wanted[i]) &&
				zh_facts_parse(zh_facts_word(&line, " "), 10, &value))
				zh_fact_number(set, value * scale, "%s.%s", prefix, keys[i]);
	}
}

/* cpu.stat counts throttled time in ns (version 1) or in us (version 2), under other names. */
static void add_throttling(struct zh_fact_set *set, const char *dir, const char *prefix)
{
	static const char *const counts[] = {"nr_periods", "nr_throttled", NULL};
	static const char *const ns[] = {"throttled_time", NULL}, *const us[] = {
									  "throttled_usec", NULL};
	static const char *const key[] = {"throttled_ns", NULL};

	add_pairs(set, dir, "cpu.stat", prefix, counts, counts, 1);
	add_pairs(set, dir, "cpu.stat", prefix, ns, key, 1);
	add_pairs(set, dir, "cpu.stat", prefix, us, key, ZH_NSEC_PER_USEC);
}

static void add_v2(struct zh_fact_set *set, const char *dir, const char *prefix)
{
	static const char *const events[] = {"low", "high", "max", "oom", "oom_kill", NULL};
	char text[64], *cursor = text, events_prefix[PATH_SIZE];
	uint64_t value;

	if (zh_sys_read(text, sizeof(text), "%s/cpu.max", dir) > 0) {
		/* "max 100000" or "50000 100000" */
		if (zh_facts_parse(zh_facts_word(&cursor, " "), 10, &value))
			zh_fact_number(set, value * ZH_NSEC_PER_USEC, "%s.quota_ns", prefix);
		if (zh_facts_parse(zh_facts_word(&cursor, " "), 10, &value))
			zh_fact_number(set, value * ZH_NSEC_PER_USEC, "%s.period_ns", prefix);
	}
	zh_facts_files(set, v2_files, dir, prefix);
	if (zh_sys_read_u64(&value, "%s/memory.max", dir) == 0)
		zh_fact_number(set, value, "%s.memory_limit_bytes", prefix);
	snprintf(events_prefix, sizeof(events_prefix), "%s.memory_events", prefix);
	add_pairs(set, dir, "memory.events", events_prefix, events, events, 1);
	add_throttling(set, dir, prefix);
}

static void add_v1_cpu(struct zh_fact_set *set, const char *dir, const char *prefix)
{
	zh_facts_files(set, v1_cpu_files, dir, prefix);
	add_throttling(set, dir, prefix);
}

static void add_v1_memory(struct zh_fact_set *set, const char *dir, const char *prefix)
{
	uint64_t limit;

	zh_facts_files(set, v1_memory_files, dir, prefix);
	if (zh_sys_read_u64(&limit, "%s/memory.limit_in_bytes", dir) == 0 && limit < UNLIMITED)
		zh_fact_number(set, limit, "%s.memory_limit_bytes", prefix);
}

static void add_v1_cpuset(struct zh_fact_set *set, const char *dir, const char *prefix)
{
	zh_facts_files(set, v1_cpuset_files, dir, prefix);
}

/* The hierarchies that matter, and what is taken from a group of each. An empty controller stands
 * for version 2. */
static const struct hierarchy {
	const char *controller;
	void (*add)(struct zh_fact_set *set, const char *dir, const char *prefix);
} hierarchies[] = {
	{"", add_v2},
	{"cpu", add_v1_cpu},
	{"memory", add_v1_memory},
	{"cpuset", add_v1_cpuset},
};

static void add_group(struct zh_fact_set *set, const struct hierarchy *hierarchy, const char *mount,
	const char *path, const char *relation)
{
	char dir[PATH_SIZE], prefix[ZH_FACTS_NAME_MAX + 8], name[ZH_FACTS_NAME_MAX];

	snprintf(dir, sizeof(dir), "%s%s", mount, strcmp(path, "/") ? path : "");
	snprintf(prefix, sizeof(prefix), "cgroup.%s", zh_facts_name(name, sizeof(name), path));
	zh_fact_string(set, path, "%s.path", prefix);
	zh_fact_string(set, relation, "%s.relation", prefix);
	hierarchy->add(set, dir, prefix);
}

/* A group and its ancestors up to the root of what is visible here. */
static void add_line_of_descent(struct zh_fact_set *set, const struct hierarchy *hierarchy,
	const char *mount, const char *own)
{
	char path[PATH_SIZE], *slash;
	const char *relation = "own";

	snprintf(path, sizeof(path), "%s", own);
	for (;;) {
		add_group(set, hierarchy, mount, path, relation);
		relation = "ancestor";
		slash = strrchr(path, '/');
		if (!slash || !strcmp(path, "/"))
			return;
		slash[slash == path] = '\0';
	}
}

/* Finds "N:<controllers>:<path>" for a controller in /proc/self/cgroup. */
static bool own_path(const char *controller, char *ret, size_t size)
{
	char text[8192], *cursor = text, *line, *list, *path, *word;

	if (zh_sys_read(text, sizeof(text), "/proc/self/cgroup") < 0)
		return false;
	while ((line = zh_facts_line(&cursor))) {
		list = strchr(line, ':');
		path = list ? strchr(list + 1, ':') : NULL;
		if (!path)
			continue;
		*path++ = '\0';
		list++;
		if (!*controller && !*list) {
			snprintf(ret, size, "%s", path);
			return true;
		}
		while (*controller && (word = zh_facts_word(&list, ",")))
			if (!strcmp(word, controller)) {
				snprintf(ret, size, "%s", path);
				return true;
			}
	}
	return false;
}

/* Where version 2 is mounted, or NULL. */
static const char *v2_mount(void)
{
	if (zh_sys_exists(ROOT "/cgroup.controllers"))
		return ROOT;
	return zh_sys_exists(ROOT "/unified/cgroup.controllers") ? ROOT "/unified" : NULL;
}

struct scan {
	struct zh_fact_set *set;
	const struct hierarchy *hierarchy;
	const char *mount, *own;
	uint64_t groups, limited, throttled;
	size_t listed;
};

static void scan_group(void *arg, const char *path)
{
	struct scan *scan = arg;
	struct zh_cgroup_cpu cpu;
	size_t len = strlen(path);

	scan->groups++;
	if (!zh_cgroup_read_cpu(&cpu, scan->mount, path))
		return;
	scan->limited += cpu.limited;
	scan->throttled += cpu.throttled != 0;
	/* The own line of descent is listed already. */
	if ((!cpu.limited && !cpu.throttled) || scan->listed >= ZH_CGROUP_LISTED_MAX ||
		(!strncmp(scan->own, path, len) && (!scan->own[len] || scan->own[len] == '/')))
		return;
	scan->listed++;
	add_group(scan->set, scan->hierarchy, scan->mount, path, "other");
}

/* Looks at all groups of the hierarchy that limits CPU time. */
static void add_scan(struct zh_fact_set *set, const struct hierarchy *hierarchy, const char *mount,
	const char *own)
{
	struct scan scan = {.set = set, .hierarchy = hierarchy, .mount = mount, .own = own};
	bool all = zh_cgroup_walk(mount, scan_group, &scan);

	zh_fact_number(set, scan.groups, "cgroup.scan.groups");
	zh_fact_number(set, scan.limited, "cgroup.scan.limited");
	zh_fact_number(set, scan.throttled, "cgroup.scan.throttled");
	if (!all || scan.listed == ZH_CGROUP_LISTED_MAX)
		zh_fact_string(
			set, "more groups than were looked at or listed", "truncated.cgroups");
}

static void collect(struct zh_fact_set *set)
{
	const char *v2 = v2_mount(), *mount;
	char own[PATH_SIZE], cpu_own[PATH_SIZE] = "", v1[64], name[ZH_FACTS_NAME_MAX];
	bool has_v1 = false;
	size_t i;

	for (i = 0; i < ZH_ARRAY_SIZE(hierarchies); i++) {
		const char *controller = hierarchies[i].controller;

		snprintf(v1, sizeof(v1), ROOT "/%s", controller);
		mount = *controller ? v1 : v2;
		if (!mount || !zh_sys_exists("%s", mount) ||
			!own_path(controller, own, sizeof(own)))
			continue;
		has_v1 = has_v1 || *controller;
		add_line_of_descent(set, &hierarchies[i], mount, own);
		/* In a mixture CPU time is limited by version 1. */
		if (!strcmp(controller, "cpu") || (!*controller && !zh_sys_exists(ROOT "/cpu"))) {
			snprintf(cpu_own, sizeof(cpu_own), "%s", own);
			add_scan(set, &hierarchies[i], mount, own);
		}
	}
	if (!cpu_own[0]) {
		zh_fact_unavailable(
			set, "no control group hierarchy with a cpu controller", "cgroup.own");
	} else {
		/* It may be an ancestor in another hierarchy; what limits CPU time counts. */
		zh_fact_string(set, cpu_own, "cgroup.own");
		zh_fact_string(set, "own", "cgroup.%s.relation",
			zh_facts_name(name, sizeof(name), cpu_own));
	}
	zh_fact_string(set,
		has_v1 && v2 ? "hybrid"
		: has_v1     ? "1"
		: v2         ? "2"
			     : "none",
		"cgroup.version");
}

static const struct zh_fact_schema schema[] = {
	{"cgroup.version", ZH_FACT_STRING, "", "1, 2, hybrid or none"},
	{"cgroup.own", ZH_FACT_STRING, "", "group of this process that limits its CPU time"},
	{"cgroup.scan.groups", ZH_FACT_NUMBER, "count", "groups looked at"},
	{"cgroup.scan.limited", ZH_FACT_NUMBER, "count", "of which so many have a CPU quota"},
	{"cgroup.scan.throttled", ZH_FACT_NUMBER, "count", "and so many were ever throttled"},
	{"cgroup.*.path", ZH_FACT_STRING, "", "path of the group"},
	{"cgroup.*.relation", ZH_FACT_STRING, "", "own, ancestor, or other (limited or throttled)"},
	{"cgroup.*.quota_ns", ZH_FACT_NUMBER, "ns", "CPU time in a period; absent: no limit"},
	{"cgroup.*.period_ns", ZH_FACT_NUMBER, "ns", "length of a period"},
	{"cgroup.*.burst_ns", ZH_FACT_NUMBER, "ns", "unused time that may be saved up"},
	{"cgroup.*.nr_periods", ZH_FACT_NUMBER, "count", "periods in which it ran"},
	{"cgroup.*.nr_throttled", ZH_FACT_NUMBER, "count", "periods in which it was stopped"},
	{"cgroup.*.throttled_ns", ZH_FACT_NUMBER, "ns", "time for which it was stopped"},
	{"cgroup.*.weight", ZH_FACT_NUMBER, "", "CPU weight (version 2) or shares (version 1)"},
	{"cgroup.*.cpuset", ZH_FACT_STRING, "cpu list", "CPUs it may use"},
	{"cgroup.*.memory_limit_bytes", ZH_FACT_NUMBER, "bytes", "most memory; absent: no limit"},
	{"cgroup.*.memory_bytes", ZH_FACT_NUMBER, "bytes", "memory in use"},
	{"cgroup.*.memory_failcnt", ZH_FACT_NUMBER, "count", "times it hit its memory limit"},
	{"cgroup.*.memory_events.*", ZH_FACT_NUMBER, "count", "times it met a memory boundary"},
	{NULL},
};

const struct zh_fact_group zh_fact_group_cgroups = {
	.id = "cgroups",
	.summary = "control group limits and throttling",
	.schema = schema,
	.collect = collect,
};
