/* SPDX-License-Identifier: BSD-2-Clause */
/* How often each CPU ran each softirq, from /proc/softirqs (counts, not time). */
#include <stdlib.h>

#include "base/util.h"
#include "facts/facts.h"
#include "facts/read.h"
#include "sys/root.h"

#define CPUS_MAX 1024

static void collect(struct zh_fact_set *set)
{
	zh_autofree char *text = NULL;
	char *cursor, *line, *word, part[ZH_FACTS_NAME_MAX];
	unsigned int cpus[CPUS_MAX], n_cpus = 0, i;
	int64_t r = zh_sys_slurp(&text, "/proc/softirqs");
	uint64_t value;

	if (r < 0) {
		zh_facts_missing(set, (int)r, "/proc/softirqs", "softirq");
		return;
	}
	cursor = text;
	line = zh_facts_line(&cursor);
	while (n_cpus < CPUS_MAX && (word = zh_facts_word(&line, " ")))
		if (zh_facts_parse(word + (word[0] == 'C' ? 3 : 0), 10, &value))
			cpus[n_cpus++] = (unsigned int)value;
	while ((line = zh_facts_line(&cursor))) {
		word = zh_facts_word(&line, " :");
		if (!word)
			continue;
		zh_facts_name(part, sizeof(part), word);
		for (i = 0; i < n_cpus; i++)
			if (zh_facts_parse(zh_facts_word(&line, " "), 10, &value))
				zh_fact_number(set, value, "softirq.cpu.%u.%s", cpus[i], part);
	}
}

static const struct zh_fact_schema schema[] = {
	{"softirq.cpu.*.*", ZH_FACT_NUMBER, "count", "times that this CPU ran this softirq"},
	{"softirq", ZH_FACT_UNAVAILABLE, "", "why the softirq counts could not be read"},
	{NULL},
};

const struct zh_fact_group zh_fact_group_softirqs = {
	.id = "softirqs",
	.summary = "softirq counts of each CPU",
	.schema = schema,
	.collect = collect,
};
