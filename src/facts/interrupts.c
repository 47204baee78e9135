/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Interrupt counts and where interrupts may go. Device interrupts have a number, the others a name
 * (LOC: timer, RES: reschedule, CAL: function calls). A CPU's count of a device interrupt is left
 * out while it is 0: with hundreds of interrupts on hundreds of CPUs nearly all of them are.
 */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/util.h"
#include "facts/facts.h"
#include "facts/read.h"
#include "sys/root.h"

#define CPUS_MAX 1024
#define IRQS_MAX 512

static const struct zh_facts_file affinity_files[] = {
	{"smp_affinity_list", "affinity", ZH_FORM_STRING},
	{"effective_affinity_list", "effective", ZH_FORM_STRING},
	{"node", "node", ZH_FORM_STRING},
	{NULL},
};

static unsigned int read_cpus(char *line, unsigned int *cpus)
{
	unsigned int n = 0;
	uint64_t value;
	char *word;

	while (n < CPUS_MAX && (word = zh_facts_word(&line, " ")))
		if (!strncmp(word, "CPU", 3) && zh_facts_parse(word + 3, 10, &value))
			cpus[n++] = (unsigned int)value;
	return n;
}

static void add_affinity(struct zh_fact_set *set, const char *irq)
{
	char dir[64], prefix[64];

	snprintf(dir, sizeof(dir), "/proc/irq/%s", irq);
	snprintf(prefix, sizeof(prefix), "irq.%s", irq);
	zh_facts_files(set, affinity_files, dir, prefix);
}

static void add_irq(struct zh_fact_set *set, char *line, const unsigned int *cpus, unsigned int n)
{
	char irq[32], *word = zh_facts_word(&line, " :");
	uint64_t value, total = 0;
	bool numbered;
	unsigned int i;

	if (!word)
		return;
	zh_facts_name(irq, sizeof(irq), word);
	numbered = isdigit((unsigned char)irq[0]);
	/* ERR and MIS have one number and no CPUs. */
	for (i = 0; i < n && line; i++) {
		line += strspn(line, " ");
		if (!isdigit((unsigned char)*line) ||
			!zh_facts_parse(zh_facts_word(&line, " "), 10, &value))
			break;
		total += value;
		if (value || !numbered)
			zh_fact_number(set, value, "irq.%s.cpu.%u", irq, cpus[i]);
	}
	zh_fact_number(set, total, "irq.%s.total", irq);
	if (line) {
		line += strspn(line, " ");
		zh_fact_string(set, line, "irq.%s.name", irq);
	}
	if (numbered)
		add_affinity(set, irq);
}

static void collect(struct zh_fact_set *set)
{
	zh_autofree char *text = NULL;
	char *cursor, *line;
	unsigned int cpus[CPUS_MAX], n_cpus;
	size_t n = 0;
	int64_t r = zh_sys_slurp(&text, "/proc/interrupts");

	if (r < 0) {
		zh_facts_missing(set, (int)r, "/proc/interrupts", "irq");
		return;
	}
	cursor = text;
	n_cpus = read_cpus(zh_facts_line(&cursor), cpus);
	for (; (line = zh_facts_line(&cursor)); n++)
		if (n < IRQS_MAX)
			add_irq(set, line, cpus, n_cpus);
	if (n > IRQS_MAX)
		zh_facts_truncated(set, "interrupts", IRQS_MAX, n, "interrupts");
}

static const struct zh_fact_schema schema[] = {
	{"irq.*.total", ZH_FACT_NUMBER, "count", "times that it fired, on all CPUs"},
	{"irq.*.cpu.*", ZH_FACT_NUMBER, "count", "times that it fired on this CPU"},
	{"irq.*.name", ZH_FACT_STRING, "", "controller and handlers, or the description"},
	{"irq.*.affinity", ZH_FACT_STRING, "cpu list", "CPUs it may go to"},
	{"irq.*.effective", ZH_FACT_STRING, "cpu list", "CPUs it goes to"},
	{"irq.*.node", ZH_FACT_STRING, "", "NUMA node of the device"},
	{"irq", ZH_FACT_UNAVAILABLE, "", "why the interrupts could not be read"},
	{NULL},
};

const struct zh_fact_group zh_fact_group_interrupts = {
	.id = "interrupts",
	.summary = "interrupt counts and affinity",
	.schema = schema,
	.collect = collect,
};
