/* SPDX-License-Identifier: BSD-2-Clause */
/* Taking back: compare, then swap; and what an earlier run left behind. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/clock.h"
#include "base/util.h"
#include "knobs/internal.h"

/* What was set; after a crash between write and read-back that is what was expected. */
static const char *ours(const struct zh_change *change)
{
	return change->phase == ZH_PHASE_DONE ? change->observed : change->expected;
}

static enum zh_change_phase put_back(struct zh_change *change, const char *now)
{
	struct zh_err err = {};
	char after[ZH_KNOB_VALUE];
	int r = change->knob->ops->set(change->knob, &change->place, change->prior);

	zh_crash_point("restored");
	if (r == 0)
		r = zh_knob_get(change->knob, &change->place, after, &err);
	if (r == 0 && !strcmp(after, change->prior))
		return ZH_PHASE_UNDONE;
	if (r < 0)
		snprintf(change->note, sizeof(change->note), "cannot be set back from %.60s: %s",
			now, strerror(-r));
	else
		snprintf(change->note, sizeof(change->note),
			"is %.60s after it was set back to %.60s", after, change->prior);
	return ZH_PHASE_FAILED;
}

/* Somebody else's value: another transaction of ours, or nobody we know. */
static enum zh_change_phase foreign(
	struct zh_journal *journal, int64_t tx, struct zh_change *change, const char *now)
{
	int64_t later;

	if (zh_journal_stacked(journal, tx, change, &later) > 0) {
		snprintf(change->note, sizeof(change->note),
			"transaction %lld set it later: undoing that one puts back the old value",
			(long long)later);
		return ZH_PHASE_UNDONE;
	}
	snprintf(change->note, sizeof(change->note), "was %.60s, we set %.60s, now it is %.60s",
		change->prior, ours(change), now);
	return ZH_PHASE_FOREIGN;
}

static enum zh_change_phase undo_change(struct zh_journal *journal, int64_t tx, bool force,
	struct zh_change *change, struct zh_undo *undo)
{
	char now[ZH_KNOB_VALUE];
	struct zh_err err = {};
	int r;

	if (!change->knob) {
		snprintf(change->note, sizeof(change->note), "this zerohop knows no such knob");
		return ZH_PHASE_FAILED;
	}
	r = zh_knob_place_again(change->knob, &change->place);
	if (r == 0)
		r = zh_knob_get(change->knob, &change->place, now, &err);
	if (r == -ENOENT || r == -ENODEV || r == -ESRCH)
		return ZH_PHASE_GONE;
	if (r < 0) {
		snprintf(change->note, sizeof(change->note), "%.300s", err.text);
		return ZH_PHASE_FAILED;
	}
	if (!strcmp(now, change->prior)) {
		undo->already++;
		return ZH_PHASE_UNDONE;
	}
	if (strcmp(now, ours(change)) != 0 && !force)
		return foreign(journal, tx, change, now);
	/* The same value as ours may be one that a later transaction stands on. */
	return put_back(change, now);
}

static void count(struct zh_undo *undo, enum zh_change_phase phase)
{
	undo->undone += phase == ZH_PHASE_UNDONE;
	undo->gone += phase == ZH_PHASE_GONE;
	undo->foreign += phase == ZH_PHASE_FOREIGN;
	undo->failed += phase == ZH_PHASE_FAILED;
}

static bool may_be_set(const struct zh_change *change, bool force)
{
	return change->phase == ZH_PHASE_INTENT || change->phase == ZH_PHASE_DONE ||
	       (force && (change->phase == ZH_PHASE_FOREIGN || change->phase == ZH_PHASE_FAILED));
}

/* The journal failing must not keep the kernel's settings from being restored: its first error is
 * kept for the end. */
static int undo_all(struct zh_journal *journal, int64_t tx, bool force, struct zh_plan *plan,
	struct zh_undo *undo, struct zh_err *err)
{
	int r = 0, failed = 0;

	for (size_t i = plan->n; i-- > 0;) {
		struct zh_change *change = &plan->changes[i];

		if (!may_be_set(change, force))
			continue;
		zh_crash_point("restore");
		change->phase = undo_change(journal, tx, force, change, undo);
		count(undo, change->phase);
		r = zh_journal_note(journal, tx, i, change, failed ? NULL : err);
		if (r < 0 && !failed)
			failed = r;
		zh_crash_point("undone");
	}
	return failed;
}

