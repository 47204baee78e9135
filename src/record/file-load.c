/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Reading the rows of a record file. They are counted before anything is allocated for them, and
 * each of them needs its bytes in the file: the file's size bounds what is allocated.
 */
#include "record/record.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/util.h"
#include "record/file-reader.h"
#include "record/file.h"

static int count_rows(
	struct zh_reader *in, const char *name, size_t max, size_t *ret, struct zh_err *err)
{
	char sql[100], what[100];
	int64_t n = 0;
	int r;

	snprintf(sql, sizeof(sql), "SELECT count(*) FROM %s", name);
	r = zh_reader_integer(in, sql, &n, err);
	if (r < 0)
		return r;
	if (n < 0 || (uint64_t)n > max) {
		snprintf(what, sizeof(what), "%" PRId64 " rows in table '%s'", n, name);
		return zh_reader_damaged(in, what, err);
	}
	*ret = (size_t)n;
	return 0;
}

/* Allocates the record for as many rows as the file has. */
static int new_record(struct zh_reader *in, struct zh_record **ret, struct zh_err *err)
{
	struct zh_record_limits limits = {};
	size_t *const counts[] = {&limits.phases, &limits.samples, &limits.stamps, &limits.events};
	size_t i;
	int r;

	for (i = 0; i < ZH_ARRAY_SIZE(counts); i++) {
		r = count_rows(
			in, zh_file_tables[i].name, zh_file_tables[i].max_rows, counts[i], err);
		if (r < 0)
			return r;
	}
	*ret = zh_record_new(&limits);
	return *ret ? 0 : zh_err_sys(err, -ENOMEM, "cannot read record %s", in->path);
}

static int bad_value(struct zh_reader *in, const char *table, int64_t row, const char *column,
	struct zh_err *err)
{
	char what[120];

	snprintf(what, sizeof(what), "bad value in table '%s', row %" PRId64 ", column '%s'", table,
		row, column);
	return zh_reader_damaged(in, what, err);
}

static int read_run(struct zh_reader *in, struct zh_record *record, struct zh_err *err)
{
	zh_cleanup(zh_reader_finalizep) sqlite3_stmt *stmt = NULL;
	const struct zh_file_field *field;
	int r = zh_reader_prepare(in, "SELECT value FROM run WHERE key = ?", &stmt, err);

	for (field = zh_file_run; !r && field->name; field++) {
		sqlite3_bind_text(stmt, 1, field->name, -1, SQLITE_STATIC);
		if (sqlite3_step(stmt) != SQLITE_ROW || !zh_file_column(stmt, 0, field, record))
			return bad_value(in, "run", 0, field->name, err);
		sqlite3_reset(stmt);
	}
	return r;
}

static int read_row(struct zh_reader *in, sqlite3_stmt *stmt, const struct zh_file_table *table,
	size_t i, void *row, struct zh_err *err)
{
	const struct zh_file_field *field;
	int index = 1;

	if (sqlite3_column_int64(stmt, 0) != (int64_t)i)
		return bad_value(in, table->name, (int64_t)i, "id", err);
	for (field = table->fields; field->name; field++)
		if (!zh_file_column(stmt, index++, field, row))
			return bad_value(in, table->name, (int64_t)i, field->name, err);
	return 0;
}

/* The array for a table's n rows: of those that were made with the record, or a new one. */
static char *rows_of(struct zh_record *record, const struct zh_file_table *table, size_t n)
{
	char *members = (char *)record, *rows;

	memcpy(&rows, members + table->array, sizeof(rows));
	if (rows || !n)
		return rows;
	rows = calloc(n, table->row_bytes);
	memcpy(members + table->array, &rows, sizeof(rows));
	return rows;
}

/* Reads a table into its array; the file has `n` rows. */
static int read_table(struct zh_reader *in, const struct zh_file_table *table,
	struct zh_record *record, struct zh_err *err)
{
	zh_cleanup(zh_reader_finalizep) sqlite3_stmt *stmt = NULL;
	char sql[ZH_FILE_SQL_MAX], *members = (char *)record, *rows;
	size_t i, n;
	int r = count_rows(in, table->name, table->max_rows, &n, err);

