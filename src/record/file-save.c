/* SPDX-License-Identifier: BSD-2-Clause */
/* Writing a record: a new SQLite database in one transaction, in a temporary file. */
#include "record/record.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/util.h"
#include "record/file-temp.h"
#include "record/file.h"

struct writer {
	const struct zh_record *record;
	struct zh_temp_file file;
	sqlite3 *db;
};

/* Turns SQLite's error into ours: the system's reason where it can be found out (SQLite often
 * forgets errno), else SQLite's own words. */
static int fail_sqlite(const struct writer *w, struct zh_err *err)
{
	int result = sqlite3_errcode(w->db), code = 0;

	if (result == SQLITE_FULL)
		code = -ENOSPC;
	else if (result == SQLITE_NOMEM)
		code = -ENOMEM;
	else if (result == SQLITE_IOERR)
		code = zh_temp_file_probe(&w->file);
	if (code < 0)
		return zh_err_sys(err, code, "cannot write record %s", w->file.shown);
	return zh_err_set(
		err, -EIO, "cannot write record %s: %s", w->file.shown, sqlite3_errmsg(w->db));
}

static int run_sql(struct writer *w, const char *sql, struct zh_err *err)
{
	return sqlite3_exec(w->db, sql, NULL, NULL, NULL) == SQLITE_OK ? 0 : fail_sqlite(w, err);
}

/* Without SQLite's own locks: nobody else knows the file, and it is locked already. */
static int open_database(struct writer *w, struct zh_err *err)
{
	char sql[256];

	if (sqlite3_open_v2(w->file.temp, &w->db, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX,
		    "unix-none") != SQLITE_OK)
		return w->db ? fail_sqlite(w, err)
			     : zh_err_sys(err, -ENOMEM, "cannot write record %s", w->file.shown);
	snprintf(sql, sizeof(sql),
		"PRAGMA journal_mode = OFF; PRAGMA synchronous = FULL; PRAGMA application_id = %d;"
		"PRAGMA user_version = %d; PRAGMA locking_mode = EXCLUSIVE; BEGIN",
		ZH_FILE_APPLICATION_ID, ZH_FILE_VERSION);
	return run_sql(w, sql, err);
}

static int prepare(struct writer *w, const char *sql, sqlite3_stmt **ret, struct zh_err *err)
{
	if (sqlite3_prepare_v2(w->db, sql, -1, ret, NULL) != SQLITE_OK)
		return fail_sqlite(w, err);
	return *ret ? 0 : zh_err_sys(err, -ENOMEM, "cannot write record %s", w->file.shown);
}

static void finalizep(sqlite3_stmt **stmt)
{
	sqlite3_finalize(*stmt);
}

/* Executes a statement whose parameters are bound, and makes it ready for the next row. */
static int insert(struct writer *w, sqlite3_stmt *stmt, struct zh_err *err)
{
	if (sqlite3_step(stmt) != SQLITE_DONE || sqlite3_reset(stmt) != SQLITE_OK)
		return fail_sqlite(w, err);
	return 0;
}

static int write_run(struct writer *w, struct zh_err *err)
{
	zh_cleanup(finalizep) sqlite3_stmt *stmt = NULL;
	const struct zh_file_field *field;
	int r = run_sql(w, ZH_FILE_RUN_SQL, err);

	if (!r)
		r = prepare(w, "INSERT INTO run VALUES(?, ?)", &stmt, err);
	for (field = zh_file_run; !r && field->name; field++) {
		if (sqlite3_bind_text(stmt, 1, field->name, -1, SQLITE_STATIC) != SQLITE_OK ||
			zh_file_bind(stmt, 2, field, w->record) != SQLITE_OK)
			return fail_sqlite(w, err);
		r = insert(w, stmt, err);
	}
	return r;
}

static int write_rows(
	struct writer *w, sqlite3_stmt *stmt, const struct zh_file_table *table, struct zh_err *err)
{
	const char *record = (const char *)w->record, *row;
	const struct zh_file_field *field;
	size_t i, n;
	int r, index, bound;

	memcpy(&row, record + table->array, sizeof(row));
	memcpy(&n, record + table->count, sizeof(n));
	for (i = 0; i < n; i++, row += table->row_bytes) {
		bound = sqlite3_bind_int64(stmt, 1, (sqlite3_int64)i);
		for (field = table->fields, index = 2; field->name; field++)
			bound |= zh_file_bind(stmt, index++, field, row);
		if (bound != SQLITE_OK)
			return fail_sqlite(w, err);
		r = insert(w, stmt, err);
		if (r < 0)
			return r;
	}
	return 0;
}

