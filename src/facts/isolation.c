/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * CPUs taken out of general use, and the ones this process may run on. Work of the network stack
 * that is steered by mask (RPS, XPS) is silently kept off isolated CPUs.
 */
#include <stdio.h>
#include <string.h>

#include "base/units.h"
#include "facts/facts.h"
#include "facts/read.h"
#include "sys/root.h"

static const struct zh_facts_file files[] = {
	{"devices/system/cpu/isolated", "isolated", ZH_FORM_STRING},
	{"devices/system/cpu/nohz_full", "nohz_full", ZH_FORM_STRING},
	{"devices/virtual/workqueue/cpumask", "workqueue", ZH_FORM_MASK},
	{NULL},
};

static const struct zh_facts_file irq_files[] = {
	{"default_smp_affinity", "irqaffinity", ZH_FORM_MASK},
	{NULL},
};

/* Marks each CPU of a list: "cpu.<n>.<key>" = 1. */
static void mark(struct zh_fact_set *set, const char *file, const char *key)
{
	struct zh_cpuset cpus;
	char text[4096];
	unsigned int cpu;

	if (zh_sys_read(text, sizeof(text), "/sys/devices/system/cpu/%s", file) <= 0 ||
		zh_parse_cpulist(text, &cpus, NULL) < 0)
		return;
	for (cpu = 0; cpu < ZH_CPU_MAX; cpu++)
		if (zh_cpuset_has(&cpus, cpu))
			zh_fact_number(set, 1, "cpu.%u.%s", cpu, key);
}

static void add_command_line(struct zh_fact_set *set)
{
	char text[8192], *cursor = text, *word;
	bool managed = false;

	if (zh_sys_read(text, sizeof(text), "/proc/cmdline") < 0)
		return;
	while ((word = zh_facts_word(&cursor, " \n"))) {
		if (!strncmp(word, "rcu_nocbs=", 10))
			zh_fact_string(set, word + 10, "isolation.rcu_nocbs");
		if (!strncmp(word, "isolcpus=", 9) && strstr(word, "managed_irq"))
			managed = true;
	}
	zh_fact_number(set, managed, "isolation.managed_irq");
}

static void add_allowed(struct zh_fact_set *set)
{
	struct zh_cpuset cpus;
	char text[8192], *cursor = text, *line;
	int r = zh_sys_read(text, sizeof(text), "/proc/self/status");

	if (r < 0) {
		zh_facts_missing(set, r, "/proc/self/status", "isolation.allowed");
		return;
	}
	while ((line = zh_facts_line(&cursor))) {
		const char *name = zh_facts_word(&line, ":\t");
		const char *list = zh_facts_word(&line, " \t");

		if (!name || !list || strcmp(name, "Cpus_allowed_list"))
			continue;
		zh_fact_string(set, list, "isolation.allowed");
		if (zh_parse_cpulist(list, &cpus, NULL) == 0)
			zh_fact_number(set, zh_cpuset_count(&cpus), "isolation.allowed_cpus");
	}
}

static void collect(struct zh_fact_set *set)
{
	zh_facts_files(set, files, "/sys", "isolation");
	zh_facts_files(set, irq_files, "/proc/irq", "isolation");
	mark(set, "isolated", "isolated");
	mark(set, "nohz_full", "nohz_full");
	add_command_line(set);
	add_allowed(set);
}

static const struct zh_fact_schema schema[] = {
	{"isolation.isolated", ZH_FACT_STRING, "cpu list", "CPUs without load balancing"},
	{"isolation.nohz_full", ZH_FACT_STRING, "cpu list", "CPUs without a periodic tick"},
	{"isolation.rcu_nocbs", ZH_FACT_STRING, "cpu list", "CPUs whose RCU work runs elsewhere"},
	{"isolation.irqaffinity", ZH_FACT_STRING, "cpu list", "CPUs that new interrupts may go to"},
	{"isolation.workqueue", ZH_FACT_STRING, "cpu list", "CPUs of unbound kernel work"},
	{"isolation.managed_irq", ZH_FACT_NUMBER, "", "1: isolcpus covers managed interrupts"},
	{"isolation.allowed", ZH_FACT_STRING, "cpu list", "CPUs that this process may run on"},
	{"isolation.allowed_cpus", ZH_FACT_NUMBER, "count", "how many those are"},
	{"cpu.*.isolated", ZH_FACT_NUMBER, "", "1: without load balancing"},
	{"cpu.*.nohz_full", ZH_FACT_NUMBER, "", "1: without a periodic tick"},
	{NULL},
};

const struct zh_fact_group zh_fact_group_isolation = {
	.id = "isolation",
	.summary = "isolated CPUs and housekeeping",
	.schema = schema,
	.collect = collect,
};
