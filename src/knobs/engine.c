/* SPDX-License-Identifier: BSD-2-Clause */
/* Writing: intent, write, read back, done. */
#include "knobs/engine.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/util.h"
#include "knobs/internal.h"
#include "sys/root.h"

void zh_crash_point(const char *name)
{
	static unsigned int n;
	const char *at = secure_getenv("ZEROHOP_CRASH_AT");
	char number[16];

	if (!at)
		return;
	snprintf(number, sizeof(number), "%u", ++n);
	if (!strcmp(at, name) || !strcmp(at, number))
		kill(getpid(), SIGKILL);
}

/* "link-mtu of lo" */
static const char *label(const struct zh_change *change, char *buf, size_t size)
{
	char name[96];

	zh_knob_place_name(change->knob, &change->place, name, sizeof(name));
	snprintf(buf, size, "%s%s%s", change->knob->id, *name ? " of " : "", name);
	return buf;
}

/* The value may have changed since the plan was made. */
static int read_prior(struct zh_change *change, struct zh_err *err)
{
	int r = change->knob->ops->get(
		change->knob, &change->place, change->prior_raw, sizeof(change->prior_raw));
	char name[160];

	if (r == 0)
		r = zh_knob_decode(change->knob, change->prior_raw, change->prior);
	return r < 0 ? zh_err_sys(err, r, "cannot read %s", label(change, name, sizeof(name))) : 0;
}

static int read_back(struct zh_change *change)
{
	int r = change->knob->ops->get(
		change->knob, &change->place, change->observed_raw, sizeof(change->observed_raw));

	return r < 0 ? r : zh_knob_decode(change->knob, change->observed_raw, change->observed);
}

/* What the kernel's refusals mean here. */
static int refused(const struct zh_change *change, int r, struct zh_err *err)
{
	char name[160];

	zh_err_sys(err, r, "cannot set %s to %s", label(change, name, sizeof(name)),
		*change->wanted ? change->wanted : "none");
	if (r == -EOVERFLOW)
		zh_err_hint(err, "a CPU in the list is beyond those that this kernel knows");
	else if (r == -EROFS)
		zh_err_hint(err, "/proc/sys or /sys is mounted read-only, as in containers: set it "
				 "from the host with --pid or --pod");
	else if (r == -EPERM || r == -EACCES)
		zh_err_hint(err, "it needs root in the first user namespace");
	else if (r == -EIO)
		zh_err_hint(err, "the kernel manages this one itself");
	else if (r == -ENOSPC)
		zh_err_hint(err, "the CPU has no interrupt vector left");
	return r;
}

static int write_change(
	struct zh_journal *journal, int64_t tx, struct zh_plan *plan, size_t at, struct zh_err *err)
{
	struct zh_change *change = &plan->changes[at];
	char name[160];
	int r = read_prior(change, err);

	if (r < 0)
		return r;
	change->phase = ZH_PHASE_INTENT;
	zh_crash_point("intent");
	r = zh_journal_note(journal, tx, at, change, err);
	if (r == 0)
		r = knobs_script_write(journal, tx, plan, err);
	if (r < 0) {
		change->phase = ZH_PHASE_PLANNED; /* nothing was written to the kernel */
		return r;
	}
	zh_crash_point("write");
	r = change->knob->ops->set(change->knob, &change->place, change->wanted);
	zh_crash_point("written");
	if (r < 0)
		return refused(change, r, err);
	r = read_back(change);
	if (r < 0)
		return zh_err_sys(err, r, "cannot read %s back", label(change, name, sizeof(name)));
	change->phase = ZH_PHASE_DONE;
	r = zh_journal_note(journal, tx, at, change, err);
	zh_crash_point("done");
	if (r < 0)
		return r;
	if (strcmp(change->observed, change->expected) != 0)
		return zh_err_set(err, -EINVAL, "the kernel made %s of %s for %s", change->observed,
			change->expected, label(change, name, sizeof(name)));
	return 0;
}

static int write_all(
	struct zh_journal *journal, int64_t tx, struct zh_plan *plan, struct zh_err *err)
{
	int r = 0;

	for (size_t i = 0; r == 0 && i < plan->n; i++)
		if (plan->changes[i].action == ZH_CHANGE_WRITE)
			r = write_change(journal, tx, plan, i, err);
	return r;
}

/* Says both what failed and what became of the rest. */
static void take_back(struct zh_journal *journal, const struct zh_tx *tx, struct zh_err *err)
{
	struct zh_undo undo = {};
	struct zh_err why = {};
	size_t len;
	int r = zh_tune_undo(journal, tx->id, false, &undo, NULL, &why);

	if (!err)
		return;
	len = strlen(err->text);
	if (r < 0)
		snprintf(err->text + len, sizeof(err->text) - len,
			"; and taking back what was set failed: %.200s", why.text);
	else if (r > 0)
		snprintf(err->text + len, sizeof(err->text) - len,
			"; not all that was set could be taken back (zerohop tune history %lld)",
			(long long)tx->id);
	else
		snprintf(err->text + len, sizeof(err->text) - len, "; %s",
			undo.undone > undo.already ? "what had been set before is undone"
						   : "nothing is changed");
}

int zh_tune_apply(struct zh_journal *journal, struct zh_plan *plan, const struct zh_apply *apply,
	int64_t *ret_tx, struct zh_err *err)
{
	struct zh_tx tx = {.state = ZH_TX_APPLYING};
	int r;

	*ret_tx = 0;
	if (!zh_plan_writes(plan))
		return 0;
	snprintf(tx.label, sizeof(tx.label), "%s", apply->label);
	if (apply->confirm_ns)
		tx.deadline_ns = zh_clock_ns(CLOCK_BOOTTIME) + apply->confirm_ns;
	r = zh_journal_begin(journal, &tx, plan, err);
	if (r < 0)
		return r;
	zh_crash_point("begun");
	if (apply->guard_argv)
		r = knobs_watchdog_arm(journal, &tx, apply, err);
	if (r == 0 && tx.guard)
		r = zh_journal_update(journal, &tx, err);
	zh_crash_point("armed");
	if (r == 0)
		r = write_all(journal, tx.id, plan, err);
	if (r == 0) {
		zh_crash_point("applied");
		tx.state = apply->confirm_ns ? ZH_TX_PENDING : ZH_TX_APPLIED;
		/* As long as a caller must live, its death must undo it. */
		if (apply->guard_caller)
			tx.state = ZH_TX_APPLYING;
		r = zh_journal_update(journal, &tx, err);
		zh_crash_point("stated");
	}
	if (r < 0) {
		take_back(journal, &tx, err);
		return r;
	}
	*ret_tx = tx.id;
	return 0;
}
