/* SPDX-License-Identifier: BSD-2-Clause */
#include "facts/facts.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/util.h"

/* Every fact of a snapshot belongs to a pattern of a schema and has its type. */
static void check_schema(const struct zh_fact_set *set)
{
	size_t i;

	for (i = 0; i < set->n; i++) {
		const struct zh_fact *fact = &set->facts[i];
		const struct zh_fact_schema *schema = zh_facts_schema_of(fact->key);

		if (!schema)
			fail_msg("%s is in no schema", fact->key);
		if (fact->type == ZH_FACT_UNAVAILABLE)
			assert_true(fact->text && fact->text[0]);
		else if (fact->type != schema->type)
			fail_msg("%s is of another type than its schema says", fact->key);
	}
}

static void live(void **state)
{
	struct zh_fact_set set = {0};

	(void)state;
	unsetenv("ZH_SYSROOT");
	assert_int_equal(zh_facts_collect(&set, NULL), 0);
	check_schema(&set);
	zh_fact_set_done(&set);
}

static void schemas_are_documented(void **state)
{
	const struct zh_fact_group *const *group;
	const struct zh_fact_schema *row;

	(void)state;
	for (group = zh_fact_group_registry; *group; group++) {
		assert_true((*group)->id[0] && (*group)->summary[0] && (*group)->collect);
		for (row = (*group)->schema; row->pattern; row++) {
			assert_true(row->pattern[0] && row->unit && row->help && row->help[0]);
			assert_ptr_equal(zh_facts_schema_of(row->pattern), row);
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(schemas_are_documented),
		cmocka_unit_test(live),
	};

	return cmocka_run_group_tests_name("facts", tests, NULL, NULL);
}
