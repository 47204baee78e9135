/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Settings of a device in a namespace of our own are what was asked for; what cannot be is refused.
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>
#include <sched.h>
#include <unistd.h>

#include <cmocka.h>

#include "sys/net-config.h"
#include "sys/net-tune.h"
#include "sys/netns.h"
#include "sys/root.h"

static int netns = -1;

struct reading {
	const char *file;
	char text[512];
};

static int read_file(void *arg)
{
	struct reading *reading = arg;

	if (unshare(CLONE_NEWNS) < 0 || mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) < 0 ||
		mount("sysfs", "/sys", "sysfs", 0, NULL) < 0)
		return -errno;
	return zh_sys_read(
		reading->text, sizeof(reading->text), "/sys/class/net/a0/%s", reading->file);
}

static void assert_file(const char *file, const char *expected)
{
	struct reading reading = {.file = file};
	const char *text = reading.text;

	assert_true(zh_netns_call(netns, read_file, &reading, NULL) >= 0);
	/* Masks have as many words as the kernel has CPUs. */
	while (strlen(text) > strlen(expected) && (*text == '0' || *text == ','))
		text++;
	assert_string_equal(text, expected);
}

static int set_up(void **state)
{
	struct zh_netcfg *cfg = NULL;
	struct zh_err err = {};
	int r;

	(void)state;
	netns = zh_netns_new(&err);
	if (netns < 0)
		return 0;
	r = zh_netcfg_open(netns, &cfg, &err) | zh_netcfg_veth_add(cfg, "a0", "b0", -1, &err) |
	    zh_netcfg_link_up(cfg, "a0", true, &err) | zh_netcfg_link_up(cfg, "b0", true, &err);
	zh_netcfg_close(cfg);
	return r;
}

static int tear_down(void **state)
{
	(void)state;
	if (netns >= 0)
		close(netns);
	return 0;
}

static void need_namespace(void)
{
	if (netns < 0) {
		print_message("skipped: network namespaces are not permitted\n");
		skip();
	}
}

static void steers(void **state)
{
	struct zh_cpuset cpus = {};
	struct zh_err err = {};

	(void)state;
	need_namespace();
	zh_cpuset_add(&cpus, 0);
	assert_int_equal(zh_nettune_rps(netns, "a0", &cpus, &err), 0);
	assert_file("queues/rx-0/rps_cpus", "1");
	assert_int_equal(zh_nettune_rps_cpu(netns, "a0", -1, &err), 0);
	assert_file("queues/rx-0/rps_cpus", "0");
	assert_int_equal(zh_nettune_rps_cpu(netns, "a0", 0, &err), 0);
	assert_file("queues/rx-0/rps_cpus", "1");
	assert_int_equal(zh_nettune_rps(netns, "nonesuch", &cpus, &err), -ENOENT);
	assert_non_null(strstr(err.text, "nonesuch"));
	assert_int_equal(zh_nettune_rps(-1, "a0", &cpus, &err), -EINVAL);
}

static void threads(void **state)
{
	struct zh_err err = {};
	int r;

	(void)state;
	need_namespace();
	assert_int_equal(zh_nettune_tso(netns, "a0", false, &err), 0);
	assert_int_equal(zh_nettune_gro(netns, "a0", true, &err), 0);
	r = zh_nettune_threaded(netns, "a0", true, &err);
	if (r == -ENOENT) {
		print_message("skipped: %s\n", err.text);
		skip();
	}
	assert_int_equal(r, 0);
	assert_file("threaded", "1");
	assert_int_equal(zh_nettune_threaded(netns, "a0", false, &err), 0);
	assert_file("threaded", "0");
	assert_int_equal(zh_nettune_gro(netns, "nonesuch", true, &err), -ENODEV);
}

/* Only read: it is the machine's. */
static void knows_the_limits_of_the_machine(void **state)
{
	struct zh_err err = {};
	uint64_t packets;
	int which, r;

	(void)state;
	for (which = 0; which < ZH_NETTUNE_GLOBALS; which++) {
		packets = 0;
		r = zh_nettune_global((enum zh_nettune_global)which, &packets, &err);
		if (r < 0) {
			print_message("skipped: %s\n", err.text);
			skip();
		}
		assert_true(packets > 0);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(steers),
		cmocka_unit_test(threads),
		cmocka_unit_test(knows_the_limits_of_the_machine),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}
