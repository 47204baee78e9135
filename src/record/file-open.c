/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Opening a record that anybody may have made or damaged.
 *
 * The file is opened as immutable, so SQLite neither locks it nor looks for a journal beside it.
 * Our tables must have been created by exactly our statements: a view, a virtual table or a
 * generated column under their names, which could compute anything for any time, is refused.
 */
#include "record/file-reader.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/buf.h"
#include "base/util.h"
#include "record/file.h"

#define MAGIC "SQLite format 3" /* with its NUL the first 16 bytes */
#define HEAD_BYTES 100          /* SQLite's file header */
#define VALUE_MAX (1 << 20)     /* bytes: SQLite refuses longer values and rows */

int zh_reader_damaged(const struct zh_reader *in, const char *what, struct zh_err *err)
{
	return zh_err_set(err, -EINVAL, "record %s is damaged: %s", in->path, what);
}

int zh_reader_fail(const struct zh_reader *in, struct zh_err *err)
{
	switch (sqlite3_errcode(in->db)) {
	case SQLITE_NOMEM:
		return zh_err_sys(err, -ENOMEM, "cannot read record %s", in->path);
	case SQLITE_NOTADB:
		return zh_err_set(err, -EINVAL, "%s is not a zerohop record", in->path);
	case SQLITE_IOERR:
		if (sqlite3_system_errno(in->db) > 0)
			return zh_err_sys(err, -sqlite3_system_errno(in->db),
				"cannot read record %s", in->path);
		/* fallthrough */
	default:
		return zh_reader_damaged(in, sqlite3_errmsg(in->db), err);
	}
}

int zh_reader_prepare(struct zh_reader *in, const char *sql, sqlite3_stmt **ret, struct zh_err *err)
{
	if (sqlite3_prepare_v2(in->db, sql, -1, ret, NULL) != SQLITE_OK)
		return zh_reader_fail(in, err);
	return *ret ? 0 : zh_err_sys(err, -ENOMEM, "cannot read record %s", in->path);
}

int zh_reader_integer(struct zh_reader *in, const char *sql, int64_t *ret, struct zh_err *err)
{
	zh_cleanup(zh_reader_finalizep) sqlite3_stmt *stmt = NULL;
	int r = zh_reader_prepare(in, sql, &stmt, err);

	if (r < 0)
		return r;
	if (sqlite3_step(stmt) != SQLITE_ROW)
		return zh_reader_fail(in, err);
	*ret = sqlite3_column_int64(stmt, 0);
	return 0;
}

static uint32_t be32(const unsigned char *p)
{
	return (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3];
}

/* The size that the header of one of our files promises: its page size (1 stands for 65536) times
 * its page count. 0 for other files. */
static uint64_t promised_size(const unsigned char *head)
{
	uint64_t page = (uint64_t)head[16] << 8 | head[17];

	if (be32(head + 68) != ZH_FILE_APPLICATION_ID)
		return 0;
	return (page == 1 ? 65536 : page) * be32(head + 28);
}

/* Looks at the file before SQLite does, for sentences that say more than its messages, and since
 * it would take what is missing at the end of the last page for zeros. */
static int check_file(const char *path, struct zh_err *err)
{
	zh_autoclose int fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	unsigned char head[HEAD_BYTES];
	struct stat st;
	ssize_t len;

	if (fd < 0 || fstat(fd, &st) < 0)
		return zh_err_sys(err, -errno, "cannot open record %s", path);
	if (!S_ISREG(st.st_mode))
		return zh_err_set(err, -EINVAL, "%s is %s, not a zerohop record", path,
			S_ISDIR(st.st_mode) ? "a directory" : "not a regular file");
	if (st.st_size == 0)
		return zh_err_set(err, -EINVAL, "%s is empty, not a zerohop record", path);
	len = read(fd, head, sizeof(head));
	if (len < 0)
		return zh_err_sys(err, -errno, "cannot read record %s", path);
	if (len != sizeof(head) || memcmp(head, MAGIC, sizeof(MAGIC)) != 0)
		return zh_err_set(err, -EINVAL, "%s is not a zerohop record", path);
	if (promised_size(head) > (uint64_t)st.st_size)
		return zh_err_set(err, -EINVAL,
			"record %s is damaged: %" PRIu64 " of its %" PRIu64 " bytes are there",
			path, (uint64_t)st.st_size, promised_size(head));
	return 0;
}

/* "file:" and the absolute path with the URI's own characters escaped. */
static char *uri_of(const char *path)
{
	zh_autofree char *real = realpath(path, NULL);
	zh_autobuf uri = {};
	const char *p;

	if (!real)
		return NULL;
	zh_buf_adds(&uri, "file:");
	for (p = real; *p; p++)
		if (strchr("%?#", *p))
			zh_buf_addf(&uri, "%%%02x", (unsigned char)*p);
		else
			zh_buf_addc(&uri, *p);
	zh_buf_adds(&uri, "?immutable=1");
	return zh_buf_take(&uri);
}

