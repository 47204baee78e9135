/* SPDX-License-Identifier: BSD-2-Clause */
/* What the reader refuses, and that it says why. */
#include "record/record.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>
#include <sqlite3.h>

#include "base/util.h"
#include "record/test-file.h"

static char dir[] = "/tmp/zh-test-load-XXXXXX";

static char *in_dir(const char *name)
{
	static char path[200];

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	return path;
}

/* Runs SQL on a file, as a user or an attacker would. */
static void alter(const char *path, const char *sql)
{
	sqlite3 *db;

	assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
	assert_int_equal(sqlite3_exec(db, sql, NULL, NULL, NULL), SQLITE_OK);
	sqlite3_close(db);
}

static void assert_load_fails(const char *path, int code, const char *text)
{
	struct zh_record *record = NULL;
	struct zh_err err = {};

	assert_int_equal(zh_record_load(path, &record, &err), code);
	assert_null(record);
	if (!strstr(err.text, text))
		fail_msg("'%s' does not contain '%s'", err.text, text);
	assert_non_null(strstr(err.text, path));
}

static void put(const char *path, const char *text, size_t len)
{
	FILE *f = fopen(path, "w");

	assert_non_null(f);
	fwrite(text, 1, len, f);
	fclose(f);
}

static void what_is_not_a_record_is_named(void **state)
{
	char *path = in_dir("x.zhr");

	(void)state;
	assert_load_fails(path, -ENOENT, "cannot open record");
	assert_load_fails(path, -ENOENT, "No such file or directory");
	assert_load_fails(dir, -EINVAL, "is a directory");
	assert_load_fails("/dev/null", -EINVAL, "is not a regular file");
	put(path, "", 0);
	assert_load_fails(path, -EINVAL, "is empty");
	put(path, "hello", 5);
	assert_load_fails(path, -EINVAL, "is not a zerohop record");
	put(path,
		"SQLite format 3\0not at all, but long enough to look like a header of one"
		"..........................................",
		110);
	assert_load_fails(path, -EINVAL, "is not a zerohop record");
	unlink(path);
	alter(path, "CREATE TABLE samples(id); PRAGMA user_version = 1");
	assert_load_fails(path, -EINVAL, "is an SQLite database, but not a zerohop record");
	alter(path, "PRAGMA application_id = 0x5a485231");
	assert_load_fails(path, -EINVAL, "damaged: table 'run' is missing or not ours");
	alter(path, "PRAGMA user_version = 3");
	assert_load_fails(path, -EINVAL, "is of format 3, this program reads up to 2");
	alter(path, "PRAGMA user_version = 0");
	assert_load_fails(path, -EINVAL, "damaged: it has no format version");
	unlink(path);
}

struct wrong {
	const char *sql, *text; /* of the error */
};

static void assert_refused(const struct wrong *cases, size_t n)
{
	struct zh_record *record = zh_test_record(10, 10);
	char *path = in_dir("wrong.zhr");
	size_t i;

	for (i = 0; i < n; i++) {
		assert_int_equal(zh_record_save(record, path, NULL), 0);
		alter(path, cases[i].sql);
		assert_load_fails(path, -EINVAL, "damaged");
		assert_load_fails(path, -EINVAL, cases[i].text);
	}
	zh_record_free(record);
	unlink(path);
}

static void wrong_benches_are_refused(void **state)
{
	static const struct wrong cases[] = {
		{"UPDATE bench_rounds SET cell = 2 WHERE id = 1", "a bench cell that does not"},
		{"UPDATE bench_rounds SET n_buckets = 4 WHERE id = 1", "buckets that do not"},
		{"UPDATE bench_rounds SET first_bucket = 4294967295, n_buckets = 4294967295",
			"buckets that do not"},
		{"UPDATE bench_rounds SET n_buckets = 1", "buckets that do not"},
		{"UPDATE bench_rounds SET first_loss = 1, n_losses = 2", "losses that do not"},
		{"UPDATE bench_buckets SET value_ns = 2000", "a histogram that is none"},
		{"UPDATE bench_buckets SET count = -2", "a histogram that is none"},
		{"UPDATE bench_tools SET cell = 2", "figures of a bench cell that does not"},
		{"UPDATE bench_cells SET mode = 3", "column 'mode'"},
		{"UPDATE bench_cells SET placement = -1", "column 'placement'"},
		{"UPDATE bench_cells SET cpu = 32768", "column 'cpu'"},
		{"UPDATE bench_losses SET counter = x'41'", "column 'counter'"},
		{"DROP TABLE bench_losses", "table 'bench_losses' is missing"},
	};

	(void)state;
	assert_refused(cases, ZH_ARRAY_SIZE(cases));
}

