/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The record file's layout, as data that writer and reader share. Private to this module.
 *
 * Each array of the record is a table with a row an element, `id` being its index. Integers of
 * 64 bits are stored as SQLite's signed ones, bit by bit: UINT64_MAX reads as -1 in a query. The
 * layout has one version number; any change of a table raises it. Version 2 added the tables of
 * benchmarks; files of version 1 are read as records without one.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include <sqlite3.h>

#include "record/record.h"

#define ZH_FILE_APPLICATION_ID 0x5a485231 /* "ZHR1" */
#define ZH_FILE_VERSION 2

enum zh_file_type {
	ZH_FILE_U8,
	ZH_FILE_U16,
	ZH_FILE_U32,
	ZH_FILE_U64,
	ZH_FILE_I16,
	ZH_FILE_BOOL,
	ZH_FILE_REAL,
	ZH_FILE_TEXT, /* char array, NUL-terminated unless full */
};

struct zh_file_field {
	const char *name; /* of the column; NULL ends a list */
	enum zh_file_type type;
	size_t offset, size; /* of the member */
	uint64_t max;        /* largest allowed integer; 0 = the type's own */
};

struct zh_file_table {
	const char *name;
	const struct zh_file_field *fields;
	size_t row_bytes;
	size_t array, count; /* offsets of the array and its length in struct zh_record */
	size_t max_rows;     /* a file with more is refused */
	int since;           /* the first version of the file that has it */
};

/* The members of struct zh_record itself: rows (key, value) of the table `run`. */
extern const struct zh_file_field zh_file_run[];
/* Ends with a NULL name. */
extern const struct zh_file_table zh_file_tables[];

#define ZH_FILE_RUN_SQL "CREATE TABLE run(key TEXT PRIMARY KEY, value)"
#define ZH_FILE_FACTS_SQL                                                                          \
	"CREATE TABLE facts(snapshot TEXT NOT NULL, key TEXT NOT NULL, number INTEGER, "           \
	"text TEXT, unavailable TEXT)"
#define ZH_FILE_FACTS_MAX 1000000
#define ZH_FILE_FACT_KEY_MAX 1023    /* bytes */
#define ZH_FILE_FACT_TEXT_MAX 262144 /* bytes */

/* Tables of names and views, for people's queries only; nothing here is read back. */
extern const char zh_file_views_sql[];
struct zh_file_names {
	const char *table;
	const char *const *names;
	size_t n;
};
extern const struct zh_file_names zh_file_names[]; /* ends with a NULL table */

/* Longest statement made by the functions below. */
#define ZH_FILE_SQL_MAX 2048
void zh_file_create_sql(const struct zh_file_table *table, char sql[ZH_FILE_SQL_MAX]);
/* "SELECT id, ... ORDER BY id" or "INSERT INTO ... VALUES(?, ...)", columns in the fields' order.
 */
void zh_file_select_sql(const struct zh_file_table *table, char sql[ZH_FILE_SQL_MAX]);
void zh_file_insert_sql(const struct zh_file_table *table, char sql[ZH_FILE_SQL_MAX]);

/* The member of `row` that `field` describes to parameter `index` (from 1); SQLite's answer. */
int zh_file_bind(sqlite3_stmt *stmt, int index, const struct zh_file_field *field, const void *row);

/* Column `index` (from 0) into `row`; false when it has another type or is out of bounds. */
bool zh_file_column(sqlite3_stmt *stmt, int index, const struct zh_file_field *field, void *row);

/* Checks every index and number of a loaded record; NULL when sound, else what is wrong. */
const char *zh_file_check(const struct zh_record *record);
