/* SPDX-License-Identifier: BSD-2-Clause */
#include "knobs/journal.h"

#include <errno.h>
#include <fcntl.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/util.h"
#include "knobs/journal-sql.h"
#include "sys/root.h"

#define FILE_NAME "journal.db"
#define POLL_NS (20 * ZH_NSEC_PER_MSEC)

static const char schema[] =
	"CREATE TABLE IF NOT EXISTS tx(id INTEGER PRIMARY KEY AUTOINCREMENT, boot_id TEXT NOT NULL,"
	" state INTEGER NOT NULL, created_s INTEGER NOT NULL, deadline_ns INTEGER NOT NULL,"
	" label TEXT NOT NULL, guard INTEGER NOT NULL, guard_start INTEGER NOT NULL);"
	"CREATE TABLE IF NOT EXISTS change(tx INTEGER NOT NULL, seq INTEGER NOT NULL,"
	" knob TEXT NOT NULL, cookie INTEGER, inode INTEGER, device TEXT, ifindex INTEGER,"
	" queue INTEGER, cpu INTEGER, irq INTEGER, action TEXT, pid INTEGER, start INTEGER,"
	" prior TEXT NOT NULL, prior_raw TEXT NOT NULL, wanted TEXT NOT NULL,"
	" expected TEXT NOT NULL, observed TEXT NOT NULL, observed_raw TEXT NOT NULL,"
	" phase INTEGER NOT NULL, note TEXT NOT NULL, PRIMARY KEY(tx, seq));";

const char *zh_journal_dir(void)
{
	const char *dir = secure_getenv("ZEROHOP_STATE_DIR");

	return dir && dir[0] == '/' ? dir : ZH_STATE_DIR;
}

const char *zh_tx_state_name(enum zh_tx_state state)
{
	static const char *const names[] = {
		"applying", "pending", "applied", "undoing", "undone", "undone in part", "void"};

	return names[state];
}

int journal_failed(struct zh_journal *journal, struct zh_err *err)
{
	int code = sqlite3_errcode(journal->db) & 0xff, sys = sqlite3_system_errno(journal->db);

	if (code == SQLITE_FULL)
		return zh_err_set(err, -ENOSPC,
			"the journal in %s cannot be written: the disk is full", journal->dir);
	if (code == SQLITE_NOTADB || code == SQLITE_CORRUPT)
		return zh_err_set(
			err, -EBADMSG, "the journal %s/" FILE_NAME " is damaged", journal->dir);
	return zh_err_set(err, sys > 0 ? -sys : -EIO, "the journal in %s cannot be used: %s",
		journal->dir, sys > 0 ? strerror(sys) : sqlite3_errmsg(journal->db));
}

static int make_dir(struct zh_journal *journal, struct zh_err *err)
{
	struct stat st;

	if (mkdir(journal->dir, 0700) < 0 && errno != EEXIST)
		return zh_err_sys(err, -errno, "cannot make %s", journal->dir);
	if (lstat(journal->dir, &st) < 0)
		return zh_err_sys(err, -errno, "cannot look at %s", journal->dir);
	/* Whoever can write there could make us set anything. */
	if (!S_ISDIR(st.st_mode) || st.st_uid != geteuid() || (st.st_mode & 022))
		return zh_err_set(err, -EPERM,
			"%s must be a directory that only its owner, user %u, can write",
			journal->dir, geteuid());
	return 0;
}

static int take_lock(struct zh_journal *journal, uint64_t wait_ns, struct zh_err *err)
{
	uint64_t end_ns = zh_now_ns() + wait_ns;
	char path[PATH_MAX];

	snprintf(path, sizeof(path), "%s/lock", journal->dir);
	journal->lock_fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
	if (journal->lock_fd < 0)
		return zh_err_sys(err, -errno, "cannot open %s", path);
	while (flock(journal->lock_fd, LOCK_EX | LOCK_NB) < 0) {
		if (errno != EWOULDBLOCK)
			return zh_err_sys(err, -errno, "cannot lock %s", path);
		if (zh_now_ns() >= end_ns)
			return zh_err_set(
				err, -EBUSY, "another zerohop is changing settings at the moment");
		zh_sleep_until(zh_now_ns() + POLL_NS);
	}
	return 0;
}

static int open_db(struct zh_journal *journal, bool write, struct zh_err *err)
{
	int flags = write ? SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE : SQLITE_OPEN_READWRITE;
	char path[PATH_MAX];

	snprintf(path, sizeof(path), "%s/" FILE_NAME, journal->dir);
	if (!write && access(path, F_OK) < 0)
		return zh_err_sys(err, -errno, "cannot open the journal %s", path);
	if (sqlite3_open_v2(path, &journal->db, flags | SQLITE_OPEN_NOFOLLOW, NULL) != SQLITE_OK ||
		sqlite3_busy_timeout(journal->db, 2000) != SQLITE_OK ||
		sqlite3_exec(journal->db,
			"PRAGMA journal_mode=DELETE; PRAGMA synchronous=EXTRA;"
			"PRAGMA trusted_schema=OFF",
			NULL, NULL, NULL) != SQLITE_OK)
		return journal_failed(journal, err);
	if (write && sqlite3_exec(journal->db, schema, NULL, NULL, NULL) != SQLITE_OK)
		return journal_failed(journal, err);
	return 0;
}

int zh_journal_open(bool lock, uint64_t wait_ns, struct zh_journal *ret, struct zh_err *err)
{
	mode_t mask;
	int r = 0;

	*ret = (struct zh_journal){.lock_fd = -1};
	if (snprintf(ret->dir, sizeof(ret->dir), "%s", zh_journal_dir()) >= (int)sizeof(ret->dir))
		return zh_err_set(err, -ENAMETOOLONG, "ZEROHOP_STATE_DIR is too long");
	if (zh_sys_read(ret->boot_id, sizeof(ret->boot_id), "/proc/sys/kernel/random/boot_id") <= 0)
		return zh_err_set(err, -EIO, "cannot tell which boot of the machine this is");
	mask = umask(077);
	if (lock) {
		r = make_dir(ret, err);
		if (r == 0)
			r = take_lock(ret, wait_ns, err);
	}
	if (r == 0)
		r = open_db(ret, lock, err);
	umask(mask);
	if (r < 0)
		zh_journal_close(ret);
	return r;
}

void zh_journal_close(struct zh_journal *journal)
{
	if (journal->db)
		sqlite3_close(journal->db);
	journal->db = NULL;
	zh_closep(&journal->lock_fd);
	journal->lock_fd = -1;
}

void journal_finalizep(sqlite3_stmt **stmt)
{
	sqlite3_finalize(*stmt);
}

int journal_run(struct zh_journal *journal, struct zh_err *err, const char *sql,
	const struct journal_value *values, size_t n)
{
	journal_statement *stmt = NULL;
	int r = sqlite3_prepare_v2(journal->db, sql, -1, &stmt, NULL);

	for (size_t i = 0; r == SQLITE_OK && i < n; i++)
		r = values[i].text
			    ? sqlite3_bind_text(stmt, (int)i + 1, values[i].text, -1, SQLITE_STATIC)
			    : sqlite3_bind_int64(stmt, (int)i + 1, values[i].number);
	if (r == SQLITE_OK)
		r = sqlite3_step(stmt);
	return r == SQLITE_DONE || r == SQLITE_ROW ? 0 : journal_failed(journal, err);
}
