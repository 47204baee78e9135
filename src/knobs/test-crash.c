/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Every knob that can be set here is set and undone by a process that kills itself at each step of
 * the journal in turn. After the next start the kernel's text is what it was before, byte by byte.
 *
 * Devices, queues and namespaces are the test's own. What is the machine's is changed by the least
 * amount, and a guard puts it back should this test itself be killed.
 */
#include <errno.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/units.h"
#include "base/util.h"
#include "knobs/engine.h"
#include "sys/net-config.h"
#include "sys/netns.h"
#include "sys/process.h"

#define STEPS_MAX 64
#define STEPS_LEAST 10 /* a whole life has more of them */
#define CANNOT_SET 77

static char dir[] = "/tmp/zh-crash-XXXXXX";
static int netns = -1;
static pid_t sleeper;

static int sleep_on(void *arg)
{
	(void)arg;
	while (pause() < 0)
		;
	return 0;
}

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
		zh_netcfg_veth_add(cfg, "c0", "d0", -1, &err) < 0 ||
		zh_process_fork(sleep_on, NULL, &sleeper, &err) < 0) {
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
	sleeper = zh_process_end(sleeper);
	if (netns < 0)
		return 0;
	close(netns);
	return zh_process_run(argv, -1, "", 0, NULL);
}

/* Something else than it is, as near as can be. */
static bool another_value(const struct zh_knob *knob, const char *prior, char *ret)
{
	long long number = strtoll(prior, NULL, 10);
	char *last;

	switch (knob->type) {
	case ZH_KNOB_NUMBER:
		if (knob->expect == zh_knob_expect_power_of_two)
			number = number ? number * 2 : 1024;
		else
			number += !knob->max || number < knob->max ? 1 : -1;
		snprintf(ret, ZH_KNOB_VALUE, "%lld", number);
		return true;
	case ZH_KNOB_NUMBERS:
		snprintf(ret, ZH_KNOB_VALUE, "%s", prior);
		last = strrchr(ret, ' ');
		last = last ? last + 1 : ret;
		number = strtoll(last, NULL, 10);
		snprintf(last, 24, "%lld", number + (number < knob->max || !knob->max ? 1 : -1));
		return true;
	case ZH_KNOB_BOOL:
	case ZH_KNOB_FLAG_YN:
		snprintf(ret, ZH_KNOB_VALUE, "%d", *prior != '1');
		return true;
	case ZH_KNOB_WORD:
		snprintf(ret, ZH_KNOB_VALUE, "%s", knob->words[!strcmp(knob->words[0], prior)]);
		return true;
	case ZH_KNOB_CPU_MASK:
		snprintf(ret, ZH_KNOB_VALUE, "%s", *prior ? "none" : "0");
		return true;
	case ZH_KNOB_CPU_LIST:
		snprintf(ret, ZH_KNOB_VALUE, "%s", strcmp(prior, "0") ? "0" : "1");
		return true;
	case ZH_KNOB_TEXT:
		break;
	}
	return false;
}

static const char *instance_of(const struct zh_knob *knob, char *buf, size_t size)
{
	switch (knob->target) {
	case ZH_KNOB_DEVICE:
		return "c0";
	case ZH_KNOB_QUEUE:
		return "c0/0";
	case ZH_KNOB_CPU:
		return "0";
	case ZH_KNOB_IRQ:
		return "1";
	case ZH_KNOB_TASK:
		snprintf(buf, size, "%d", (int)sleeper);
		return buf;
	default:
		return NULL;
	}
}

struct subject {
	const struct zh_knob *knob;
	struct zh_knob_place place;
	char raw[ZH_KNOB_VALUE], prior[ZH_KNOB_VALUE], word[ZH_KNOB_VALUE + 64];
};

/* The child: a whole life of a transaction, killed somewhere on its way. */
static int live(void *arg)
{
	const struct subject *subject = arg;
	const struct zh_knob_where where = {.netns_fd = netns, .state_dir = dir};
	const struct zh_apply apply = {.label = "crash"};
	struct zh_plan plan = {.anyway = true};
	struct zh_journal journal;
	struct zh_undo undo;
	struct zh_err err = {};
	int64_t tx;

	if (zh_journal_open(true, 0, &journal, &err) < 0 ||
		zh_plan_add(&plan, subject->word, &where, &err) < 0) {
		print_error("%s\n", err.text);
		return 1;
	}
	if (zh_tune_apply(&journal, &plan, &apply, &tx, &err) < 0) {
		print_message("# %s: %s\n", subject->knob->id, err.text);
		return CANNOT_SET;
	}
	return tx && zh_tune_undo(&journal, tx, false, &undo, NULL, &err) == 0 ? 0 : 1;
}

