/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A record file opened for reading, checked as a whole: ours, of a version we know, its pages
 * sound, its tables made by our statements. Private to this module.
 */
#pragma once

#include <stdint.h>

#include <sqlite3.h>

#include "base/err.h"

struct zh_reader {
	const char *path; /* for messages; not owned */
	sqlite3 *db;
	int version; /* of the file: tables of later ones are not looked at */
};

/* -ENOENT, -EACCES ...; -EINVAL: not a record, a newer one, or damaged. On failure nothing stays
 * open. */
int zh_reader_open(struct zh_reader *in, const char *path, struct zh_err *err);
void zh_reader_close(struct zh_reader *in);

/* Sets "record X is damaged: <what>"; returns -EINVAL. */
int zh_reader_damaged(const struct zh_reader *in, const char *what, struct zh_err *err);

/* What SQLite complains about, of a file that is there and readable, is the file's content. */
int zh_reader_fail(const struct zh_reader *in, struct zh_err *err);

int zh_reader_prepare(
	struct zh_reader *in, const char *sql, sqlite3_stmt **ret, struct zh_err *err);

/* The integer that a statement with one row gives. */
int zh_reader_integer(struct zh_reader *in, const char *sql, int64_t *ret, struct zh_err *err);

static inline void zh_reader_finalizep(sqlite3_stmt **stmt)
{
	sqlite3_finalize(*stmt);
}
