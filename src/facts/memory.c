/* SPDX-License-Identifier: BSD-2-Clause */
/* Memory, huge pages, and the counters that show reclaim, compaction and swapping. */
#include <stdlib.h>
#include <string.h>

#include "base/util.h"
#include "facts/facts.h"
#include "facts/read.h"
#include "sys/root.h"

static const struct zh_facts_file thp_files[] = {
	{"enabled", "enabled", ZH_FORM_CHOICE},
	{"defrag", "defrag", ZH_FORM_CHOICE},
	{"shmem_enabled", "shmem_enabled", ZH_FORM_CHOICE},
	{NULL},
};

static void add_meminfo(struct zh_fact_set *set)
{
	static const struct {
		const char *name, *key;
	} wanted[] = {
		{"MemTotal", "total_bytes"},
		{"MemFree", "free_bytes"},
		{"MemAvailable", "available_bytes"},
		{"SwapTotal", "swap_total_bytes"},
		{"SwapFree", "swap_free_bytes"},
		{"Dirty", "dirty_bytes"},
	};
	zh_autofree char *text = NULL;
	char *cursor, *line;
	uint64_t kib;
	size_t i;
	int64_t r = zh_sys_slurp(&text, "/proc/meminfo");

	if (r < 0) {
		zh_facts_missing(set, (int)r, "/proc/meminfo", "mem");
		return;
	}
	for (cursor = text; (line = zh_facts_line(&cursor));) {
		const char *name = zh_facts_word(&line, " :");

		for (i = 0; name && i < ZH_ARRAY_SIZE(wanted); i++)
			if (!strcmp(name, wanted[i].name) &&
				zh_facts_parse(zh_facts_word(&line, " "), 10, &kib))
				zh_fact_number(set, kib << 10, "mem.%s", wanted[i].key);
	}
}

/* Names or beginnings of names ("allocstall" covers a counter for each zone). */
static bool wanted_counter(const char *name)
{
	static const char *const wanted[] = {"pgscan_direct", "pgsteal_direct", "pgscan_kswapd",
		"allocstall", "compact_stall", "compact_fail", "compact_success", "thp_fault_alloc",
		"thp_fault_fallback", "thp_split_page", "thp_collapse_alloc", "pswpin", "pswpout",
		"oom_kill", "pgmajfault", "numa_hint_faults", "numa_pages_migrated",
		"pgmigrate_success", "drop_pagecache", "workingset_refault"};
	size_t i;

	for (i = 0; i < ZH_ARRAY_SIZE(wanted); i++)
		if (!strncmp(name, wanted[i], strlen(wanted[i])))
			return true;
	return false;
}

static void add_vmstat(struct zh_fact_set *set)
{
	zh_autofree char *text = NULL;
	char *cursor, *line;
	uint64_t value;
	int64_t r = zh_sys_slurp(&text, "/proc/vmstat");

	if (r < 0) {
		zh_facts_missing(set, (int)r, "/proc/vmstat", "vmstat");
		return;
	}
	for (cursor = text; (line = zh_facts_line(&cursor));) {
		const char *name = zh_facts_word(&line, " ");

		if (name && wanted_counter(name) &&
			zh_facts_parse(zh_facts_word(&line, " "), 10, &value))
			zh_fact_number(set, value, "vmstat.%s", name);
	}
}

static void collect(struct zh_fact_set *set)
{
	add_meminfo(set);
	add_vmstat(set);
	zh_facts_files(set, thp_files, "/sys/kernel/mm/transparent_hugepage", "thp");
}

static const struct zh_fact_schema schema[] = {
	{"mem.total_bytes", ZH_FACT_NUMBER, "bytes", "memory"},
	{"mem.free_bytes", ZH_FACT_NUMBER, "bytes", "unused memory"},
	{"mem.available_bytes", ZH_FACT_NUMBER, "bytes", "memory to be had without swapping"},
	{"mem.swap_total_bytes", ZH_FACT_NUMBER, "bytes", "swap space"},
	{"mem.swap_free_bytes", ZH_FACT_NUMBER, "bytes", "unused swap space"},
	{"mem.dirty_bytes", ZH_FACT_NUMBER, "bytes", "memory waiting to be written"},
	{"vmstat.*", ZH_FACT_NUMBER, "count", "counter of reclaim, compaction, faults or swapping"},
	{"thp.enabled", ZH_FACT_STRING, "", "transparent huge pages: always, madvise, never"},
	{"thp.defrag", ZH_FACT_STRING, "", "when a fault may compact memory for one"},
	{"thp.shmem_enabled", ZH_FACT_STRING, "", "huge pages for shared memory"},
	{"mem", ZH_FACT_UNAVAILABLE, "", "why the memory could not be read"},
	{"vmstat", ZH_FACT_UNAVAILABLE, "", "why the counters could not be read"},
	{NULL},
};

const struct zh_fact_group zh_fact_group_memory = {
	.id = "memory",
	.summary = "memory, huge pages and reclaim",
	.schema = schema,
	.collect = collect,
};