int zh_tune_undo(struct zh_journal *journal, int64_t id, bool force, struct zh_undo *ret,
	struct zh_plan *ret_plan, struct zh_err *err)
{
	struct zh_plan plan = {};
	struct zh_tx tx;
	bool left;
	int r = zh_journal_tx(journal, id, &tx, err);

	*ret = (struct zh_undo){};
	if (r < 0)
		return r;
	if (tx.state == ZH_TX_UNDONE || tx.state == ZH_TX_VOID ||
		(tx.state == ZH_TX_LEFT && !force))
		return zh_err_set(err, -EALREADY, "transaction %lld is %s%s", (long long)id,
			zh_tx_state_name(tx.state),
			tx.state == ZH_TX_VOID ? ": the machine was started again since" : "");
	r = zh_journal_changes(journal, id, &plan, err);
	if (r < 0)
		return r;
	tx.state = ZH_TX_UNDOING;
	zh_journal_update(journal, &tx, NULL); /* a full disk must not stop it */
	zh_crash_point("undoing");
	r = undo_all(journal, id, force, &plan, ret, err);
	left = ret->foreign || ret->failed;
	tx.state = left ? ZH_TX_LEFT : ZH_TX_UNDONE;
	if (r == 0)
		r = zh_journal_update(journal, &tx, err);
	if (r == 0 && !left)
		knobs_script_remove(journal, id);
	zh_crash_point("closed");
	knobs_watchdog_disarm(&tx);
	if (ret_plan && r == 0)
		*ret_plan = plan;
	else
		zh_plan_done(&plan);
	return r < 0 ? r : left;
}

int zh_tune_confirm(struct zh_journal *journal, int64_t id, int64_t *ret_tx, struct zh_err *err)
{
	struct zh_tx tx;
	int r = 0;

	for (size_t n = 0; !id; n++) {
		r = zh_journal_nth(journal, n, &tx, NULL);
		if (r < 0)
			return zh_err_set(err, -ENOENT, "no transaction waits to be confirmed");
		if (tx.state == ZH_TX_PENDING)
			id = tx.id;
	}
	r = zh_journal_tx(journal, id, &tx, err);
	if (r < 0)
		return r;
	if (tx.state != ZH_TX_PENDING)
		return zh_err_set(err, tx.state < ZH_TX_UNDOING ? -ENOENT : -ETIME,
			"transaction %lld does not wait to be confirmed: it is %s", (long long)id,
			zh_tx_state_name(tx.state));
	tx.state = ZH_TX_APPLIED;
	r = zh_journal_update(journal, &tx, err);
	if (r < 0)
		return r;
	knobs_watchdog_disarm(&tx);
	*ret_tx = id;
	return 0;
}

static bool must_be_undone(const struct zh_tx *tx)
{
	return tx->state == ZH_TX_APPLYING || tx->state == ZH_TX_UNDOING ||
	       (tx->state == ZH_TX_PENDING && zh_clock_ns(CLOCK_BOOTTIME) >= tx->deadline_ns);
}

/* Whoever wrote an unfinished one held the lock, which we have: it is dead. */
int zh_tune_recover(struct zh_journal *journal, int64_t *ret_last, struct zh_err *err)
{
	struct zh_undo undo;
	struct zh_tx tx;
	int n = 0, r;

	for (size_t i = 0; zh_journal_nth(journal, i, &tx, NULL) == 0; i++) {
		if (!must_be_undone(&tx))
			continue;
		r = zh_tune_undo(journal, tx.id, false, &undo, NULL, err);
		if (r < 0)
			return r;
		*ret_last = tx.id;
		n++;
	}
	return n;
}

int zh_tune_expire(struct zh_journal *journal, int64_t id, struct zh_err *err)
{
	struct zh_undo undo;
	struct zh_tx tx;
	int r = zh_journal_tx(journal, id, &tx, err);

	if (r == -ENOENT)
		return 0;
	return r < 0 || !must_be_undone(&tx) ? r
					     : zh_tune_undo(journal, id, false, &undo, NULL, err);
}

int zh_tune_newest(struct zh_journal *journal, struct zh_tx *ret, struct zh_err *err)
{
	for (size_t i = 0; zh_journal_nth(journal, i, ret, NULL) == 0; i++)
		if (ret->state < ZH_TX_UNDONE)
			return 0;
	return zh_err_set(err, -ENOENT, "nothing is set: there is no transaction to undo");
}
