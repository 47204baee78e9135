/* SPDX-License-Identifier: BSD-2-Clause */
#include "base/err.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static void wraps_from_cause_to_goal(void **state)
{
	struct zh_err err = {};

	(void)state;
	assert_int_equal(zh_err_sys(&err, -EPERM, "cannot load %s", "x.bpf"), -EPERM);
	zh_err_hint(&err, "run as root");
	assert_int_equal(zh_err_wrap(&err, "cannot trace"), -EPERM);
	assert_string_equal(err.text, "cannot trace: cannot load x.bpf: Operation not permitted");
	assert_string_equal(err.hint, "run as root");
}

static void long_texts_are_cut_not_overrun(void **state)
{
	struct zh_err err = {};
	char text[2000];
	int i;

	(void)state;
	memset(text, 'x', sizeof(text) - 1);
	text[sizeof(text) - 1] = '\0';
	zh_err_set(&err, -EIO, "%s", text);
	for (i = 0; i < 10; i++)
		zh_err_wrap(&err, "%s", text);
	assert_int_equal(strlen(err.text), sizeof(err.text) - 1);
}

static void the_reason_outlives_a_long_name(void **state)
{
	static const char reason[] = "...: No such file or directory";
	struct zh_err err = {};
	char name[10001];

	(void)state;
	memset(name, 'x', sizeof(name) - 1);
	name[sizeof(name) - 1] = '\0';
	zh_err_sys(&err, -ENOENT, "cannot open %s", name);
	assert_int_equal(strlen(err.text), sizeof(err.text) - 1);
	assert_string_equal(err.text + sizeof(err.text) - sizeof(reason), reason);
	zh_err_wrap(&err, "report");
	assert_memory_equal(err.text, "report: cannot open x", 21);
	assert_string_equal(err.text + sizeof(err.text) - sizeof(reason), reason);
}

static void a_null_error_is_allowed(void **state)
{
	(void)state;
	assert_int_equal(zh_err_set(NULL, -EIO, "x"), -EIO);
	assert_int_equal(zh_err_sys(NULL, -EPERM, "x"), -EPERM);
	zh_err_hint(NULL, "x");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(wraps_from_cause_to_goal),
		cmocka_unit_test(long_texts_are_cut_not_overrun),
		cmocka_unit_test(the_reason_outlives_a_long_name),
		cmocka_unit_test(a_null_error_is_allowed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
