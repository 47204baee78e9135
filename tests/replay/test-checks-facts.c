/* SPDX-License-Identifier: BSD-2-Clause */
/* The checks against the fact collectors: every key that a check needs is in a schema. */
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#include "facts/facts.h"
#include "explain/explain.h"
#include "explain/path-facts.h"
#include "explain/watch-facts.h"

/* Whether two patterns can stand for one key. */
static bool patterns_meet(const char *a, const char *b)
{
	while (*a && *b) {
		size_t n = strcspn(a, "."), m = strcspn(b, ".");

		if (!(n == 1 && *a == '*') && !(m == 1 && *b == '*') &&
			(n != m || memcmp(a, b, n) != 0))
			return false;
		a += n;
		b += m;
		if (*a != *b)
			return false;
		a += *a == '.';
		b += *b == '.';
	}
	return *a == *b;
}

/* What the session adds to the snapshots by itself: the answer of a closed local port, and all that
 * a path run or a watched device finds. */
static bool is_of_the_session(const char *need)
{
	return strncmp(need, "closed_port.", strlen("closed_port.")) == 0 || zh_path_is_key(need) ||
	       zh_watch_is_key(need);
}

static bool in_a_schema(const char *need)
{
	const struct zh_fact_group *const *group;
	const struct zh_fact_schema *row;

	for (group = zh_fact_group_registry; *group; group++)
		for (row = (*group)->schema; row->pattern; row++)
			if (patterns_meet(need, row->pattern))
				return true;
	return false;
}

static void needs_are_collected(void **state)
{
	const struct zh_check *const *check;
	const char *const *need;
	unsigned int missing = 0;

	(void)state;
	for (check = zh_check_registry; *check; check++) {
		for (need = (*check)->rule.needs; *need; need++) {
			if (in_a_schema(*need) || is_of_the_session(*need))
				continue;
			print_message("# %s needs %s\n", (*check)->rule.id, *need);
			missing++;
		}
	}
	assert_int_equal(missing, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(needs_are_collected),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
