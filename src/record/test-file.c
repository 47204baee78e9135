/* SPDX-License-Identifier: BSD-2-Clause */
#include "record/record.h"

#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sched.h>
#include <sys/file.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>
#include <sqlite3.h>

#include "base/clock.h"
#include "base/util.h"
#include "record/file.h"
#include "record/test-file.h"

static char dir[] = "/tmp/zh-test-file-XXXXXX";

static char *in_dir(const char *name)
{
	static char path[200];

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	return path;
}

static void assert_same_facts(const struct zh_fact_set *a, const struct zh_fact_set *b)
{
	size_t i;

	assert_int_equal(a->n, b->n);
	assert_int_equal(a->taken_ns, b->taken_ns);
	assert_int_equal(a->failed, b->failed);
	for (i = 0; i < a->n; i++) {
		assert_string_equal(a->facts[i].key, b->facts[i].key);
		assert_int_equal(a->facts[i].type, b->facts[i].type);
		assert_true(a->facts[i].number == b->facts[i].number);
		if (a->facts[i].text || b->facts[i].text)
			assert_string_equal(a->facts[i].text, b->facts[i].text);
	}
}

static void assert_same_rows(const struct zh_record *a, const struct zh_record *b)
{
	const struct zh_file_table *table;

	for (table = zh_file_tables; table->name; table++) {
		size_t n_a, n_b;
		const void *rows_a, *rows_b;

		memcpy(&n_a, (const char *)a + table->count, sizeof(n_a));
		memcpy(&n_b, (const char *)b + table->count, sizeof(n_b));
		memcpy(&rows_a, (const char *)a + table->array, sizeof(rows_a));
		memcpy(&rows_b, (const char *)b + table->array, sizeof(rows_b));
		assert_int_equal(n_a, n_b);
		assert_true(n_a > 0);
		assert_memory_equal(rows_a, rows_b, n_a * table->row_bytes);
	}
}

/* The members that are neither arrays nor their lengths. */
static void assert_same_run(const struct zh_record *a, const struct zh_record *b)
{
	assert_string_equal(a->version, b->version);
	assert_string_equal(a->command, b->command);
	assert_string_equal(a->host, b->host);
	assert_string_equal(a->kernel, b->kernel);
	assert_int_equal(a->start_realtime_ns, b->start_realtime_ns);
	assert_int_equal(a->start_ns, b->start_ns);
	assert_int_equal(a->end_ns, b->end_ns);
	assert_int_equal(a->n_cpus, b->n_cpus);
	assert_int_equal(a->hz, b->hz);
	assert_int_equal(a->interrupted, b->interrupted);
	assert_int_equal(a->overhead_bare_p50_ns, b->overhead_bare_p50_ns);
	assert_int_equal(a->overhead_traced_p50_ns, b->overhead_traced_p50_ns);
	assert_true(a->overhead_cpu_share == b->overhead_cpu_share);
}

static void what_is_saved_is_loaded(void **state)
{
	struct zh_record *saved = zh_test_record(500, 10), *loaded = NULL;
	struct zh_err err = {};
	char *path = in_dir("a ?#% b.zhr");

	(void)state;
	assert_int_equal(zh_record_save(saved, path, &err), 0);
	assert_int_equal(zh_record_load(path, &loaded, &err), 0);
	assert_same_run(saved, loaded);
	assert_same_rows(saved, loaded);
	assert_same_facts(&saved->before, &loaded->before);
	assert_same_facts(&saved->after, &loaded->after);
	zh_record_free(saved);
	zh_record_free(loaded);
	unlink(path);
}

/*
 * The comparison above is by the same table that the file is made from: a member that the table
 * forgot would be lost unseen. So: all bytes of each struct but its padding are in some field.
 */