static int open_database(struct zh_reader *in, struct zh_err *err)
{
	zh_autofree char *uri = uri_of(in->path);
	static const char sql[] = "PRAGMA trusted_schema = OFF; PRAGMA cell_size_check = ON;"
				  "PRAGMA query_only = ON; PRAGMA mmap_size = 0";

	if (!uri)
		return zh_err_sys(err, errno ? -errno : -ENOMEM, "cannot open record %s", in->path);
	if (sqlite3_open_v2(uri, &in->db,
		    SQLITE_OPEN_READONLY | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_URI,
		    NULL) != SQLITE_OK)
		return in->db ? zh_reader_fail(in, err)
			      : zh_err_sys(err, -ENOMEM, "cannot open record %s", in->path);
	sqlite3_limit(in->db, SQLITE_LIMIT_LENGTH, VALUE_MAX);
	sqlite3_db_config(in->db, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
	sqlite3_db_config(in->db, SQLITE_DBCONFIG_ENABLE_VIEW, 0, NULL);
	sqlite3_db_config(in->db, SQLITE_DBCONFIG_ENABLE_TRIGGER, 0, NULL);
	if (sqlite3_exec(in->db, sql, NULL, NULL, NULL) != SQLITE_OK)
		return zh_reader_fail(in, err);
	return 0;
}

static int check_version(struct zh_reader *in, struct zh_err *err)
{
	int64_t id, version = 0;
	int r = zh_reader_integer(in, "PRAGMA application_id", &id, err);

	if (!r)
		r = zh_reader_integer(in, "PRAGMA user_version", &version, err);
	if (r < 0)
		return r;
	if (id != ZH_FILE_APPLICATION_ID)
		return zh_err_set(err, -EINVAL,
			"%s is an SQLite database, but not a zerohop record", in->path);
	if (version > ZH_FILE_VERSION) {
		zh_err_set(err, -EINVAL,
			"record %s is of format %" PRId64 ", this program reads up to %d", in->path,
			version, ZH_FILE_VERSION);
		zh_err_hint(err, "use a newer zerohop");
		return -EINVAL;
	}
	in->version = (int)version;
	return version > 0 ? 0 : zh_reader_damaged(in, "it has no format version", err);
}

/* The table `name` exists and was created by exactly `sql`. */
static int check_table(struct zh_reader *in, const char *name, const char *sql, struct zh_err *err)
{
	zh_cleanup(zh_reader_finalizep) sqlite3_stmt *stmt = NULL;
	char what[100];
	int r = zh_reader_prepare(in,
		"SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = ? AND sql = ?", &stmt,
		err);

	if (r < 0)
		return r;
	sqlite3_bind_text(stmt, 1, name, -1, SQLITE_STATIC);
	sqlite3_bind_text(stmt, 2, sql, -1, SQLITE_STATIC);
	r = sqlite3_step(stmt);
	if (r == SQLITE_ROW)
		return 0;
	if (r != SQLITE_DONE)
		return zh_reader_fail(in, err);
	snprintf(what, sizeof(what), "table '%s' is missing or not ours", name);
	return zh_reader_damaged(in, what, err);
}

static int check_tables(struct zh_reader *in, struct zh_err *err)
{
	const struct zh_file_table *table;
	char sql[ZH_FILE_SQL_MAX];
	int r = check_table(in, "run", ZH_FILE_RUN_SQL, err);

	if (!r)
		r = check_table(in, "facts", ZH_FILE_FACTS_SQL, err);
	for (table = zh_file_tables; !r && table->name; table++) {
		if (table->since > in->version)
			continue;
		zh_file_create_sql(table, sql);
		r = check_table(in, table->name, sql, err);
	}
	return r;
}

static int check_pages(struct zh_reader *in, struct zh_err *err)
{
	zh_cleanup(zh_reader_finalizep) sqlite3_stmt *stmt = NULL;
	const char *text;
	int r = zh_reader_prepare(in, "PRAGMA quick_check(1)", &stmt, err);

	if (r < 0)
		return r;
	if (sqlite3_step(stmt) != SQLITE_ROW)
		return zh_reader_fail(in, err);
	text = (const char *)sqlite3_column_text(stmt, 0);
	return text && !strcmp(text, "ok") ? 0
					   : zh_reader_damaged(in, text ? text : "no answer", err);
}

int zh_reader_open(struct zh_reader *in, const char *path, struct zh_err *err)
{
	int r;

	*in = (struct zh_reader){.path = path};
	r = check_file(path, err);
	if (!r)
		r = open_database(in, err);
	if (!r)
		r = check_version(in, err);
	if (!r)
		r = check_tables(in, err);
	if (!r)
		r = check_pages(in, err);
	if (r < 0)
		zh_reader_close(in);
	return r;
}

void zh_reader_close(struct zh_reader *in)
{
	sqlite3_close(in->db);
	in->db = NULL;
}
