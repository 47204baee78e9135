/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * How each CPU spent its time since boot, and the system's counters, from /proc/stat. Times come in
 * ticks of 10 ms (USER_HZ is 100 everywhere), whatever the kernel's own tick.
 */
#include <stdlib.h>
#include <string.h>

#include "base/util.h"
#include "facts/facts.h"
#include "facts/read.h"
#include "sys/root.h"

#define TICK_NS (10 * ZH_NSEC_PER_MSEC)

static const char *const times[] = {
	"user", "nice", "system", "idle", "iowait", "irq", "softirq", "steal", "guest"};

static void add_cpu(struct zh_fact_set *set, const char *cpu, char *line)
{
	uint64_t ticks;
	size_t i;

	for (i = 0; i < ZH_ARRAY_SIZE(times); i++)
		if (zh_facts_parse(zh_facts_word(&line, " "), 10, &ticks))
			zh_fact_number(set, ticks * TICK_NS, "cpu.%s.time.%s_ns", cpu, times[i]);
}

static void add_counter(struct zh_fact_set *set, const char *name, char *line)
{
	static const char *const counters[] = {
		"ctxt", "intr", "softirq", "processes", "procs_running", "procs_blocked"};
	uint64_t value;
	size_t i;

	for (i = 0; i < ZH_ARRAY_SIZE(counters); i++)
		if (!strcmp(name, counters[i]) &&
			zh_facts_parse(zh_facts_word(&line, " "), 10, &value))
			zh_fact_number(set, value, "stat.%s", name);
}

static void add_load(struct zh_fact_set *set)
{
	static const char *const spans[] = {"1m", "5m", "15m"};
	char text[128], *cursor = text, *word, *fraction;
	uint64_t whole, hundredths;
	size_t i;
	int r = zh_sys_read(text, sizeof(text), "/proc/loadavg");

	if (r < 0) {
		zh_facts_missing(set, r, "/proc/loadavg", "load");
		return;
	}
	for (i = 0; i < ZH_ARRAY_SIZE(spans) && (word = zh_facts_word(&cursor, " ")); i++) {
		fraction = strchr(word, '.');
		if (!fraction)
			continue;
		*fraction++ = '\0';
		if (zh_facts_parse(word, 10, &whole) && zh_facts_parse(fraction, 10, &hundredths))
			zh_fact_number(set, whole * 100 + hundredths, "load.%s_centi", spans[i]);
	}
}

static void collect(struct zh_fact_set *set)
{
	zh_autofree char *text = NULL;
	char *cursor, *line, *name;
	int64_t r = zh_sys_slurp(&text, "/proc/stat");

	add_load(set);
	if (r < 0) {
		zh_facts_missing(set, (int)r, "/proc/stat", "stat");
		return;
	}
	for (cursor = text; (line = zh_facts_line(&cursor));) {
		name = zh_facts_word(&line, " ");
		if (name && !strncmp(name, "cpu", 3))
			add_cpu(set, name[3] ? name + 3 : "all", line);
		else if (name)
			add_counter(set, name, line);
	}
}

static const struct zh_fact_schema schema[] = {
	{"cpu.*.time.user_ns", ZH_FACT_NUMBER, "ns", "time in user mode"},
	{"cpu.*.time.nice_ns", ZH_FACT_NUMBER, "ns", "time in user mode of niced tasks"},
	{"cpu.*.time.system_ns", ZH_FACT_NUMBER, "ns", "time in the kernel"},
	{"cpu.*.time.idle_ns", ZH_FACT_NUMBER, "ns", "idle time"},
	{"cpu.*.time.iowait_ns", ZH_FACT_NUMBER, "ns", "idle time with I/O outstanding"},
	{"cpu.*.time.irq_ns", ZH_FACT_NUMBER, "ns", "time in hard interrupts"},
	{"cpu.*.time.softirq_ns", ZH_FACT_NUMBER, "ns", "time in softirqs"},
	{"cpu.*.time.steal_ns", ZH_FACT_NUMBER, "ns", "time taken by the hypervisor"},
	{"cpu.*.time.guest_ns", ZH_FACT_NUMBER, "ns", "time spent running guests"},
	{"stat.ctxt", ZH_FACT_NUMBER, "count", "context switches"},
	{"stat.intr", ZH_FACT_NUMBER, "count", "interrupts"},
	{"stat.softirq", ZH_FACT_NUMBER, "count", "softirqs"},
	{"stat.processes", ZH_FACT_NUMBER, "count", "forks"},
	{"stat.procs_running", ZH_FACT_NUMBER, "count", "tasks that run or want to, now"},
	{"stat.procs_blocked", ZH_FACT_NUMBER, "count", "tasks that wait for I/O, now"},
	{"load.*", ZH_FACT_NUMBER, "1/100", "load average over one, five and fifteen minutes"},
	{"stat", ZH_FACT_UNAVAILABLE, "", "why the CPU times could not be read"},
	{"load", ZH_FACT_UNAVAILABLE, "", "why the load average could not be read"},
	{NULL},
};

const struct zh_fact_group zh_fact_group_cpu_time = {
	.id = "cpu-time",
	.summary = "time of each CPU by kind, and load",
	.schema = schema,
	.collect = collect,
};