static void every_member_is_in_the_file(void **state)
{
	static const struct {
		const char *table;
		size_t padding;
	} paddings[] = {{"phases", 8}, {"samples", 0}, {"stamps", 0}, {"events", 0},
		{"not_measured", 0}, {"counters", 0}, {"bench_cells", 4}, {"bench_rounds", 7},
		{"bench_buckets", 0}, {"bench_losses", 0}, {"bench_tools", 2}};
	size_t i, bytes;

	(void)state;
	for (i = 0; zh_file_tables[i].name; i++) {
		const struct zh_file_field *field;

		assert_string_equal(zh_file_tables[i].name, paddings[i].table);
		for (bytes = 0, field = zh_file_tables[i].fields; field->name; field++)
			bytes += field->size;
		assert_int_equal(bytes + paddings[i].padding, zh_file_tables[i].row_bytes);
	}
}

static void empty_record_round_trips(void **state)
{
	const struct zh_record_limits none = {};
	struct zh_record *saved = zh_record_new(&none), *loaded = NULL;
	char *path = in_dir("empty.zhr");

	(void)state;
	saved->overhead_cpu_share = 0.0 / 0.0;
	saved->before.failed = true;
	assert_int_equal(zh_record_save(saved, path, NULL), 0);
	assert_int_equal(zh_record_load(path, &loaded, NULL), 0);
	assert_int_equal(loaded->n_samples + loaded->n_phases + loaded->before.n, 0);
	assert_true(loaded->overhead_cpu_share < 0);
	assert_true(loaded->before.failed);
	assert_false(loaded->after.failed);
	assert_null(zh_fact_find(&loaded->before, "x"));
	zh_record_free(saved);
	zh_record_free(loaded);
	unlink(path);
}

static int64_t ask(const char *path, const char *sql)
{
	sqlite3_stmt *stmt;
	sqlite3 *db;
	int64_t answer;

	assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
	assert_int_equal(sqlite3_prepare_v2(db, sql, -1, &stmt, NULL), SQLITE_OK);
	assert_int_equal(sqlite3_step(stmt), SQLITE_ROW);
	answer = sqlite3_column_int64(stmt, 0);
	sqlite3_finalize(stmt);
	sqlite3_close(db);
	return answer;
}

static void users_can_query(void **state)
{
	struct zh_record *record = zh_test_record(200, 10);
	char *path = in_dir("query.zhr");

	(void)state;
	assert_int_equal(zh_record_save(record, path, NULL), 0);
	assert_int_equal(ask(path, "SELECT count(*) FROM rtt WHERE lost"), 2);
	assert_int_equal(ask(path, "SELECT rtt_ns FROM rtt WHERE sample = 5"), 5935);
	assert_int_equal(ask(path, "SELECT lateness_ns FROM rtt WHERE sample = 5"), 70);
	assert_int_equal(ask(path, "SELECT rtt_ns IS NULL FROM rtt WHERE sample = 99"), 1);
	assert_int_equal(ask(path, "SELECT count(*) FROM rtt WHERE phase = 'clean-room'"), 50);
	assert_int_equal(ask(path, "SELECT count(*) FROM way WHERE sample = 7"), 10);
	assert_int_equal(ask(path, "SELECT since_send_ns FROM way WHERE sample = 7 AND "
				   "point = 'qdisc-in'"),
		200);
	assert_int_equal(ask(path, "SELECT count(*) FROM around WHERE event = 'switch'"), 20);
	assert_int_equal(ask(path, "SELECT number FROM facts WHERE key = 'link.lo.mtu'"), 65536);
	assert_int_equal(ask(path, "SELECT count(*) FROM bench"), 3);
	assert_int_equal(ask(path, "SELECT p50_ns FROM bench WHERE transport = 'udp' AND "
				   "placement = 'cross-cpu' AND mode = 'rate' AND round = 0"),
		2000);
	assert_int_equal(ask(path, "SELECT mean_ns FROM bench WHERE cell = 1"), 1900);
	assert_int_equal(ask(path, "SELECT floor_ratio * 100 FROM bench WHERE cell = 1"), 95);
	assert_int_equal(ask(path, "SELECT bytes_per_s FROM bench WHERE cell = 0 AND round = 1"),
		2000000000);
	assert_int_equal(
		ask(path, "SELECT floor_ratio * 100 FROM bench WHERE cell = 0 AND round = 1"), 50);
	assert_int_equal(
		ask(path,
			"SELECT floor_ratio IS NULL AND p50_ns IS NULL FROM bench WHERE round = 2"),
		1);
	/* All points, event types, transports, modes and placements have names. */
	assert_int_equal(ask(path, "SELECT count(*) FROM bench_modes"), ZH_BENCH_MODE_MAX);
	assert_int_equal(ask(path, "SELECT count(*) FROM bench_placements"), ZH_PLACE_MAX);
	assert_int_equal(ask(path, "SELECT count(*) FROM points"), ZH_POINT_MAX);
	assert_int_equal(ask(path, "SELECT count(*) FROM event_types"), ZH_EVENT_MAX);
	assert_int_equal(ask(path, "SELECT count(*) FROM transports"), ZH_TRANSPORT_MAX);
	zh_record_free(record);
	unlink(path);
}