static int write_table(struct writer *w, const struct zh_file_table *table, struct zh_err *err)
{
	zh_cleanup(finalizep) sqlite3_stmt *stmt = NULL;
	char sql[ZH_FILE_SQL_MAX];
	int r;

	zh_file_create_sql(table, sql);
	r = run_sql(w, sql, err);
	if (r < 0)
		return r;
	zh_file_insert_sql(table, sql);
	r = prepare(w, sql, &stmt, err);
	return r < 0 ? r : write_rows(w, stmt, table, err);
}

static int write_fact(struct writer *w, sqlite3_stmt *stmt, const char *snapshot,
	const struct zh_fact *fact, struct zh_err *err)
{
	int bound = sqlite3_clear_bindings(stmt);

	bound |= sqlite3_bind_text(stmt, 1, snapshot, -1, SQLITE_STATIC);
	bound |= sqlite3_bind_text(stmt, 2, fact->key, -1, SQLITE_STATIC);
	if (fact->type == ZH_FACT_NUMBER)
		bound |= sqlite3_bind_int64(stmt, 3, (sqlite3_int64)fact->number);
	else
		bound |= sqlite3_bind_text(
			stmt, fact->type == ZH_FACT_STRING ? 4 : 5, fact->text, -1, SQLITE_STATIC);
	return bound == SQLITE_OK ? insert(w, stmt, err) : fail_sqlite(w, err);
}

static int write_facts(struct writer *w, struct zh_err *err)
{
	const struct zh_fact_set *sets[] = {&w->record->before, &w->record->after};
	static const char *const names[] = {"before", "after"};
	zh_cleanup(finalizep) sqlite3_stmt *stmt = NULL;
	int r = run_sql(w, ZH_FILE_FACTS_SQL, err);
	size_t s, i;

	if (!r)
		r = prepare(w, "INSERT INTO facts VALUES(?, ?, ?, ?, ?)", &stmt, err);
	for (s = 0; s < ZH_ARRAY_SIZE(sets); s++)
		for (i = 0; !r && i < sets[s]->n; i++)
			r = write_fact(w, stmt, names[s], &sets[s]->facts[i], err);
	return r;
}

static int write_names(struct writer *w, const struct zh_file_names *names, struct zh_err *err)
{
	zh_cleanup(finalizep) sqlite3_stmt *stmt = NULL;
	char sql[128];
	size_t i;
	int r;

	snprintf(sql, sizeof(sql), "CREATE TABLE %s(id INTEGER PRIMARY KEY, name TEXT NOT NULL)",
		names->table);
	r = run_sql(w, sql, err);
	if (r < 0)
		return r;
	snprintf(sql, sizeof(sql), "INSERT INTO %s VALUES(?, ?)", names->table);
	r = prepare(w, sql, &stmt, err);
	for (i = 0; !r && i < names->n; i++) {
		if (sqlite3_bind_int64(stmt, 1, (sqlite3_int64)i) != SQLITE_OK ||
			sqlite3_bind_text(stmt, 2, names->names[i], -1, SQLITE_STATIC) != SQLITE_OK)
			return fail_sqlite(w, err);
		r = insert(w, stmt, err);
	}
	return r;
}

static int write_all(struct writer *w, struct zh_err *err)
{
	const struct zh_file_table *table;
	const struct zh_file_names *names;
	int r = open_database(w, err);

	if (!r)
		r = write_run(w, err);
	for (table = zh_file_tables; !r && table->name; table++)
		r = write_table(w, table, err);
	if (!r)
		r = write_facts(w, err);
	for (names = zh_file_names; !r && names->table; names++)
		r = write_names(w, names, err);
	if (!r)
		r = run_sql(w, zh_file_views_sql, err);
	return r ? r : run_sql(w, "COMMIT", err);
}

int zh_record_save(const struct zh_record *record, const char *path, struct zh_err *err)
{
	struct writer w = {.record = record};
	int r = zh_temp_file_open(&w.file, path, err);

	if (r < 0)
		return r;
	r = write_all(&w, err);
	if (sqlite3_close(w.db) != SQLITE_OK && !r)
		r = fail_sqlite(&w, err);
	if (!r)
		r = zh_temp_file_keep(&w.file, err);
	zh_temp_file_done(&w.file);
	return r;
}

int zh_record_try_save(const char *path, struct zh_err *err)
{
	struct zh_temp_file file;
	int r = zh_temp_file_open(&file, path, err);

	if (r == 0)
		zh_temp_file_done(&file);
	return r;
}
