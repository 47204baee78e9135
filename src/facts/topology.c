/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * CPUs, cores, packages, NUMA nodes, and who shares a last-level cache with whom, from sysfs. The
 * answers to "do these two CPUs share a core, a cache, a node?" come from here.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/units.h"
#include "base/util.h"
#include "facts/facts.h"
#include "facts/read.h"
#include "sys/root.h"

#define CPU_DIR "/sys/devices/system/cpu"
#define CACHES_MAX 8

static const struct zh_facts_file list_files[] = {
	{"online", "online", ZH_FORM_STRING, .wanted = true},
	{"possible", "possible", ZH_FORM_STRING},
	{"present", "present", ZH_FORM_STRING},
	{"smt/control", "smt", ZH_FORM_STRING},
	{"smt/active", "smt_active"},
	{NULL},
};

static const struct zh_facts_file cpu_files[] = {
	{"topology/core_id", "core"},
	{"topology/physical_package_id", "package"},
	{"topology/die_id", "die"},
	{"topology/cluster_id", "cluster"},
	{"topology/thread_siblings_list", "siblings", ZH_FORM_STRING},
	{"cpu_capacity", "capacity"},
	{NULL},
};

struct host {
	struct zh_cpuset online, packages;
	unsigned int cores, nodes;
};

/* The cache with the highest level that holds data. */
static void add_llc(struct zh_fact_set *set, unsigned int cpu)
{
	char text[64], best[4096] = "", unit;
	uint64_t level, best_level = 0;
	unsigned long long size, bytes = 0;
	unsigned int i;

	for (i = 0; i < CACHES_MAX; i++) {
		if (zh_sys_read_u64(&level, CPU_DIR "/cpu%u/cache/index%u/level", cpu, i) < 0)
			break;
		if (level < best_level ||
			zh_sys_read(best, sizeof(best),
				CPU_DIR "/cpu%u/cache/index%u/shared_cpu_list", cpu, i) < 0)
			continue;
		best_level = level;
		bytes = 0;
		if (zh_sys_read(text, sizeof(text), CPU_DIR "/cpu%u/cache/index%u/size", cpu, i) >=
				0 &&
			sscanf(text, "%llu%c", &size, &unit) == 2)
			bytes = unit == 'M' ? size << 20 : size << 10;
	}
	if (!best_level)
		return;
	zh_fact_string(set, best, "cpu.%u.llc_cpus", cpu);
	zh_fact_number(set, bytes, "cpu.%u.llc_bytes", cpu);
}

static void add_cpu(struct zh_fact_set *set, void *arg, unsigned int cpu)
{
	struct host *host = arg;
	char dir[64], prefix[32], siblings[4096];
	uint64_t package, first;

	snprintf(dir, sizeof(dir), CPU_DIR "/cpu%u", cpu);
	snprintf(prefix, sizeof(prefix), "cpu.%u", cpu);
	zh_fact_number(set, zh_cpuset_has(&host->online, cpu) != 0, "cpu.%u.online", cpu);
	zh_facts_files(set, cpu_files, dir, prefix);
	add_llc(set, cpu);
	if (zh_sys_read_u64(&package, "%s/topology/physical_package_id", dir) == 0 &&
		package < ZH_CPU_MAX)
		zh_cpuset_add(&host->packages, (unsigned int)package);
	/* A core is counted at its first sibling. */
	if (zh_sys_read(siblings, sizeof(siblings), "%s/topology/thread_siblings_list", dir) > 0) {
		siblings[strspn(siblings, "0123456789")] = '\0';
		if (zh_facts_parse(siblings, 10, &first) && first == cpu)
			host->cores++;
	}
}

static void add_node_memory(struct zh_fact_set *set, unsigned int node)
{
	static const struct {
		const char *name, *key;
	} wanted[] = {{"MemTotal", "memory_bytes"}, {"MemFree", "free_bytes"}};
	char text[8192], *cursor = text, *line;
	uint64_t kib;
	size_t i;

	if (zh_sys_read(text, sizeof(text), "/sys/devices/system/node/node%u/meminfo", node) < 0)
		return;
	while ((line = zh_facts_line(&cursor))) {
		const char *name;

		zh_facts_word(&line, " ");
		zh_facts_word(&line, " ");
		name = zh_facts_word(&line, " :");
		for (i = 0; name && i < ZH_ARRAY_SIZE(wanted); i++)
			if (!strcmp(name, wanted[i].name) &&
				zh_facts_parse(zh_facts_word(&line, " "), 10, &kib))
				zh_fact_number(set, kib << 10, "node.%u.%s", node, wanted[i].key);
	}
}

static void add_node_counters(struct zh_fact_set *set, unsigned int node)
{
	static const char *const wanted[] = {"numa_miss", "numa_foreign", "other_node"};
	char text[1024], *cursor = text, *line;
	uint64_t value;
	size_t i;

	if (zh_sys_read(text, sizeof(text), "/sys/devices/system/node/node%u/numastat", node) < 0)
		return;
	while ((line = zh_facts_line(&cursor))) {
		const char *name = zh_facts_word(&line, " ");

		for (i = 0; name && i < ZH_ARRAY_SIZE(wanted); i++)
			if (!strcmp(name, wanted[i]) &&
				zh_facts_parse(zh_facts_word(&line, " "), 10, &value))
				zh_fact_number(set, value, "node.%u.%s", node, name);
	}
}

struct node_walk {
	struct zh_fact_set *set;
	struct host *host;
};

