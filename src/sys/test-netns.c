/* SPDX-License-Identifier: BSD-2-Clause */
#include "sys/netns.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <unistd.h>

#include <cmocka.h>

static void a_new_namespace_is_another_one(void **state)
{
	struct zh_err err = {};
	uint64_t here, there, back;
	int own, fresh;

	(void)state;
	own = zh_netns_current(&err);
	assert_true(own >= 0);
	fresh = zh_netns_new(&err);
	if (fresh == -EPERM) {
		close(own);
		skip();
	}
	assert_true(fresh >= 0);
	assert_int_equal(zh_netns_inode(own, &here), 0);
	assert_int_equal(zh_netns_inode(fresh, &there), 0);
	assert_int_not_equal(here, there);
	assert_int_equal(zh_netns_enter(fresh, &err), 0);
	assert_int_equal(zh_netns_enter(own, &err), 0);
	close(fresh);
	fresh = zh_netns_current(&err);
	assert_int_equal(zh_netns_inode(fresh, &back), 0);
	assert_int_equal(here, back);
	close(fresh);
	close(own);
}

static void a_missing_one_is_a_sentence(void **state)
{
	struct zh_err err = {};

	(void)state;
	assert_int_equal(zh_netns_by_name("", &err), -ENOENT);
	assert_int_equal(zh_netns_by_name("/", &err), -EINVAL);
	assert_int_equal(zh_netns_by_name("/dev/null", &err), -EINVAL);
	assert_int_equal(zh_netns_by_name("/proc/self/ns/mnt", &err), -EINVAL);
	assert_int_equal(zh_netns_by_name("zh-none", &err), -ENOENT);
	assert_string_equal(err.text, "cannot open network namespace /run/netns/zh-none: "
				      "No such file or directory");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_new_namespace_is_another_one),
		cmocka_unit_test(a_missing_one_is_a_sentence),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
