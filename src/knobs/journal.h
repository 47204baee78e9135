/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The journal: every write to the kernel is on the disk, with the value before it, before it is
 * made. A SQLite file in /var/lib/zerohop (or $ZEROHOP_STATE_DIR), synchronised fully. Entries hold
 * for one boot: the kernel forgets its settings, so entries of other boots are void.
 */
#pragma once

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "knobs/plan.h"

#define ZH_STATE_DIR "/var/lib/zerohop"

enum zh_tx_state {
	ZH_TX_APPLYING,
	ZH_TX_PENDING, /* applied; undone at its deadline unless confirmed */
	ZH_TX_APPLIED,
	ZH_TX_UNDOING,
	ZH_TX_UNDONE,
	ZH_TX_LEFT, /* undone but for what others changed, or what could not be */
	ZH_TX_VOID, /* of an earlier boot */
};

struct zh_tx {
	int64_t id;
	enum zh_tx_state state;
	uint64_t created_s;   /* wall clock */
	uint64_t deadline_ns; /* CLOCK_BOOTTIME; 0: none */
	char label[64];       /* "tune", "trial" */
	pid_t guard;          /* who undoes it at the deadline; 0: none, or systemd */
	uint64_t guard_start;
};

struct zh_journal {
	struct sqlite3 *db;
	int lock_fd; /* -1: opened for reading */
	char dir[PATH_MAX - 64];
	char boot_id[40];
};

/* The directory in use. */
const char *zh_journal_dir(void);

/*
 * Opens it, made if need be. With `lock` nobody else can change settings until it is closed; a
 * wait_ns of 0 does not wait. 0; -EBUSY: another one has it; -ENOENT: there is none yet (without
 * `lock`); or why not.
 */
int zh_journal_open(bool lock, uint64_t wait_ns, struct zh_journal *ret, struct zh_err *err);
void zh_journal_close(struct zh_journal *journal);

/* A transaction with all its changes that are to be written; sets tx->id. */
int zh_journal_begin(struct zh_journal *journal, struct zh_tx *tx, const struct zh_plan *plan,
	struct zh_err *err);
/* State, deadline and guard. */
int zh_journal_update(struct zh_journal *journal, const struct zh_tx *tx, struct zh_err *err);
/* Phase, prior and observed value of the change with index `at` of the transaction's plan. */
int zh_journal_note(struct zh_journal *journal, int64_t tx, size_t at,
	const struct zh_change *change, struct zh_err *err);
int zh_journal_forget(struct zh_journal *journal, int64_t tx, struct zh_err *err);

/* The n-th newest of all (n from 0), or that of an id. -ENOENT: none. Other boots' are void. */
int zh_journal_nth(struct zh_journal *journal, size_t n, struct zh_tx *ret, struct zh_err *err);
int zh_journal_tx(struct zh_journal *journal, int64_t id, struct zh_tx *ret, struct zh_err *err);
/* Its changes, as plan; those of the history, without open namespaces. */
int zh_journal_changes(
	struct zh_journal *journal, int64_t tx, struct zh_plan *ret, struct zh_err *err);
/*
 * A later change of the same thing by another transaction that is not undone, made on top of this
 * one. 1 and its transaction, which gets this one's prior value as its own. 0: none.
 */
int zh_journal_stacked(
	struct zh_journal *journal, int64_t tx, const struct zh_change *change, int64_t *ret_tx);

const char *zh_tx_state_name(enum zh_tx_state state);
