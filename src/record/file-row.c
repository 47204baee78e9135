/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * One row of a record file: statements made from a table's fields, and members of a struct to and
 * from SQLite's values. Nothing that is read is believed: type and bounds are checked here.
 */
#include "record/file.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/buf.h"
#include "base/util.h"

static const struct {
	const char *sql;
	uint64_t max;
} types[] = {
	[ZH_FILE_U8] = {"INTEGER", UINT8_MAX},
	[ZH_FILE_U16] = {"INTEGER", UINT16_MAX},
	[ZH_FILE_U32] = {"INTEGER", UINT32_MAX},
	[ZH_FILE_U64] = {"INTEGER", UINT64_MAX},
	[ZH_FILE_I16] = {"INTEGER", INT16_MAX},
	[ZH_FILE_BOOL] = {"INTEGER", 1},
	[ZH_FILE_REAL] = {"REAL", 0},
	[ZH_FILE_TEXT] = {"TEXT", 0},
};

/* Builds "head, each field's `column`, tail" into sql. */
static void build_sql(const struct zh_file_table *table, const char *head, const char *tail,
	char kind, char sql[ZH_FILE_SQL_MAX])
{
	zh_autobuf buf = {};
	const struct zh_file_field *field;

	zh_buf_addf(&buf, head, table->name);
	for (field = table->fields; field->name; field++) {
		if (kind == '?')
			zh_buf_adds(&buf, ", ?");
		else
			zh_buf_addf(&buf, ", %s", field->name);
		if (kind == 'c')
			zh_buf_addf(&buf, " %s NOT NULL", types[field->type].sql);
	}
	zh_buf_addf(&buf, tail, table->name);
	assert(buf.failed || buf.len < ZH_FILE_SQL_MAX);
	/* Out of memory: an empty statement, which SQLite refuses. */
	snprintf(sql, ZH_FILE_SQL_MAX, "%s", buf.failed ? "" : buf.text);
}

void zh_file_create_sql(const struct zh_file_table *table, char sql[ZH_FILE_SQL_MAX])
{
	build_sql(table, "CREATE TABLE %s(id INTEGER PRIMARY KEY", ")", 'c', sql);
}

void zh_file_select_sql(const struct zh_file_table *table, char sql[ZH_FILE_SQL_MAX])
{
	build_sql(table, "SELECT id", " FROM %s ORDER BY id", 's', sql);
}

void zh_file_insert_sql(const struct zh_file_table *table, char sql[ZH_FILE_SQL_MAX])
{
	build_sql(table, "INSERT INTO %s VALUES(?", ")", '?', sql);
}

/* The integer in a member of 1, 2, 4 or 8 bytes. */
static uint64_t load_integer(const void *member, size_t size)
{
	uint8_t u8;
	uint16_t u16;
	uint32_t u32;
	uint64_t u64;

	switch (size) {
	case 1:
		memcpy(&u8, member, size);
		return u8;
	case 2:
		memcpy(&u16, member, size);
		return u16;
	case 4:
		memcpy(&u32, member, size);
		return u32;
	default:
		memcpy(&u64, member, sizeof(u64));
		return u64;
	}
}

static void store_integer(void *member, size_t size, uint64_t value)
{
	uint8_t u8 = (uint8_t)value;
	uint16_t u16 = (uint16_t)value;
	uint32_t u32 = (uint32_t)value;

	switch (size) {
	case 1:
		memcpy(member, &u8, size);
		break;
	case 2:
		memcpy(member, &u16, size);
		break;
	case 4:
		memcpy(member, &u32, size);
		break;
	default:
		memcpy(member, &value, sizeof(value));
	}
}

int zh_file_bind(sqlite3_stmt *stmt, int index, const struct zh_file_field *field, const void *row)
{
	const char *member = (const char *)row + field->offset;
	uint64_t value;
	double real;

	if (field->type == ZH_FILE_TEXT)
		return sqlite3_bind_text(
			stmt, index, member, (int)strnlen(member, field->size), SQLITE_STATIC);
	if (field->type == ZH_FILE_REAL) {
		memcpy(&real, member, sizeof(real));
		/* SQLite has no NaN; of a share that is not a number nothing is known. */
		return sqlite3_bind_double(stmt, index, isfinite(real) ? real : -1);
	}
	value = load_integer(member, field->size);
	if (field->type == ZH_FILE_I16)
		return sqlite3_bind_int64(stmt, index, (int16_t)value);
	return sqlite3_bind_int64(stmt, index, (sqlite3_int64)value);
}

static bool column_text(sqlite3_stmt *stmt, int index, size_t size, char *ret)
{
	const unsigned char *text;
	size_t len;

	if (sqlite3_column_type(stmt, index) != SQLITE_TEXT)
		return false;
	text = sqlite3_column_text(stmt, index);
	len = (size_t)sqlite3_column_bytes(stmt, index);
	if (!text || len >= size || memchr(text, '\0', len))
		return false;
	memcpy(ret, text, len);
	ret[len] = '\0';
	return true;
}

static bool column_real(sqlite3_stmt *stmt, int index, void *ret)
{
	double real = sqlite3_column_double(stmt, index);

	if (sqlite3_column_type(stmt, index) != SQLITE_FLOAT || !isfinite(real))
		return false;
	memcpy(ret, &real, sizeof(real));
	return true;
}

bool zh_file_column(sqlite3_stmt *stmt, int index, const struct zh_file_field *field, void *row)
{
	char *member = (char *)row + field->offset;
	sqlite3_int64 value;

	if (field->type == ZH_FILE_TEXT)
		return column_text(stmt, index, field->size, member);
	if (field->type == ZH_FILE_REAL)
		return column_real(stmt, index, member);
	if (sqlite3_column_type(stmt, index) != SQLITE_INTEGER)
		return false;
	value = sqlite3_column_int64(stmt, index);
	if (field->type == ZH_FILE_I16) {
		if (value < INT16_MIN || value > INT16_MAX)
			return false;
	} else if ((uint64_t)value > (field->max ? field->max : types[field->type].max)) {
		return false;
	}
	store_integer(member, field->size, (uint64_t)value);
	return true;
}
