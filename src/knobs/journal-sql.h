/* SPDX-License-Identifier: BSD-2-Clause */
/* Statements of the journal. Private to its files. */
#pragma once

#include <sqlite3.h>

#include "knobs/journal.h"

void journal_finalizep(sqlite3_stmt **stmt);
#define journal_statement zh_cleanup(journal_finalizep) sqlite3_stmt

struct journal_value {
	const char *text; /* NULL: the number */
	int64_t number;
};
#define JOURNAL_TEXT(s) ((struct journal_value){.text = (s)})
#define JOURNAL_NUMBER(n) ((struct journal_value){.number = (int64_t)(n)})

/* Runs one statement that returns nothing. */
int journal_run(struct zh_journal *journal, struct zh_err *err, const char *sql,
	const struct journal_value *values, size_t n);
/* The sentence for what SQLite says now. */
int journal_failed(struct zh_journal *journal, struct zh_err *err);
