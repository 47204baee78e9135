/* SPDX-License-Identifier: BSD-2-Clause */
/* Transactions and changes into the journal and out of it. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/util.h"
#include "knobs/journal-sql.h"

static int insert_change(struct zh_journal *journal, int64_t tx, size_t seq,
	const struct zh_change *change, struct zh_err *err)
{
	const struct zh_knob_place *p = &change->place;
	const struct journal_value values[] = {JOURNAL_NUMBER(tx), JOURNAL_NUMBER(seq),
		JOURNAL_TEXT(change->knob_id), JOURNAL_NUMBER(p->cookie),
		JOURNAL_NUMBER(p->netns_inode), JOURNAL_TEXT(p->device), JOURNAL_NUMBER(p->ifindex),
		JOURNAL_NUMBER(p->queue), JOURNAL_NUMBER(p->cpu), JOURNAL_NUMBER(p->irq),
		JOURNAL_TEXT(p->action), JOURNAL_NUMBER(p->pid), JOURNAL_NUMBER(p->start_ticks),
		JOURNAL_TEXT(change->prior), JOURNAL_TEXT(change->prior_raw),
		JOURNAL_TEXT(change->wanted), JOURNAL_TEXT(change->expected),
		JOURNAL_TEXT(change->observed), JOURNAL_TEXT(change->observed_raw),
		JOURNAL_NUMBER(change->phase), JOURNAL_TEXT(change->note)};

	return journal_run(journal, err,
		"INSERT INTO change VALUES(?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)", values,
		ZH_ARRAY_SIZE(values));
}

static int insert_tx(struct zh_journal *journal, struct zh_tx *tx, const struct zh_plan *plan,
	struct zh_err *err)
{
	const struct journal_value values[] = {JOURNAL_TEXT(journal->boot_id),
		JOURNAL_NUMBER(tx->state), JOURNAL_NUMBER(tx->created_s),
		JOURNAL_NUMBER(tx->deadline_ns), JOURNAL_TEXT(tx->label), JOURNAL_NUMBER(tx->guard),
		JOURNAL_NUMBER(tx->guard_start)};
	int r = journal_run(journal, err,
		"INSERT INTO tx(boot_id,state,created_s,deadline_ns,label,guard,guard_start)"
		" VALUES(?,?,?,?,?,?,?)",
		values, ZH_ARRAY_SIZE(values));

	tx->id = sqlite3_last_insert_rowid(journal->db);
	for (size_t i = 0; r == 0 && i < plan->n; i++)
		if (plan->changes[i].action == ZH_CHANGE_WRITE)
			r = insert_change(journal, tx->id, i, &plan->changes[i], err);
	return r;
}

int zh_journal_begin(struct zh_journal *journal, struct zh_tx *tx, const struct zh_plan *plan,
	struct zh_err *err)
{
	int r;

	tx->created_s = (uint64_t)time(NULL);
	r = journal_run(journal, err, "BEGIN IMMEDIATE", NULL, 0);
	if (r < 0)
		return r;
	r = insert_tx(journal, tx, plan, err);
	if (r == 0)
		r = journal_run(journal, err, "COMMIT", NULL, 0);
	if (r < 0)
		sqlite3_exec(journal->db, "ROLLBACK", NULL, NULL, NULL);
	return r;
}

int zh_journal_update(struct zh_journal *journal, const struct zh_tx *tx, struct zh_err *err)
{
	const struct journal_value values[] = {JOURNAL_NUMBER(tx->state),
		JOURNAL_NUMBER(tx->deadline_ns), JOURNAL_NUMBER(tx->guard),
		JOURNAL_NUMBER(tx->guard_start), JOURNAL_NUMBER(tx->id)};

	return journal_run(journal, err,
		"UPDATE tx SET state=?, deadline_ns=?, guard=?, guard_start=? WHERE id=?", values,
		ZH_ARRAY_SIZE(values));
}

int zh_journal_note(struct zh_journal *journal, int64_t tx, size_t at,
	const struct zh_change *change, struct zh_err *err)
{
	const struct journal_value values[] = {JOURNAL_TEXT(change->prior),
		JOURNAL_TEXT(change->prior_raw), JOURNAL_TEXT(change->observed),
		JOURNAL_TEXT(change->observed_raw), JOURNAL_NUMBER(change->phase),
		JOURNAL_TEXT(change->note), JOURNAL_NUMBER(tx), JOURNAL_NUMBER(at)};

	return journal_run(journal, err,
		"UPDATE change SET prior=?, prior_raw=?, observed=?, observed_raw=?, phase=?,"
		" note=? WHERE tx=? AND seq=?",
		values, ZH_ARRAY_SIZE(values));
}

int zh_journal_forget(struct zh_journal *journal, int64_t tx, struct zh_err *err)
{
	const struct journal_value value = JOURNAL_NUMBER(tx);
	int r = journal_run(journal, err, "DELETE FROM change WHERE tx=?", &value, 1);

	return r < 0 ? r : journal_run(journal, err, "DELETE FROM tx WHERE id=?", &value, 1);
}

static void copy_text(char *buf, size_t size, sqlite3_stmt *stmt, int column)
{
	const char *text = (const char *)sqlite3_column_text(stmt, column);

	snprintf(buf, size, "%s", text ? text : "");
}

/* 0, or -ENOENT: no row. */
static int read_tx(struct zh_journal *journal, const char *sql, int64_t value, struct zh_tx *ret,
	struct zh_err *err)
{
	journal_statement *stmt = NULL;
	char boot_id[sizeof(journal->boot_id)];
	struct zh_tx tx = {};
	int r;