	if (r < 0)
		return r;
	rows = rows_of(record, table, n);
	if (n && !rows)
		return zh_err_sys(err, -ENOMEM, "cannot read record %s", in->path);
	zh_file_select_sql(table, sql);
	r = zh_reader_prepare(in, sql, &stmt, err);
	for (i = 0; !r && i < n; i++) {
		if (sqlite3_step(stmt) != SQLITE_ROW)
			return zh_reader_fail(in, err);
		r = read_row(in, stmt, table, i, rows + i * table->row_bytes, err);
	}
	if (!r)
		memcpy(members + table->count, &n, sizeof(n));
	return r;
}

/* A text column of a fact: its bytes without a NUL inside, or NULL. */
static const char *fact_column(sqlite3_stmt *stmt, int index, size_t max)
{
	const char *text;

	if (sqlite3_column_type(stmt, index) != SQLITE_TEXT)
		return NULL;
	text = (const char *)sqlite3_column_text(stmt, index);
	if (!text || strlen(text) != (size_t)sqlite3_column_bytes(stmt, index) ||
		strlen(text) > max)
		return NULL;
	return text;
}

/* Columns: snapshot, key, number, text, unavailable. Exactly one of the last three is not NULL. */
static bool add_fact(struct zh_record *record, sqlite3_stmt *stmt)
{
	const char *snapshot = fact_column(stmt, 0, 6);
	const char *key = fact_column(stmt, 1, ZH_FILE_FACT_KEY_MAX);
	const char *text = fact_column(stmt, 3, ZH_FILE_FACT_TEXT_MAX);
	const char *why = fact_column(stmt, 4, ZH_FILE_FACT_TEXT_MAX);
	bool is_number = sqlite3_column_type(stmt, 2) == SQLITE_INTEGER, is_before;
	struct zh_fact_set *set;

	if (!snapshot || !key || !*key || is_number + !!text + !!why != 1)
		return false;
	is_before = !strcmp(snapshot, "before");
	if (!is_before && strcmp(snapshot, "after") != 0)
		return false;
	set = is_before ? &record->before : &record->after;
	if (is_number)
		zh_fact_number(set, (uint64_t)sqlite3_column_int64(stmt, 2), "%s", key);
	else if (text)
		zh_fact_string(set, text, "%s", key);
	else
		zh_fact_unavailable(set, why, "%s", key);
	return true;
}

static int read_facts(struct zh_reader *in, struct zh_record *record, struct zh_err *err)
{
	zh_cleanup(zh_reader_finalizep) sqlite3_stmt *stmt = NULL;
	size_t i, n = 0;
	int r = count_rows(in, "facts", ZH_FILE_FACTS_MAX, &n, err);

	if (!r)
		r = zh_reader_prepare(in,
			"SELECT snapshot, key, number, text, unavailable FROM facts", &stmt, err);
	for (i = 0; !r && i < n; i++) {
		if (sqlite3_step(stmt) != SQLITE_ROW)
			return zh_reader_fail(in, err);
		if (!add_fact(record, stmt))
			return bad_value(in, "facts", (int64_t)i, "key", err);
	}
	zh_fact_set_sort(&record->before);
	zh_fact_set_sort(&record->after);
	return r;
}

/* A set may be incomplete because it was saved so, or because memory ran out here. */
static int read_fact_sets(struct zh_reader *in, struct zh_record *record, struct zh_err *err)
{
	bool before = record->before.failed, after = record->after.failed;
	int r;

	record->before.failed = record->after.failed = false;
	r = read_facts(in, record, err);
	if (!r && (record->before.failed || record->after.failed))
		return zh_err_sys(err, -ENOMEM, "cannot read record %s", in->path);
	record->before.failed = before;
	record->after.failed = after;
	return r;
}

static int read_all(struct zh_reader *in, struct zh_record *record, struct zh_err *err)
{
	const struct zh_file_table *table;
	const char *wrong;
	int r = read_run(in, record, err);

	for (table = zh_file_tables; !r && table->name; table++)
		if (table->since <= in->version)
			r = read_table(in, table, record, err);
	if (!r)
		r = read_fact_sets(in, record, err);
	if (r < 0)
		return r;
	wrong = zh_file_check(record);
	return wrong ? zh_reader_damaged(in, wrong, err) : 0;
}

int zh_record_load(const char *path, struct zh_record **ret_record, struct zh_err *err)
{
	struct zh_record *record = NULL;
	struct zh_reader in;
	int r = zh_reader_open(&in, path, err);

	if (r < 0)
		return r;
	r = new_record(&in, &record, err);
	if (!r)
		r = read_all(&in, record, err);
	zh_reader_close(&in);
	if (r < 0)
		zh_record_free(record);
	else
		*ret_record = record;
	return r;
}