/* Number of entries in the test's directory. */
static int count_files(void)
{
	char command[200];
	int n = -1;
	FILE *f;

	snprintf(command, sizeof(command), "ls -A %s | wc -l", dir);
	f = popen(command, "r");
	assert_int_equal(fscanf(f, "%d", &n), 1);
	pclose(f);
	return n;
}

static void assert_save_fails(const char *path, int code, const char *reason)
{
	struct zh_record *record = zh_test_record(500, 10);
	struct zh_err err = {};
	char text[300];

	assert_int_equal(zh_record_save(record, path, &err), code);
	snprintf(text, sizeof(text), "cannot write record %s: %s", path, reason);
	assert_string_equal(err.text, text);
	zh_record_free(record);
}

static void bad_places_are_named(void **state)
{
	char *path;

	(void)state;
	assert_save_fails(in_dir("no/such/run.zhr"), -ENOENT, "No such file or directory");
	assert_save_fails("", -ENOENT, "No such file or directory");
	assert_save_fails(dir, -EINVAL, "it is a directory");
	assert_save_fails("/dev/null", -EINVAL, "it is not a regular file");
	assert_save_fails(in_dir("new/"), -EISDIR, "Is a directory");
	path = in_dir("link.zhr");
	assert_int_equal(symlink(path, path), 0);
	assert_save_fails(path, -ELOOP, "Too many levels of symbolic links");
	unlink(path);
	assert_int_equal(count_files(), 0);
}

/* A file size limit stands for a full disk: the write fails in the middle. */
static void a_full_disk_keeps_the_old_file(void **state)
{
	const struct rlimit small = {100000, RLIM_INFINITY}, none = {RLIM_INFINITY, RLIM_INFINITY};
	struct zh_record *record = zh_test_record(10, 2), *loaded = NULL;
	char *path = in_dir("full.zhr");

	(void)state;
	signal(SIGXFSZ, SIG_IGN);
	assert_int_equal(zh_record_save(record, path, NULL), 0);
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
	assert_save_fails(path, -EFBIG, "File too large");
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &none), 0);
	assert_int_equal(count_files(), 1);
	assert_int_equal(zh_record_load(path, &loaded, NULL), 0);
	assert_int_equal(loaded->n_samples, 10);
	zh_record_free(record);
	zh_record_free(loaded);
	unlink(path);
}

/* In a mount namespace of its own: 0 as expected, 77 not permitted, else what went wrong. */
static int save_on_full_tmpfs(void)
{
	struct zh_record *record = zh_test_record(500, 10);
	struct zh_err err = {};
	int r;

	if (unshare(CLONE_NEWNS) < 0 || mount("", "/", NULL, MS_REC | MS_PRIVATE, NULL) < 0 ||
		mount("none", dir, "tmpfs", 0, "size=64k") < 0)
		return 77;
	r = zh_record_save(record, in_dir("full.zhr"), &err);
	zh_record_free(record);
	if (r != -ENOSPC || !strstr(err.text, "full.zhr: No space left on device"))
		return 1;
	return count_files() == 0 ? 0 : 2;
}