/* Well-formed SQLite with content that no run could have written. */
static void wrong_values_are_refused(void **state)
{
	static const struct wrong cases[] = {
		{"UPDATE samples SET n_stamps = 4000000000 WHERE id = 3",
			"stamps that do not exist"},
		{"UPDATE samples SET first_stamp = 95, n_stamps = 6", "stamps that do not exist"},
		{"UPDATE samples SET first_event = 4294967295", "events that do not exist"},
		{"UPDATE samples SET phase = 2 WHERE id = 9", "a phase that does not exist"},
		{"UPDATE samples SET phase = 65536", "row 0, column 'phase'"},
		{"UPDATE samples SET seq = -1", "column 'seq'"},
		{"UPDATE samples SET seq = 'one'", "column 'seq'"},
		{"UPDATE samples SET recv_ns = 1", "answered before it was sent"},
		{"UPDATE samples SET id = 77 WHERE id = 4", "table 'samples', row 4, column 'id'"},
		{"UPDATE stamps SET point = 17 WHERE id = 1", "table 'stamps', row 1"},
		{"UPDATE stamps SET leg = 2", "column 'leg'"},
		{"UPDATE events SET type = 200", "column 'type'"},
		{"UPDATE events SET comm = 'sixteen-chars-xx'", "column 'comm'"},
		{"UPDATE events SET comm = x'4142'", "column 'comm'"},
		{"UPDATE events SET comm = 'a' || char(0) || 'b'", "column 'comm'"},
		{"UPDATE phases SET n_samples = 11 WHERE id = 0", "samples that do not exist"},
		{"UPDATE phases SET transport = 5", "column 'transport'"},
		{"UPDATE phases SET label = replace(hex(zeroblob(20)), '0', 'x')",
			"column 'label'"},
		{"DELETE FROM phases", "a phase that does not exist"},
		{"DELETE FROM run WHERE key = 'hz'", "column 'hz'"},
		{"UPDATE run SET value = 2 WHERE key = 'interrupted'", "column 'interrupted'"},
		{"UPDATE run SET value = 9e999 WHERE key = 'overhead_cpu_share'",
			"column 'overhead_cpu_share'"},
		{"UPDATE facts SET snapshot = 'middle'", "table 'facts'"},
		{"UPDATE facts SET text = 'and a text'", "table 'facts'"},
		{"UPDATE facts SET key = ''", "table 'facts'"},
		{"UPDATE facts SET unavailable = zeroblob(300000)", "table 'facts'"},
		{"WITH n(i) AS (SELECT 3 UNION ALL SELECT i + 1 FROM n WHERE i < 300)"
		 "INSERT INTO not_measured SELECT i, 'a', 'b' FROM n",
			"rows in table 'not_measured'"},
		{"ALTER TABLE samples ADD COLUMN more INTEGER",
			"table 'samples' is missing or not"},
		{"DROP TABLE events; CREATE VIEW events AS WITH RECURSIVE n(i) AS (SELECT 0 UNION "
		 "ALL SELECT i + 1 FROM n) SELECT i AS id FROM n",
			"table 'events' is missing or not ours"},
	};

	(void)state;
	assert_refused(cases, ZH_ARRAY_SIZE(cases));
}

/* An own index or note of the user does no harm. */
static void additions_are_accepted(void **state)
{
	struct zh_record *record = zh_test_record(10, 2), *loaded = NULL;
	char *path = in_dir("more.zhr");

	(void)state;
	assert_int_equal(zh_record_save(record, path, NULL), 0);
	alter(path, "CREATE INDEX i ON samples(recv_ns); CREATE TABLE notes(a); VACUUM");
	assert_int_equal(zh_record_load(path, &loaded, NULL), 0);
	zh_record_free(record);
	zh_record_free(loaded);
	unlink(path);
}

/* A record of the format before benchmarks: as it was then, without their tables. */
static void older_formats_are_read(void **state)
{
	struct zh_record *record = zh_test_record(10, 2), *loaded = NULL;
	char *path = in_dir("old.zhr");

	(void)state;
	assert_int_equal(zh_record_save(record, path, NULL), 0);
	alter(path, "DROP VIEW bench; DROP TABLE bench_cells; DROP TABLE bench_rounds;"
		    "DROP TABLE bench_buckets; DROP TABLE bench_losses; DROP TABLE bench_tools;"
		    "DROP TABLE bench_modes; DROP TABLE bench_placements;"
		    "PRAGMA user_version = 1");
	assert_int_equal(zh_record_load(path, &loaded, NULL), 0);
	assert_int_equal(loaded->n_samples, 10);
	assert_int_equal(loaded->bench.n_cells + loaded->bench.n_rounds, 0);
	assert_true(zh_record_bench_cell(loaded, record->bench.cells));
	alter(path, "PRAGMA user_version = 2");
	assert_load_fails(path, -EINVAL, "table 'bench_cells' is missing or not ours");
	zh_record_free(record);
	zh_record_free(loaded);
	unlink(path);
}

static int setup(void **state)
{
	(void)state;
	return mkdtemp(dir) ? 0 : -1;
}

static int teardown(void **state)
{
	(void)state;
	return rmdir(dir);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_not_a_record_is_named),
		cmocka_unit_test(wrong_values_are_refused),
		cmocka_unit_test(wrong_benches_are_refused),
		cmocka_unit_test(additions_are_accepted),
		cmocka_unit_test(older_formats_are_read),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
