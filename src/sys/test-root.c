/* SPDX-License-Identifier: BSD-2-Clause */
#include "sys/root.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

static char root[] = "/tmp/zh-test-root-XXXXXX";

static void put(const char *name, const char *text)
{
	char path[200];
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s", root, name);
	f = fopen(path, "w");
	assert_non_null(f);
	fputs(text, f);
	fclose(f);
}

static int setup(void **state)
{
	(void)state;
	if (!mkdtemp(root))
		return -1;
	setenv("ZH_SYSROOT", root, 1);
	put("a", "12\n");
	put("b", "0x1f");
	put("c", "-3\n");
	return 0;
}

static int teardown(void **state)
{
	char command[200];
	const char *names[] = {"a", "b", "c"};
	size_t i;

	(void)state;
	for (i = 0; i < 3; i++) {
		snprintf(command, sizeof(command), "%s/%s", root, names[i]);
		unlink(command);
	}
	return rmdir(root);
}

static void reads_below_the_root(void **state)
{
	char text[8], small[2], *whole = NULL;
	uint64_t value;

	(void)state;
	assert_int_equal(zh_sys_read(text, sizeof(text), "/%s", "a"), 2);
	assert_string_equal(text, "12");
	assert_int_equal(zh_sys_read(small, sizeof(small), "/a"), -EFBIG);
	assert_int_equal(zh_sys_read(text, sizeof(text), "/none"), -ENOENT);
	assert_int_equal(zh_sys_read_u64(&value, "/b"), 0);
	assert_int_equal(value, 31);
	assert_int_equal(zh_sys_read_u64(&value, "/c"), -EINVAL);
	assert_int_equal(zh_sys_slurp(&whole, "/a"), 3);
	assert_string_equal(whole, "12\n");
	free(whole);
}

static void a_captured_root_is_never_written(void **state)
{
	(void)state;
	assert_true(zh_sys_is_captured());
	assert_int_equal(zh_sys_write("1", "/a"), -EROFS);
}

static int count(void *arg, const char *name)
{
	(void)name;
	++*(int *)arg;
	return 0;
}

static void lists_in_order(void **state)
{
	int n = 0;

	(void)state;
	assert_int_equal(zh_sys_list(count, &n, "/"), 0);
	assert_int_equal(n, 3);
	assert_int_equal(zh_sys_list(count, &n, "/none"), -ENOENT);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(reads_below_the_root),
		cmocka_unit_test(a_captured_root_is_never_written),
		cmocka_unit_test(lists_in_order),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
