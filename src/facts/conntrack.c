/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Connection tracking: how full the table is, and its counters summed over the CPUs. The table's
 * size is the host's; the number of entries is the namespace's.
 */
#include <stdlib.h>
#include <string.h>

#include "base/util.h"
#include "facts/facts.h"
#include "facts/read.h"
#include "sys/root.h"

#define COLUMNS_MAX 32

static const struct zh_facts_file files[] = {
	{"nf_conntrack_count", "count", ZH_FORM_NUMBER, .wanted = true},
	{"nf_conntrack_max", "max", ZH_FORM_NUMBER},
	{"nf_conntrack_buckets", "buckets", ZH_FORM_NUMBER},
	{NULL},
};

/* The first line names the columns, each further line is a CPU. The first column, the number of
 * entries, is the same in each line and no counter. */
static void add_stat(struct zh_fact_set *set, char *text)
{
	char *cursor = text, *line = zh_facts_line(&cursor), *word;
	const char *names[COLUMNS_MAX];
	uint64_t sums[COLUMNS_MAX] = {0}, value;
	int n = 0, i;

	while (n < COLUMNS_MAX && (word = zh_facts_word(&line, " ")))
		names[n++] = word;
	while ((line = zh_facts_line(&cursor)))
		for (i = 0; i < n && zh_facts_parse(zh_facts_word(&line, " "), 16, &value); i++)
			sums[i] += value;
	for (i = 1; i < n; i++)
		zh_fact_number(set, sums[i], "conntrack.stat.%s",
			strcmp(names[i], "clashres") ? names[i] : "clash_resolve");
}

static void collect(struct zh_fact_set *set)
{
	zh_autofree char *text = NULL;
	int64_t r;

	zh_facts_files(set, files, "/proc/sys/net/netfilter", "conntrack");
	r = zh_sys_slurp(&text, "%s/stat/nf_conntrack", zh_facts_net());
	if (r < 0)
		zh_facts_missing(set, (int)r, "stat/nf_conntrack", "conntrack.stat");
	else
		add_stat(set, text);
}

static const struct zh_fact_schema schema[] = {
	{"conntrack.count", ZH_FACT_NUMBER, "count", "connections tracked in this namespace"},
	{"conntrack.max", ZH_FACT_NUMBER, "count", "most connections that may be tracked"},
	{"conntrack.buckets", ZH_FACT_NUMBER, "count", "size of the hash table"},
	{"conntrack.stat.*", ZH_FACT_NUMBER, "count", "counter of the tracker, all CPUs"},
	{"conntrack.stat", ZH_FACT_UNAVAILABLE, "", "why the counters could not be read"},
	{NULL},
};

const struct zh_fact_group zh_fact_group_conntrack = {
	.id = "conntrack",
	.summary = "connection tracking table and counters",
	.schema = schema,
	.collect = collect,
};
