/* SPDX-License-Identifier: BSD-2-Clause */
#include "sys/netns.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <unistd.h>

#include <cmocka.h>

#include "sys/net-config.h"
#include "sys/root.h"

static int count_entry(void *arg, const char *name)
{
	(void)name;
	(*(unsigned int *)arg)++;
	return 0;
}

/* Devices in /sys, and whether lo's entry leads anywhere. */
static int count_devices(void)
{
	unsigned int n = 0;
	uint64_t mtu;

	if (zh_sys_list(count_entry, &n, "/sys/class/net") < 0 ||
		zh_sys_read_u64(&mtu, "/sys/class/net/lo/mtu") < 0 || !mtu)
		return -1;
	return (int)n;
}

static int show_and_count(void *arg)
{
	struct zh_err err = {};
	int r = zh_netns_show_devices(&err);

	(void)arg;
	return r < 0 ? r : count_devices();
}

/* In a namespace with nothing but lo, and nowhere else. */
static void devices_of_a_namespace_are_shown(void **state)
{
	int before = count_devices(), fresh = zh_netns_new(NULL), cgroups, r;

	(void)state;
	if (fresh < 0)
		skip();
	cgroups = zh_sys_exists("/sys/fs/cgroup");
	r = zh_netns_call(fresh, show_and_count, NULL, NULL);
	close(fresh);
	if (r == -EPERM || r == -ENOSYS)
		skip();
	assert_int_equal(r, 1);
	assert_int_equal(count_devices(), before);
	assert_int_equal(zh_sys_exists("/sys/fs/cgroup"), cgroups);
}

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
		cmocka_unit_test(devices_of_a_namespace_are_shown),
		cmocka_unit_test(a_missing_one_is_a_sentence),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
