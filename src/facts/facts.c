/* SPDX-License-Identifier: BSD-2-Clause */
#include "facts/facts.h"

#include <errno.h>
#include <string.h>

#include "base/clock.h"
#include "sys/root.h"

/* Facts about the snapshot itself. */
static const struct zh_fact_schema own_schema[] = {
	{"facts.captured", ZH_FACT_NUMBER, "", "1: read from a captured tree, not from a machine"},
	{"facts.*.took_ns", ZH_FACT_NUMBER, "ns", "time that a collector took"},
	{"truncated.*", ZH_FACT_STRING, "", "how much of a list that a bound cut is there"},
	{NULL},
};

int zh_facts_collect_some(
	struct zh_fact_set *set, const char *const *ids, size_t n, struct zh_err *err)
{
	const struct zh_fact_group *const *group;
	size_t i;

	set->taken_ns = zh_now_ns();
	for (group = zh_fact_group_registry; *group; group++)
		for (i = 0; i < n; i++)
			if (!strcmp(ids[i], (*group)->id))
				(*group)->collect(set);
	zh_fact_set_sort(set);
	return set->failed ? zh_err_set(err, -ENOMEM, "out of memory while collecting facts") : 0;
}

int zh_facts_collect(struct zh_fact_set *set, struct zh_err *err)
{
	const struct zh_fact_group *const *group;

	set->taken_ns = zh_now_ns();
	zh_fact_number(set, zh_sys_is_captured(), "facts.captured");
	for (group = zh_fact_group_registry; *group; group++) {
		uint64_t start = zh_now_ns();

		(*group)->collect(set);
		zh_fact_number(set, zh_now_ns() - start, "facts.%s.took_ns", (*group)->id);
	}
	zh_fact_set_sort(set);
	return set->failed ? zh_err_set(err, -ENOMEM, "out of memory while collecting facts") : 0;
}

/* True when `key` matches `pattern`, where '*' stands for one part. */
static int matches(const char *pattern, const char *key)
{
	while (*pattern && *key) {
		if (*pattern == '*') {
			size_t len = strcspn(key, ".");

			if (!len)
				return 0;
			key += len;
			pattern++;
		} else if (*pattern++ != *key++) {
			return 0;
		}
	}
	return !*pattern && !*key;
}

static const struct zh_fact_schema *find(const struct zh_fact_schema *schema, const char *key)
{
	for (; schema->pattern; schema++)
		if (matches(schema->pattern, key))
			return schema;
	return NULL;
}

const struct zh_fact_schema *zh_facts_schema_of(const char *key)
{
	const struct zh_fact_group *const *group;
	const struct zh_fact_schema *found = find(own_schema, key);

	for (group = zh_fact_group_registry; *group && !found; group++)
		found = find((*group)->schema, key);
	return found;
}
