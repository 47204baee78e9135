/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Scenarios show what they are for, account for every packet, and leave nothing: neither when they
 * end, nor when they are stopped, nor when they are killed while the machine's backlog limit is not
 * what it was.
 */
#include <errno.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/clock.h"
#include "base/util.h"
#include "lab/global.h"
#include "lab/scenario.h"
#include "machine.h"
#include "sys/net-tune.h"
#include "sys/process.h"

#define STRANGERS 8
#define TRIES 3 /* other programs run on this machine, too */

static struct zh_scenario_result *run(const char *id, bool (*stop)(void *arg), void *arg)
{
	const struct zh_scenario_config config = {
		.scenario = zh_scenario_find(id), .stop = stop, .arg = arg};
	struct zh_scenario_result *result = NULL;
	struct zh_err err = {};
	int r;

	assert_non_null(config.scenario);
	r = zh_scenario_run(&config, &result, &err);
	if (r == -EPERM || r == -ENOTSUP || r == -EOPNOTSUPP || r == -ENOENT || r == -EBUSY) {
		print_message("skipped: %s\n", err.text);
		skip();
	}
	if (r < 0)
		fail_msg("%s", err.text);
	return result;
}

static uint64_t global(enum zh_nettune_global which)
{
	uint64_t value = 0;

	if (zh_nettune_global(which, &value, NULL) < 0)
		skip();
	return value;
}

static uint64_t backlog_limit(void)
{
	return global(ZH_NETTUNE_BACKLOG);
}

/* What is left over can only be requests of which no reply was waited for; what is too much, a few
 * packets that are neither load's nor victim's: ARP is dropped like everything else. */
static void check_account(const struct zh_step_result *step)
{
	const struct lab_traffic *udp = &step->udp;
	int64_t open = (int64_t)udp->victim.requests - udp->victim.answered - udp->victim.late;

	assert_true(udp->is_reckoned);
	assert_true(udp->load.sent > 0);
	if (udp->unattributed < -STRANGERS || udp->unattributed > open)
		fail_msg("%s: %lld packets unattributed", step->step->id,
			(long long)udp->unattributed);
}

static void has_right_direction(void **state)
{
	const char *id = *state;
	uint64_t limit = backlog_limit();
	enum zh_verdict verdict = ZH_VERDICT_FAILED;
	int i;

	for (i = 0; i < TRIES && verdict != ZH_VERDICT_HELPS; i++) {
		struct zh_scenario_result *result = run(id, NULL, NULL);

		assert_int_equal(result->n_steps, 2);
		assert_false(result->interrupted);
		check_account(&result->steps[0]);
		check_account(&result->steps[1]);
		assert_int_equal(result->steps[0].verdict, ZH_VERDICT_BEFORE);
		verdict = result->steps[1].verdict;
		if (verdict != ZH_VERDICT_HELPS)
			print_message("try %d: %s\n", i + 1, zh_verdict_name(verdict));
		zh_scenario_free(result);
		assert_int_equal(machine_children(), 0);
		assert_int_equal(backlog_limit(), limit);
	}
	assert_int_equal(verdict, ZH_VERDICT_HELPS);
}

static bool is_late(void *arg)
{
	return zh_now_ns() > *(const uint64_t *)arg;
}

static void stops_when_asked(void **state)
{
	uint64_t limit = backlog_limit(), end_ns = zh_now_ns() + 600 * ZH_NSEC_PER_MSEC;
	struct zh_scenario_result *result = run("microburst", is_late, &end_ns);

	(void)state;
	assert_true(result->interrupted);
	assert_true(result->n_steps < 2);
	zh_scenario_free(result);
	assert_int_equal(machine_children(), 0);
	assert_int_equal(backlog_limit(), limit);
}

struct change {
	enum zh_nettune_global which;
	uint64_t value;
};

static int change_and_wait(void *arg)
{
	const struct change *change = arg;
	struct lab_global global;

	if (lab_global_set(&global, change->which, change->value, NULL) < 0)
		return 1;
	for (;;)
		pause();
	return 0;
}

static bool becomes(enum zh_nettune_global which, uint64_t value)
{
	int i;

	for (i = 0; i < 250 && global(which) != value; i++)
		zh_sleep_until(zh_now_ns() + 20 * ZH_NSEC_PER_MSEC);
	return global(which) == value;
}

