/* SPDX-License-Identifier: BSD-2-Clause */
/* Every remedy of a check or cause is a knob, or advice; and nothing is both. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "explain/advice.h"
#include "explain/explain.h"
#include "knobs/knob.h"

/* How many remedies the rule has. */
static size_t check(const struct zh_rule *rule)
{
	size_t n = 0;

	for (const char *const *id = rule->remedies; id && *id; id++, n++) {
		if (!zh_knob_find(*id) && !zh_advice_find(*id))
			fail_msg("%s: remedy %s is neither a knob nor advice", rule->id, *id);
		if (zh_knob_find(*id) && zh_advice_find(*id))
			fail_msg("%s is a knob, and advice, too", *id);
	}
	return n;
}

static void every_remedy_exists(void **state)
{
	size_t n = 0;

	(void)state;
	for (size_t i = 0; zh_check_registry[i]; i++)
		n += check(&zh_check_registry[i]->rule);
	for (size_t i = 0; zh_cause_registry[i]; i++)
		n += check(&zh_cause_registry[i]->rule);
	assert_true(n > 60);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(every_remedy_exists)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