/* The next start: what was unfinished is gone by itself, what was finished can be undone. */
static void recover(const char *id, unsigned int step)
{
	struct zh_journal journal;
	struct zh_undo undo;
	struct zh_tx tx;
	struct zh_err err = {};
	int64_t last;

	if (zh_journal_open(true, 0, &journal, &err) < 0 ||
		zh_tune_recover(&journal, &last, &err) < 0)
		fail_msg("%s, step %u: %s", id, step, err.text);
	if (zh_tune_newest(&journal, &tx, NULL) == 0) {
		if (tx.state != ZH_TX_APPLIED ||
			zh_tune_undo(&journal, tx.id, false, &undo, NULL, &err) != 0)
			fail_msg("%s, step %u: %s", id, step, err.text);
	}
	zh_journal_close(&journal);
}

/* Guards the machine's values against the death of this test. */
static int guard(void *arg)
{
	struct subject *subject = arg;
	sigset_t set;
	int sig;

	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	sigwait(&set, &sig);
	subject->knob->ops->set(subject->knob, &subject->place, subject->prior);
	return 0;
}

/* Its maker's death is a signal to it, not its own: it has something to do then. */
static pid_t start_guard(struct subject *subject)
{
	pid_t pid, maker = getpid();
	sigset_t all;

	pid = fork();
	if (pid != 0)
		return pid;
	sigfillset(&all);
	sigprocmask(SIG_SETMASK, &all, NULL);
	prctl(PR_SET_PDEATHSIG, SIGUSR1);
	if (getppid() != maker)
		raise(SIGUSR1);
	_exit(guard(subject));
}

/* 1: it lived to its end; 0: killed as it should be; -1: this value cannot be set here. */
static int kill_at(struct subject *subject, unsigned int step)
{
	char number[16], after[ZH_KNOB_VALUE];
	int status = 0;
	pid_t pid;

	snprintf(number, sizeof(number), "%u", step);
	setenv("ZEROHOP_CRASH_AT", number, 1);
	assert_int_equal(zh_process_fork(live, subject, &pid, NULL), 0);
	unsetenv("ZEROHOP_CRASH_AT");
	assert_int_equal(zh_process_wait(pid, 20 * ZH_NSEC_PER_SEC, &status), 0);
	recover(subject->knob->id, step);
	assert_int_equal(
		subject->knob->ops->get(subject->knob, &subject->place, after, sizeof(after)), 0);
	if (strcmp(after, subject->raw) != 0)
		fail_msg("%s, step %u: was '%s', is '%s'", subject->knob->id, step, subject->raw,
			after);
	if (WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL)
		return 0;
	if (WIFEXITED(status) && WEXITSTATUS(status) == CANNOT_SET)
		return -1;
	if (!WIFEXITED(status) || WEXITSTATUS(status) != 0)
		fail_msg("%s, step %u: status %#x", subject->knob->id, step, (unsigned)status);
	return 1;
}

static bool prepare(const struct zh_knob *knob, struct subject *subject)
{
	const struct zh_knob_where where = {.netns_fd = netns, .state_dir = dir};
	char number[16], value[ZH_KNOB_VALUE];
	const char *instance = instance_of(knob, number, sizeof(number));

	*subject = (struct subject){.knob = knob};
	if (zh_knob_place_find(knob, instance, &where, &subject->place, NULL) < 0)
		return false;
	if (knob->ops->get(knob, &subject->place, subject->raw, sizeof(subject->raw)) < 0 ||
		zh_knob_decode(knob, subject->raw, subject->prior) < 0 ||
		!another_value(knob, subject->prior, value)) {
		zh_knob_place_done(&subject->place);
		return false;
	}
	snprintf(subject->word, sizeof(subject->word), "%s%s%s=%s", knob->id, instance ? "@" : "",
		instance ? instance : "", value);
	return true;
}

static void killed_at_every_step(void **state)
{
	const struct zh_knob *knob;
	unsigned int tried = 0, lived = 0;

	(void)state;
	if (netns < 0)
		skip();
	for (size_t i = 0; (knob = zh_knob_at(i)); i++) {
		struct subject subject;
		unsigned int step;
		pid_t pid;
		int r = 0;

		if (!prepare(knob, &subject)) {
			print_message("# %s: not here\n", knob->id);
			continue;
		}
		tried++;
		pid = start_guard(&subject);
		for (step = 1; r == 0 && step < STEPS_MAX; step++)
			r = kill_at(&subject, step);
		if (pid > 0) {
			kill(pid, SIGKILL);
			waitpid(pid, NULL, 0);
		}
		zh_knob_place_done(&subject.place);
		if (r == 0 || (r > 0 && step < STEPS_LEAST))
			fail_msg("%s ended at step %u", knob->id, step);
		lived += r > 0;
	}
	print_message("# %u knobs are here, %u of them can be set\n", tried, lived);
	assert_true(lived >= 4);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(killed_at_every_step)};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}