static void check_kill(enum zh_nettune_global which, const char *note)
{
	struct change change = {which, global(which) + 77};
	uint64_t limit = global(which);
	struct zh_err err = {};
	pid_t pid;
	int status;

	assert_int_equal(zh_process_fork(change_and_wait, &change, &pid, &err), 0);
	if (!becomes(which, change.value)) {
		if (zh_process_wait(pid, 0, &status) == 0) {
			print_message(
				"skipped: %s cannot be changed\n", zh_nettune_global_name(which));
			skip();
		}
		zh_process_end(pid);
		fail_msg("%s was not changed", zh_nettune_global_name(which));
	}
	zh_process_end(pid);
	assert_true(becomes(which, limit));
	zh_lab_gc();
	assert_int_equal(access(note, F_OK), -1);
}

static void survives_a_kill(void **state)
{
	(void)state;
	check_kill(ZH_NETTUNE_BACKLOG, LAB_STATE_DIR "/backlog");
	check_kill(ZH_NETTUNE_BUDGET, LAB_STATE_DIR "/budget");
}

/* What an administrator sets meanwhile stays. */
static void yields_to_others(void **state)
{
	uint64_t limit = backlog_limit();
	struct lab_global backlog;
	struct zh_err err = {};

	(void)state;
	if (lab_global_set(&backlog, ZH_NETTUNE_BACKLOG, limit + 7, &err) < 0) {
		print_message("skipped: %s\n", err.text);
		skip();
	}
	assert_int_equal(backlog_limit(), limit + 7);
	assert_int_equal(zh_nettune_global_set(ZH_NETTUNE_BACKLOG, limit + 9, &err), 0);
	lab_global_restore(&backlog);
	assert_int_equal(backlog_limit(), limit + 9);
	assert_int_equal(zh_nettune_global_set(ZH_NETTUNE_BACKLOG, limit, &err), 0);
	assert_int_equal(machine_children(), 0);
}

static struct lab_traffic traffic(uint64_t sent, uint64_t received, uint32_t answered)
{
	return (struct lab_traffic){.load = {.sent = sent, .received = received},
		.victim = {.requests = 1000, .answered = answered}};
}

static void judges(void **state)
{
	static const struct {
		uint64_t before, after; /* of 1000 packets received */
		uint32_t was, is;       /* answered of 1000 */
		enum zh_verdict verdict;
	} cases[] = {
		{600, 1000, 100, 1000, ZH_VERDICT_HELPS},
		{600, 900, 100, 400, ZH_VERDICT_HELPS},
		{600, 1000, 880, 1000, ZH_VERDICT_HELPS}, /* cannot be four times as many */
		{600, 1000, 880, 900, ZH_VERDICT_NO_HELP},
		{600, 700, 100, 1000, ZH_VERDICT_NO_HELP}, /* still loses three quarters as much */
		{600, 650, 100, 110, ZH_VERDICT_NO_HELP},
		{600, 100, 100, 100, ZH_VERDICT_HARMS},
		{600, 700, 800, 20, ZH_VERDICT_HARMS},
		{600, 1000, 0, 0, ZH_VERDICT_NO_HELP}, /* four times nothing is no answer */
		{960, 1000, 990, 1000, ZH_VERDICT_NOT_SHOWN},
	};
	struct lab_traffic *t = test_malloc(2 * sizeof(*t));
	size_t i;

	(void)state;
	for (i = 0; i < ZH_ARRAY_SIZE(cases); i++) {
		t[0] = traffic(1000, cases[i].before, cases[i].was);
		t[1] = traffic(1000, cases[i].after, cases[i].is);
		if (zh_scenario_judge(&t[0], &t[1]) != cases[i].verdict)
			fail_msg("case %zu: %s", i,
				zh_verdict_name(zh_scenario_judge(&t[0], &t[1])));
	}
	test_free(t);
}

int main(void)
{
	static char hot[] = "hot-rx-cpu", burst[] = "microburst";
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(judges),
		cmocka_unit_test_prestate(has_right_direction, hot),
		cmocka_unit_test_prestate(has_right_direction, burst),
		cmocka_unit_test(stops_when_asked),
		cmocka_unit_test(survives_a_kill),
		cmocka_unit_test(yields_to_others),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