	if (sqlite3_prepare_v2(journal->db, sql, -1, &stmt, NULL) != SQLITE_OK ||
		sqlite3_bind_int64(stmt, 1, value) != SQLITE_OK)
		return journal_failed(journal, err);
	r = sqlite3_step(stmt);
	if (r == SQLITE_DONE)
		return zh_err_set(err, -ENOENT, "there is no such transaction");
	if (r != SQLITE_ROW)
		return journal_failed(journal, err);
	tx.id = sqlite3_column_int64(stmt, 0);
	copy_text(boot_id, sizeof(boot_id), stmt, 1);
	tx.state = (enum zh_tx_state)ZH_MIN((unsigned)sqlite3_column_int(stmt, 2), ZH_TX_VOID);
	tx.created_s = (uint64_t)sqlite3_column_int64(stmt, 3);
	tx.deadline_ns = (uint64_t)sqlite3_column_int64(stmt, 4);
	copy_text(tx.label, sizeof(tx.label), stmt, 5);
	tx.guard = sqlite3_column_int(stmt, 6);
	tx.guard_start = (uint64_t)sqlite3_column_int64(stmt, 7);
	if (strcmp(boot_id, journal->boot_id) != 0 && tx.state < ZH_TX_UNDONE)
		tx.state = ZH_TX_VOID;
	*ret = tx;
	return 0;
}

#define TX_COLUMNS "SELECT id,boot_id,state,created_s,deadline_ns,label,guard,guard_start FROM tx "

int zh_journal_nth(struct zh_journal *journal, size_t n, struct zh_tx *ret, struct zh_err *err)
{
	return read_tx(
		journal, TX_COLUMNS "ORDER BY id DESC LIMIT 1 OFFSET ?", (int64_t)n, ret, err);
}

int zh_journal_tx(struct zh_journal *journal, int64_t id, struct zh_tx *ret, struct zh_err *err)
{
	return read_tx(journal, TX_COLUMNS "WHERE id=?", id, ret, err);
}

static void read_change(sqlite3_stmt *stmt, struct zh_change *c)
{
	struct zh_knob_place *p = &c->place;

	copy_text(c->knob_id, sizeof(c->knob_id), stmt, 0);
	c->knob = zh_knob_find(c->knob_id);
	p->netns_fd = -1;
	p->cookie = (uint64_t)sqlite3_column_int64(stmt, 1);
	p->netns_inode = (uint64_t)sqlite3_column_int64(stmt, 2);
	copy_text(p->device, sizeof(p->device), stmt, 3);
	p->ifindex = (uint32_t)sqlite3_column_int64(stmt, 4);
	p->queue = (uint32_t)sqlite3_column_int64(stmt, 5);
	p->cpu = (uint32_t)sqlite3_column_int64(stmt, 6);
	p->irq = (uint32_t)sqlite3_column_int64(stmt, 7);
	copy_text(p->action, sizeof(p->action), stmt, 8);
	p->pid = (pid_t)sqlite3_column_int64(stmt, 9);
	p->start_ticks = (uint64_t)sqlite3_column_int64(stmt, 10);
	copy_text(c->prior, sizeof(c->prior), stmt, 11);
	copy_text(c->prior_raw, sizeof(c->prior_raw), stmt, 12);
	copy_text(c->wanted, sizeof(c->wanted), stmt, 13);
	copy_text(c->expected, sizeof(c->expected), stmt, 14);
	copy_text(c->observed, sizeof(c->observed), stmt, 15);
	copy_text(c->observed_raw, sizeof(c->observed_raw), stmt, 16);
	c->phase = (enum zh_change_phase)ZH_MIN(
		(unsigned)sqlite3_column_int(stmt, 17), ZH_PHASE_FAILED);
	copy_text(c->note, sizeof(c->note), stmt, 18);
}

