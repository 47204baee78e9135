/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The per-CPU receive backlog, from softnet_stat. The file is the host's, whichever namespace reads
 * it. Columns (hexadecimal, net/core/net-procfs.c): 0 processed, 1 dropped, 2 time_squeeze,
 * 9 received_rps, 10 flow_limit, and since 5.10 also 11 backlog length and 12 the CPU's number.
 * Older kernels print fewer columns and leave out offline CPUs without saying which.
 */
#include <stdlib.h>

#include "base/units.h"
#include "base/util.h"
#include "facts/facts.h"
#include "facts/read.h"
#include "sys/root.h"

enum { PROCESSED, DROPPED, SQUEEZED, RECEIVED_RPS = 9, FLOW_LIMIT, BACKLOG, CPU, COLUMNS };

static const struct {
	int column;
	const char *key;
} columns[] = {
	{PROCESSED, "processed_pkts"},
	{DROPPED, "dropped_pkts"},
	{SQUEEZED, "squeezed"},
	{RECEIVED_RPS, "received_rps"},
	{FLOW_LIMIT, "flow_limited_pkts"},
	{BACKLOG, "backlog_pkts"},
};

/* The n-th online CPU; n itself when the list cannot be read. */
static unsigned int nth_online(unsigned int n)
{
	struct zh_cpuset online;
	char text[4096];
	unsigned int cpu, seen = 0;

	if (zh_sys_read(text, sizeof(text), "/sys/devices/system/cpu/online") < 0 ||
		zh_parse_cpulist(text, &online, NULL) < 0)
		return n;
	for (cpu = 0; cpu < ZH_CPU_MAX; cpu++)
		if (zh_cpuset_has(&online, cpu) && seen++ == n)
			return cpu;
	return n;
}

static void add_line(struct zh_fact_set *set, char *line, unsigned int n)
{
	uint64_t values[COLUMNS];
	int found = 0;
	size_t i;

	while (found < COLUMNS && zh_facts_parse(zh_facts_word(&line, " "), 16, &values[found]))
		found++;
	if (found <= SQUEEZED)
		return;
	n = found > CPU ? (unsigned int)values[CPU] : nth_online(n);
	for (i = 0; i < ZH_ARRAY_SIZE(columns); i++)
		if (columns[i].column < found)
			zh_fact_number(set, values[columns[i].column], "softnet.cpu.%u.%s", n,
				columns[i].key);
}

static void collect(struct zh_fact_set *set)
{
	zh_autofree char *text = NULL;
	char *cursor, *line;
	unsigned int n = 0;
	int64_t r = zh_sys_slurp(&text, "%s/softnet_stat", zh_facts_net());

	if (r < 0) {
		zh_facts_missing(set, (int)r, "softnet_stat", "softnet");
		return;
	}
	for (cursor = text; (line = zh_facts_line(&cursor)); n++)
		add_line(set, line, n);
}

static const struct zh_fact_schema schema[] = {
	{"softnet.cpu.*.processed_pkts", ZH_FACT_NUMBER, "pkts", "packets that this CPU received"},
	{"softnet.cpu.*.dropped_pkts", ZH_FACT_NUMBER, "pkts",
		"packets lost because the CPU's backlog was full"},
	{"softnet.cpu.*.squeezed", ZH_FACT_NUMBER, "count",
		"times that receiving stopped with work left, out of budget or time"},
	{"softnet.cpu.*.received_rps", ZH_FACT_NUMBER, "count",
		"times that another CPU handed packets over (RPS, RFS)"},
	{"softnet.cpu.*.flow_limited_pkts", ZH_FACT_NUMBER, "pkts",
		"packets cut by the flow limit"},
	{"softnet.cpu.*.backlog_pkts", ZH_FACT_NUMBER, "pkts",
		"packets waiting in the backlog now"},
	{"softnet", ZH_FACT_UNAVAILABLE, "", "why the backlog's counters could not be read"},
	{NULL},
};

const struct zh_fact_group zh_fact_group_softnet = {
	.id = "softnet",
	.summary = "receive backlog of each CPU",
	.schema = schema,
	.collect = collect,
};
