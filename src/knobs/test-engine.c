/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * In a namespace of our own: what is applied is what the kernel says, undo restores it exactly,
 * others' changes stay, and what fails half-way leaves nothing.
 */
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

#include "base/util.h"
#include "knobs/engine.h"
#include "sys/net-config.h"
#include "sys/netns.h"
#include "sys/process.h"
#include "sys/setting.h"

static char dir[] = "/tmp/zh-knobs-XXXXXX";
static int netns = -1;
static struct zh_journal journal;

static const struct zh_apply plain = {.label = "test"};

static int set_up(void **state)
{
	struct zh_netcfg *cfg = NULL;
	struct zh_err err = {};

	(void)state;
	if (geteuid() != 0)
		return 0;
	if (!mkdtemp(dir) || setenv("ZEROHOP_STATE_DIR", dir, 1) < 0)
		return -1;
	netns = zh_netns_new(&err);
	if (netns < 0 || zh_netcfg_open(netns, &cfg, &err) < 0 ||
		zh_netcfg_veth_add(cfg, "a0", "b0", -1, &err) < 0 ||
		zh_journal_open(true, 0, &journal, &err) < 0) {
		print_error("%s\n", err.text);
		return -1;
	}
	zh_netcfg_close(cfg);
	return 0;
}

static int tear_down(void **state)
{
	const char *const argv[] = {"rm", "-rf", dir, NULL};

	(void)state;
	if (netns < 0)
		return 0;
	zh_journal_close(&journal);
	close(netns);
	return zh_process_run(argv, -1, "", 0, NULL);
}

static int need_root(void **state)
{
	(void)state;
	if (netns < 0)
		skip();
	return 0;
}

static void plan_of(struct zh_plan *plan, const char *const *words)
{
	const struct zh_knob_where where = {
		.netns_fd = netns, .device = "a0", .state_dir = journal.dir};
	struct zh_err err = {};

	*plan = (struct zh_plan){};
	for (; *words; words++)
		if (zh_plan_add(plan, *words, &where, &err) < 0)
			fail_msg("%s", err.text);
	zh_plan_sort(plan);
}

static void assert_setting(const char *path, const char *expected)
{
	char text[256];

	assert_int_equal(zh_setting_read(netns, path, text, sizeof(text)), 0);
	assert_string_equal(text, expected);
}

#define QLEN "/proc/sys/net/unix/max_dgram_qlen"
#define MTU "/sys/class/net/a0/mtu"

static int64_t apply(const char *const *words)
{
	struct zh_plan plan;
	struct zh_err err = {};
	int64_t tx;

	plan_of(&plan, words);
	if (zh_tune_apply(&journal, &plan, &plain, &tx, &err) < 0)
		fail_msg("%s", err.text);
	for (size_t i = 0; i < plan.n; i++)
		if (plan.changes[i].action == ZH_CHANGE_WRITE)
			assert_int_equal(plan.changes[i].phase, ZH_PHASE_DONE);
	zh_plan_done(&plan);
	return tx;
}

static int undo(int64_t tx, bool force, struct zh_undo *ret)
{
	struct zh_err err = {};
	int r = zh_tune_undo(&journal, tx, force, ret, NULL, &err);

	if (r < 0)
		print_message("%s\n", err.text);
	return r;
}

static void applied_and_undone(void **state)
{
	struct zh_undo result;
	bool gro;
	int64_t tx;

	need_root(state);
	tx = apply((const char *const[]){
		"unix_max_dgram_qlen=77", "mtu=1400", "gro=on", "rps=0", NULL});
	assert_true(tx > 0);
	assert_setting(QLEN, "77");
	assert_setting(MTU, "1400");
	assert_int_equal(zh_feature_get(netns, "a0", "rx-gro", &gro), 0);
	assert_true(gro);
	assert_int_equal(undo(tx, false, &result), 0);
	assert_int_equal(result.undone, 4);
	assert_setting(QLEN, "10");
	assert_setting(MTU, "1500");
	assert_int_equal(zh_feature_get(netns, "a0", "rx-gro", &gro), 0);
	assert_false(gro);
	assert_int_equal(undo(tx, false, &result), -EALREADY);
}

static void equal_values_are_no_transaction(void **state)
{
	need_root(state);
	assert_int_equal(apply((const char *const[]){"mtu=1500", NULL}), 0);
}

static void others_changes_stay(void **state)
{
	struct zh_undo result;
	int64_t tx;

	need_root(state);
	tx = apply((const char *const[]){"unix_max_dgram_qlen=20", "mtu=1300", NULL});
	assert_int_equal(zh_setting_write(netns, QLEN, "33"), 0);
	assert_int_equal(undo(tx, false, &result), 1);
	assert_int_equal(result.foreign, 1);
	assert_setting(QLEN, "33");
	assert_setting(MTU, "1500");
	assert_int_equal(undo(tx, true, &result), 0);
	assert_setting(QLEN, "10");
}