/* Changes keep their index in the plan: what was not written stands there as skipped. */
int zh_journal_changes(
	struct zh_journal *journal, int64_t tx, struct zh_plan *ret, struct zh_err *err)
{
	journal_statement *stmt = NULL;
	struct zh_plan plan = {.changes = calloc(ZH_PLAN_MAX, sizeof(*plan.changes))};
	int r = SQLITE_ERROR;

	if (!plan.changes)
		return zh_err_set(err, -ENOMEM, "out of memory");
	if (sqlite3_prepare_v2(journal->db,
		    "SELECT knob,cookie,inode,device,ifindex,queue,cpu,irq,action,pid,start,prior,"
		    "prior_raw,wanted,expected,observed,observed_raw,phase,note,seq FROM change"
		    " WHERE tx=? ORDER BY seq",
		    -1, &stmt, NULL) == SQLITE_OK &&
		sqlite3_bind_int64(stmt, 1, tx) == SQLITE_OK)
		while ((r = sqlite3_step(stmt)) == SQLITE_ROW) {
			size_t seq = (size_t)sqlite3_column_int64(stmt, 19);

			for (; plan.n < seq && plan.n < ZH_PLAN_MAX; plan.n++)
				plan.changes[plan.n] = (struct zh_change){
					.action = ZH_CHANGE_SKIP, .place.netns_fd = -1};
			if (plan.n == seq && plan.n < ZH_PLAN_MAX)
				read_change(stmt, &plan.changes[plan.n++]);
		}
	if (r != SQLITE_DONE) {
		zh_plan_done(&plan);
		return journal_failed(journal, err);
	}
	for (size_t i = 0; i < plan.n; i++)
		plan.changes[i].place.state_dir = journal->dir;
	*ret = plan;
	return 0;
}

/* The same knob of the same thing, in a transaction of this boot that still holds. */
int zh_journal_stacked(
	struct zh_journal *journal, int64_t tx, const struct zh_change *change, int64_t *ret_tx)
{
	static const char where[] =
		" WHERE knob=?1 AND tx>?2 AND phase IN(1,2) AND cookie=?3 AND ifindex=?4"
		" AND queue=?5 AND cpu=?6 AND irq=?7 AND pid=?8 AND start=?9 AND prior=?10"
		" AND tx IN(SELECT id FROM tx WHERE boot_id=?11 AND state<4)";
	const struct zh_knob_place *p = &change->place;
	const struct journal_value values[] = {JOURNAL_TEXT(change->knob_id), JOURNAL_NUMBER(tx),
		JOURNAL_NUMBER(p->cookie), JOURNAL_NUMBER(p->ifindex), JOURNAL_NUMBER(p->queue),
		JOURNAL_NUMBER(p->cpu), JOURNAL_NUMBER(p->irq), JOURNAL_NUMBER(p->pid),
		JOURNAL_NUMBER(p->start_ticks), JOURNAL_TEXT(change->observed),
		JOURNAL_TEXT(journal->boot_id), JOURNAL_TEXT(change->prior),
		JOURNAL_TEXT(change->prior_raw)};
	journal_statement *stmt = NULL;
	char sql[600];
	int r;

	snprintf(sql, sizeof(sql), "SELECT min(tx) FROM change%s", where);
	r = sqlite3_prepare_v2(journal->db, sql, -1, &stmt, NULL);
	for (int i = 0; r == SQLITE_OK && i < 11; i++)
		r = values[i].text ? sqlite3_bind_text(stmt, i + 1, values[i].text, -1, NULL)
				   : sqlite3_bind_int64(stmt, i + 1, values[i].number);
	if (r != SQLITE_OK || sqlite3_step(stmt) != SQLITE_ROW ||
		sqlite3_column_type(stmt, 0) == SQLITE_NULL)
		return 0;
	*ret_tx = sqlite3_column_int64(stmt, 0);
	snprintf(sql, sizeof(sql), "UPDATE change SET prior=?12, prior_raw=?13%s AND tx=%lld",
		where, (long long)*ret_tx);
	return journal_run(journal, NULL, sql, values, ZH_ARRAY_SIZE(values)) < 0 ? 0 : 1;
}