static void a_full_file_system_is_named(void **state)
{
	int status;
	pid_t pid = fork();

	(void)state;
	if (pid == 0)
		_exit(save_on_full_tmpfs());
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status));
	if (WEXITSTATUS(status) == 77)
		skip();
	assert_int_equal(WEXITSTATUS(status), 0);
}

static void links_are_followed_and_modes_are_usual(void **state)
{
	struct zh_record *record = zh_test_record(10, 2), *loaded = NULL;
	char target[200], link[200];
	mode_t mask = umask(022);
	struct stat st;

	(void)state;
	snprintf(target, sizeof(target), "%s/target.zhr", dir);
	snprintf(link, sizeof(link), "%s/link.zhr", dir);
	assert_int_equal(zh_record_save(record, target, NULL), 0);
	assert_int_equal(symlink(target, link), 0);
	assert_int_equal(zh_record_save(record, link, NULL), 0);
	assert_int_equal(lstat(link, &st), 0);
	assert_true(S_ISLNK(st.st_mode));
	assert_int_equal(stat(link, &st), 0);
	assert_int_equal(st.st_mode & 07777, 0644);
	assert_int_equal(zh_record_load(link, &loaded, NULL), 0);
	umask(mask);
	unlink(target);
	unlink(link);
	zh_record_free(record);
	zh_record_free(loaded);
}

/* What a killed writer left is removed by the next save; what a living one has open is not. */
static void stale_files_are_removed(void **state)
{
	struct zh_record *record = zh_test_record(10, 2);
	char *path = in_dir("a.zhr.tmp-1234");
	int stale = open(path, O_CREAT | O_WRONLY, 0600), busy;

	(void)state;
	assert_true(stale >= 0);
	close(stale);
	path = in_dir("a.zhr.tmp-5678");
	busy = open(path, O_CREAT | O_WRONLY, 0600);
	assert_int_equal(flock(busy, LOCK_EX), 0);
	assert_int_equal(zh_record_save(record, in_dir("a.zhr"), NULL), 0);
	assert_int_equal(count_files(), 2);
	assert_int_equal(access(in_dir("a.zhr.tmp-5678"), F_OK), 0);
	close(busy);
	assert_int_equal(zh_record_save(record, in_dir("a.zhr"), NULL), 0);
	assert_int_equal(count_files(), 1);
	unlink(in_dir("a.zhr"));
	zh_record_free(record);
}

/* A long run. The times are printed, not judged: the machine may be busy. */
static void large_records_are_fast(void **state)
{
	struct zh_record *record = zh_test_record(20000, 10), *loaded = NULL;
	char *path = in_dir("large.zhr");
	uint64_t start = zh_now_ns(), saved;

	(void)state;
	assert_int_equal(zh_record_save(record, path, NULL), 0);
	saved = zh_now_ns();
	assert_int_equal(zh_record_load(path, &loaded, NULL), 0);
	print_message("# 20000 samples, 200000 stamps: saved in %d ms, loaded in %d ms\n",
		(int)((saved - start) / 1000000), (int)((zh_now_ns() - saved) / 1000000));
	assert_same_rows(record, loaded);
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
		cmocka_unit_test(what_is_saved_is_loaded),
		cmocka_unit_test(every_member_is_in_the_file),
		cmocka_unit_test(empty_record_round_trips),
		cmocka_unit_test(users_can_query),
		cmocka_unit_test(bad_places_are_named),
		cmocka_unit_test(a_full_disk_keeps_the_old_file),
		cmocka_unit_test(a_full_file_system_is_named),
		cmocka_unit_test(links_are_followed_and_modes_are_usual),
		cmocka_unit_test(stale_files_are_removed),
		cmocka_unit_test(large_records_are_fast),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