static int add_node(void *arg, const char *name)
{
	static const struct zh_facts_file files[] = {
		{"cpulist", "cpus", ZH_FORM_STRING},
		{"distance", "distance", ZH_FORM_STRING},
		{NULL},
	};
	struct node_walk *walk = arg;
	struct zh_cpuset cpus;
	char dir[128], prefix[32], text[4096];
	unsigned int cpu;
	uint64_t node;

	if (strncmp(name, "node", 4) || !zh_facts_parse(name + 4, 10, &node))
		return 0;
	walk->host->nodes++;
	snprintf(dir, sizeof(dir), "/sys/devices/system/node/%s", name);
	snprintf(prefix, sizeof(prefix), "node.%u", (unsigned int)node);
	zh_facts_files(walk->set, files, dir, prefix);
	add_node_memory(walk->set, (unsigned int)node);
	add_node_counters(walk->set, (unsigned int)node);
	if (zh_sys_read(text, sizeof(text), "%s/cpulist", dir) > 0 &&
		zh_parse_cpulist(text, &cpus, NULL) == 0)
		for (cpu = 0; cpu < ZH_CPU_MAX; cpu++)
			if (zh_cpuset_has(&cpus, cpu))
				zh_fact_number(walk->set, node, "cpu.%u.node", cpu);
	return 0;
}

static void add_model(struct zh_fact_set *set)
{
	zh_autofree char *text = NULL;
	char *cursor, *line;
	int64_t r = zh_sys_slurp(&text, "/proc/cpuinfo");

	if (r < 0) {
		zh_facts_missing(set, (int)r, "/proc/cpuinfo", "topology.model");
		return;
	}
	for (cursor = text; (line = zh_facts_line(&cursor));) {
		char *value = strchr(line, ':');

		if (strncmp(line, "model name", 10) || !value)
			continue;
		zh_fact_string(set, value + 1 + strspn(value + 1, " "), "topology.model");
		return;
	}
}

static void collect(struct zh_fact_set *set)
{
	struct host host = {0};
	struct node_walk walk = {set, &host};
	char text[4096];
	int r;

	zh_facts_files(set, list_files, CPU_DIR, "topology");
	if (zh_sys_read(text, sizeof(text), CPU_DIR "/online") > 0 &&
		zh_parse_cpulist(text, &host.online, NULL) == 0)
		zh_fact_number(set, zh_cpuset_count(&host.online), "topology.cpus");
	zh_facts_each_cpu(set, add_cpu, &host);
	if (host.cores)
		zh_fact_number(set, host.cores, "topology.cores");
	if (zh_cpuset_count(&host.packages))
		zh_fact_number(set, zh_cpuset_count(&host.packages), "topology.packages");
	r = zh_sys_list(add_node, &walk, "/sys/devices/system/node");
	if (r < 0)
		zh_facts_missing(set, r, "/sys/devices/system/node", "topology.nodes");
	else
		zh_fact_number(set, host.nodes, "topology.nodes");
	add_model(set);
}

static const struct zh_fact_schema schema[] = {
	{"topology.online", ZH_FACT_STRING, "cpu list", "CPUs in use"},
	{"topology.possible", ZH_FACT_STRING, "cpu list", "CPUs that may ever come"},
	{"topology.present", ZH_FACT_STRING, "cpu list", "CPUs that are there"},
	{"topology.smt", ZH_FACT_STRING, "", "hardware threads: on, off, notsupported"},
	{"topology.smt_active", ZH_FACT_NUMBER, "", "1: cores have several threads in use"},
	{"topology.cpus", ZH_FACT_NUMBER, "count", "CPUs in use"},
	{"topology.cores", ZH_FACT_NUMBER, "count", "cores"},
	{"topology.packages", ZH_FACT_NUMBER, "count", "processor packages"},
	{"topology.nodes", ZH_FACT_NUMBER, "count", "NUMA nodes"},
	{"topology.model", ZH_FACT_STRING, "", "processor model"},
	{"cpu.*.online", ZH_FACT_NUMBER, "", "1: in use"},
	{"cpu.*.core", ZH_FACT_NUMBER, "", "number of its core in the package"},
	{"cpu.*.package", ZH_FACT_NUMBER, "", "number of its package"},
	{"cpu.*.die", ZH_FACT_NUMBER, "", "number of its die"},
	{"cpu.*.cluster", ZH_FACT_NUMBER, "", "number of its cluster"},
	{"cpu.*.node", ZH_FACT_NUMBER, "", "its NUMA node"},
	{"cpu.*.capacity", ZH_FACT_NUMBER, "", "speed relative to the fastest CPU (1024)"},
	{"cpu.*.siblings", ZH_FACT_STRING, "cpu list", "hardware threads of its core"},
	{"cpu.*.llc_cpus", ZH_FACT_STRING, "cpu list", "CPUs that share its last-level cache"},
	{"cpu.*.llc_bytes", ZH_FACT_NUMBER, "bytes", "size of that cache"},
	{"node.*.cpus", ZH_FACT_STRING, "cpu list", "CPUs of the node"},
	{"node.*.distance", ZH_FACT_STRING, "", "distance to each node, 10 is local"},
	{"node.*.memory_bytes", ZH_FACT_NUMBER, "bytes", "memory of the node"},
	{"node.*.free_bytes", ZH_FACT_NUMBER, "bytes", "free memory of the node"},
	{"node.*.numa_miss", ZH_FACT_NUMBER, "pages", "pages from here that were wanted elsewhere"},
	{"node.*.numa_foreign", ZH_FACT_NUMBER, "pages", "pages wanted here, taken elsewhere"},
	{"node.*.other_node", ZH_FACT_NUMBER, "pages", "pages taken by other nodes' CPUs"},
	{NULL},
};

const struct zh_fact_group zh_fact_group_topology = {
	.id = "topology",
	.summary = "CPUs, cores, caches and NUMA nodes",
	.schema = schema,
	.collect = collect,
};