/* The older of two is undone first: the newer one still holds, and goes back to the beginning. */
static void stacked_transactions_unwind(void **state)
{
	struct zh_undo result;
	int64_t one, two;

	need_root(state);
	one = apply((const char *const[]){"unix_max_dgram_qlen=20", NULL});
	two = apply((const char *const[]){"unix_max_dgram_qlen=30", NULL});
	assert_int_equal(undo(one, false, &result), 0);
	assert_setting(QLEN, "30");
	assert_int_equal(undo(two, false, &result), 0);
	assert_setting(QLEN, "10");
}

static void failure_half_way_leaves_nothing(void **state)
{
	struct zh_plan plan;
	struct zh_err err = {};
	int64_t tx;

	need_root(state);
	/* More than a veth takes; the queue length is written before it. */
	plan_of(&plan, (const char *const[]){"unix_max_dgram_qlen=20", "mtu=99999", NULL});
	assert_int_equal(zh_tune_apply(&journal, &plan, &plain, &tx, &err), -EINVAL);
	assert_non_null(strstr(err.text, "is undone"));
	assert_null(strchr(err.text, '\n'));
	zh_plan_done(&plan);
	assert_setting(QLEN, "10");
	assert_setting(MTU, "1500");
}

static void a_device_that_is_gone_is_no_failure(void **state)
{
	struct zh_netcfg *cfg = NULL;
	struct zh_undo result;
	int64_t tx;

	need_root(state);
	assert_int_equal(zh_netcfg_open(netns, &cfg, NULL), 0);
	assert_int_equal(zh_netcfg_veth_add(cfg, "c0", "d0", -1, NULL), 0);
	tx = apply((const char *const[]){"mtu@c0=1400", "unix_max_dgram_qlen=20", NULL});
	assert_int_equal(zh_netcfg_link_del(cfg, "c0", NULL), 0);
	/* Another device by that name is another device. */
	assert_int_equal(zh_netcfg_veth_add(cfg, "c0", "d0", -1, NULL), 0);
	zh_netcfg_close(cfg);
	assert_int_equal(undo(tx, false, &result), 0);
	assert_int_equal(result.gone, 1);
	assert_setting("/sys/class/net/c0/mtu", "1500");
	assert_setting(QLEN, "10");
}

static void the_script_does_the_same(void **state)
{
	struct zh_undo result;
	char path[64];
	const char *const argv[] = {"sh", path, NULL};
	const char *const other_boot[] = {"sh", "-c",
		"sed \"s/$(cat /proc/sys/kernel/random/boot_id)/another/\" \"$0\" | sh", path,
		NULL};
	struct zh_err err = {};
	int64_t tx;

	need_root(state);
	tx = apply((const char *const[]){"unix_max_dgram_qlen=20", "mtu=1400", NULL});
	snprintf(path, sizeof(path), "%s/undo-%lld.sh", dir, (long long)tx);
	assert_true(zh_process_run(other_boot, netns, "", 0, NULL) < 0);
	assert_setting(QLEN, "20");
	assert_setting(MTU, "1400");
	if (zh_process_run(argv, netns, "", 0, &err) < 0)
		fail_msg("%s", err.text);
	assert_setting(QLEN, "10");
	assert_setting(MTU, "1500");
	assert_int_equal(undo(tx, false, &result), 0);
	assert_int_equal(result.already, 2);
	assert_int_equal(access(path, F_OK), -1);
}

static void two_at_once_are_refused(void **state)
{
	struct zh_journal other;
	struct zh_err err = {};

	need_root(state);
	assert_int_equal(zh_journal_open(true, 0, &other, &err), -EBUSY);
	assert_non_null(strstr(err.text, "another zerohop"));
	assert_int_equal(zh_journal_open(false, 0, &other, &err), 0);
	zh_journal_close(&other);
}

static void words_that_are_wrong_are_refused(void **state)
{
	static const char *const words[] = {"mtu", "nothing=1", "mtu=", "mtu@=1", "mtu@none0=1400",
		"unix_max_dgram_qlen@a0=1", "rps@a0/x=0", "task-affinity=0", "task-affinity@0=0",
		"mtu=12"};
	const struct zh_knob_where where = {.netns_fd = netns, .state_dir = journal.dir};

	need_root(state);
	for (size_t i = 0; i < ZH_ARRAY_SIZE(words); i++) {
		struct zh_plan plan = {};
		struct zh_err err = {};

		if (zh_plan_add(&plan, words[i], &where, &err) >= 0 || !err.text[0])
			fail_msg("%s is accepted", words[i]);
		zh_plan_done(&plan);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(applied_and_undone),
		cmocka_unit_test(equal_values_are_no_transaction),
		cmocka_unit_test(others_changes_stay),
		cmocka_unit_test(stacked_transactions_unwind),
		cmocka_unit_test(failure_half_way_leaves_nothing),
		cmocka_unit_test(a_device_that_is_gone_is_no_failure),
		cmocka_unit_test(the_script_does_the_same),
		cmocka_unit_test(two_at_once_are_refused),
		cmocka_unit_test(words_that_are_wrong_are_refused),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}
