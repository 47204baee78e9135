/* SPDX-License-Identifier: BSD-2-Clause */
#include "explain/checks/test-facts-text.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/util.h"

static void add_number(
	struct zh_fact_set *before, struct zh_fact_set *after, const char *key, const char *value)
{
	unsigned long long first, last;
	int n = sscanf(value, "%llu %llu", &first, &last);

	if (n < 1)
		fail_msg("no number behind %s", key);
	if (before)
		zh_fact_number(before, first, "%s", key);
	if (after)
		zh_fact_number(after, n == 2 ? last : first, "%s", key);
}

static void add_text(struct zh_fact_set *set, const char *key, const char *value)
{
	if (set && *value == '=')
		zh_fact_string(set, value + 1, "%s", key);
	else if (set)
		zh_fact_unavailable(set, value + 1, "%s", key);
}

static void add_line(struct zh_fact_set *before, struct zh_fact_set *after, char *line)
{
	char *key = line + (*line == '<' || *line == '>');
	char *value = strchr(key, ' ');

	if (!value) {
		fail_msg("not a fact: %s", line);
		return;
	}
	*value++ = '\0';
	if (*line == '<')
		after = NULL;
	if (*line == '>')
		before = NULL;
	if (*value != '=' && *value != '!') {
		add_number(before, after, key, value);
		return;
	}
	add_text(before, key, value);
	add_text(after, key, value);
}

void zh_test_facts_parse(const char *text, struct zh_fact_set *before, struct zh_fact_set *after)
{
	char *copy = strdup(text), *rest = copy, *line;

	assert_non_null(copy);
	while ((line = strsep(&rest, "\n")))
		if (*line && *line != '#')
			add_line(before, after, line);
	free(copy);
	before->taken_ns = 100 * ZH_NSEC_PER_SEC;
	after->taken_ns = 110 * ZH_NSEC_PER_SEC;
	zh_fact_set_sort(before);
	zh_fact_set_sort(after);
}
