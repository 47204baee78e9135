/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A setting as the change of a trial: each block switches it through the journal, so that whatever
 * happens to this process, the value before comes back.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <limits.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/util.h"
#include "cmd/trial.h"
#include "cmd/tune.h"

struct knob_trial {
	struct zh_journal journal; /* locked as long as the trial runs */
	struct zh_plan plan;
	struct tune_guard guard;
	int64_t tx; /* 0: it is as it was */
};

static int set_on(struct knob_trial *trial, struct zh_err *err)
{
	const struct zh_apply apply = {
		.label = "trial", .guard_argv = trial->guard.argv, .guard_caller = true};

	return zh_tune_apply(&trial->journal, &trial->plan, &apply, &trial->tx, err);
}

static int set_off(struct knob_trial *trial, struct zh_err *err)
{
	struct zh_undo undo;
	int64_t tx = trial->tx;
	int r;

	if (!tx)
		return 0;
	trial->tx = 0;
	r = zh_tune_undo(&trial->journal, tx, false, &undo, NULL, err);
	if (r == 0)
		return zh_journal_forget(&trial->journal, tx, err);
	return r < 0 ? r
		     : zh_err_set(err, -EAGAIN,
			       "somebody else changed %s during the trial: their value stays "
			       "(zerohop tune history %lld)",
			       trial->plan.changes[0].knob_id, (long long)tx);
}

static int set(void *arg, bool on, struct zh_err *err)
{
	return on ? set_on(arg, err) : set_off(arg, err);
}

static const struct zh_trial_change knob_change = {.set = set};

static void end(void *arg)
{
	struct knob_trial *trial = arg;

	set_off(trial, NULL);
	zh_journal_close(&trial->journal);
	zh_plan_done(&trial->plan);
	free(trial);
}

static bool is_loopback(const char *host)
{
	struct in6_addr six;
	struct in_addr four;

	if (inet_pton(AF_INET, host, &four) == 1)
		return ntohl(four.s_addr) >> 24 == 127;
	if (inet_pton(AF_INET6, host, &six) == 1)
		return IN6_IS_ADDR_LOOPBACK(&six);
	return !strcmp(host, "localhost");
}

/* The device that the target is reached over, where that is certain without asking. */
static const char *device_of(const char *word)
{
	struct zh_target target;

	if (!word)
		return "lo"; /* the default target */
	if (zh_target_parse(word, &target, NULL) < 0)
		return NULL;
	return target.path[0] || is_loopback(target.host) ? "lo" : NULL;
}

/* The one reason why it must not be tried; or why it can do nothing, which is kept. */
static int judge(
	struct zh_plan *plan, const char *device, struct cmd_trial *ret, struct zh_err *err)
{
	for (size_t i = 0; i < plan->n; i++) {
		struct zh_change *change = &plan->changes[i];
		struct zh_knob_place place = change->place;
		const char *reason = NULL;

		/* What the machine's settings do depends on what the probes pass. */
		if (device && !place.device[0])
			snprintf(place.device, sizeof(place.device), "%s", device);
		if (change->action == ZH_CHANGE_SKIP)
			reason = change->note;
		else if (change->knob->refuse)
			reason = change->knob->refuse(&place, change->wanted);
		if (reason) {
			zh_err_set(err, -EOPNOTSUPP, "%s is refused here: %s", ret->name, reason);
			return ZH_EXIT_UNABLE;
		}
		if (change->knob->placebo &&
			(reason = change->knob->placebo(&place, change->wanted)))
			snprintf(ret->placebo_reason, sizeof(ret->placebo_reason), "%s", reason);
	}
	if (zh_plan_writes(plan))
		return 0;
	zh_err_set(err, -EALREADY, "%s: it is so already, there is nothing to compare", ret->name);
	return ZH_EXIT_USAGE;
}

int cmd_trial_knob(const char *word, const char *target, struct cmd_trial *ret, struct zh_err *err)
{
	const struct zh_knob_where where = {
		.netns_fd = -1, .device = device_of(target), .state_dir = zh_journal_dir()};
	struct knob_trial *trial = calloc(1, sizeof(*trial));
	int recovered, status, r;

	if (!trial) {
		zh_err_set(err, -ENOMEM, "out of memory");
		return ZH_EXIT_UNABLE;
	}
	trial->journal.lock_fd = -1;
	ret->change_arg = trial;
	ret->change_done = end;
	ret->change = &knob_change;
	snprintf(ret->name, sizeof(ret->name), "%s", word);
	snprintf(ret->what, sizeof(ret->what), "the setting %.120s", word);
	trial->plan.anyway = true;
	r = zh_plan_add(&trial->plan, word, &where, err);
	if (r < 0)
		return tune_failed(r);
	zh_plan_sort(&trial->plan);
	status = judge(&trial->plan, where.device, ret, err);
	if (status)
		return status;
	status = tune_guard(&trial->guard, err);
	if (status)
		return status;
	return tune_open(0, &trial->journal, &recovered, err);
}
