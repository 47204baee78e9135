/* SPDX-License-Identifier: BSD-2-Clause */
/* Pressure stall information: the share of time in which tasks waited for CPU, memory or I/O. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/util.h"
#include "facts/facts.h"
#include "facts/read.h"
#include "sys/root.h"

/* "12.34" as 1234. */
static bool parse_percent(char *text, uint64_t *ret)
{
	char *fraction = strchr(text, '.');
	uint64_t whole, hundredths;

	if (!fraction)
		return false;
	*fraction++ = '\0';
	if (!zh_facts_parse(text, 10, &whole) || !zh_facts_parse(fraction, 10, &hundredths))
		return false;
	*ret = whole * 100 + hundredths;
	return true;
}

static void add_line(struct zh_fact_set *set, const char *resource, char *line)
{
	const char *kind = zh_facts_word(&line, " ");
	char *word, *value;
	uint64_t number;

	while (kind && (word = zh_facts_word(&line, " "))) {
		value = strchr(word, '=');
		if (!value)
			continue;
		*value++ = '\0';
		if (!strcmp(word, "total") && zh_facts_parse(value, 10, &number))
			zh_fact_number(set, number * ZH_NSEC_PER_USEC, "psi.%s.%s.total_ns",
				resource, kind);
		else if (parse_percent(value, &number))
			zh_fact_number(set, number, "psi.%s.%s.%s_bp", resource, kind, word);
	}
}

static void collect(struct zh_fact_set *set)
{
	static const char *const resources[] = {"cpu", "memory", "io"};
	char text[512], path[64], *cursor, *line;
	size_t i;
	int r;

	for (i = 0; i < ZH_ARRAY_SIZE(resources); i++) {
		snprintf(path, sizeof(path), "/proc/pressure/%s", resources[i]);
		r = zh_sys_read(text, sizeof(text), "%s", path);
		if (r < 0) {
			zh_facts_missing(set, r, path, "psi.%s", resources[i]);
			continue;
		}
		for (cursor = text; (line = zh_facts_line(&cursor));)
			add_line(set, resources[i], line);
	}
}

static const struct zh_fact_schema schema[] = {
	{"psi.*.*.avg10_bp", ZH_FACT_NUMBER, "1/100 %", "share of the last 10 s stalled"},
	{"psi.*.*.avg60_bp", ZH_FACT_NUMBER, "1/100 %", "share of the last minute stalled"},
	{"psi.*.*.avg300_bp", ZH_FACT_NUMBER, "1/100 %", "share of the last 5 minutes stalled"},
	{"psi.*.*.total_ns", ZH_FACT_NUMBER, "ns", "time stalled since boot"},
	{"psi.*", ZH_FACT_UNAVAILABLE, "", "why the pressure could not be read"},
	{NULL},
};

const struct zh_fact_group zh_fact_group_psi = {
	.id = "psi",
	.summary = "pressure stall information",
	.schema = schema,
	.collect = collect,
};
