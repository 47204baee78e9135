/* SPDX-License-Identifier: BSD-2-Clause */
#include "record/file-temp.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/util.h"

#define TMP_MARK ".tmp-"
#define TMP_TRIES 100

static int fail(const struct zh_temp_file *file, int code, struct zh_err *err)
{
	return zh_err_sys(err, code, "cannot write record %s", file->shown);
}

/* Finds out which file to replace: symbolic links are followed, devices and the like refused. */
static int resolve(struct zh_temp_file *file, struct zh_err *err)
{
	zh_autofree char *real = realpath(file->shown, NULL);
	const char *path = real ? real : file->shown;
	struct stat st;

	if (!*file->shown)
		return fail(file, -ENOENT, err);
	if (!real && errno != ENOENT)
		return fail(file, -errno, err);
	if (real && stat(real, &st) == 0 && !S_ISREG(st.st_mode))
		return zh_err_set(err, -EINVAL, "cannot write record %s: it is %s", file->shown,
			S_ISDIR(st.st_mode) ? "a directory" : "not a regular file");
	if (path[strlen(path) - 1] == '/')
		return fail(file, -EISDIR, err);
	if (strlen(path) + sizeof(TMP_MARK "00000000") > sizeof(file->temp))
		return fail(file, -ENAMETOOLONG, err);
	snprintf(file->path, sizeof(file->path), "%s", path);
	return 0;
}

static bool is_same_file(int fd, const char *path)
{
	struct stat ours, there;

	return fstat(fd, &ours) == 0 && stat(path, &there) == 0 && ours.st_dev == there.st_dev &&
	       ours.st_ino == there.st_ino;
}

/* Removes the temporary file `name` of a writer that is gone. */
static void remove_stale(int dir_fd, const char *name)
{
	zh_autoclose int fd = openat(dir_fd, name, O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);

	if (fd >= 0 && flock(fd, LOCK_EX | LOCK_NB) == 0)
		unlinkat(dir_fd, name, 0);
}

/* Removes what killed writers of the same path left behind. Whatever goes wrong here is no reason
 * not to write. */
static void remove_all_stale(const struct zh_temp_file *file)
{
	char dir_path[PATH_MAX], name_path[PATH_MAX];
	const char *name;
	struct dirent *entry;
	size_t len;
	DIR *dir;

	memcpy(dir_path, file->path, sizeof(dir_path));
	memcpy(name_path, file->path, sizeof(name_path));
	dir = opendir(dirname(dir_path));
	if (!dir)
		return;
	name = basename(name_path);
	len = strlen(name);
	while ((entry = readdir(dir)))
		if (!strncmp(entry->d_name, name, len) &&
			!strncmp(entry->d_name + len, TMP_MARK, strlen(TMP_MARK)))
			remove_stale(dirfd(dir), entry->d_name);
	closedir(dir);
}

/* Creates and locks the temporary file. A cleaner may take it in between: then again. */
static int create(struct zh_temp_file *file, struct zh_err *err)
{
	int i;

	for (i = 0; i < TMP_TRIES; i++) {
		snprintf(file->temp, sizeof(file->temp), "%.*s" TMP_MARK "%x",
			(int)(sizeof(file->temp) - sizeof(TMP_MARK "00000000")), file->path,
			(unsigned int)getpid() + ((unsigned int)i << 24));
		file->fd =
			open(file->temp, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
		if (file->fd < 0 && errno == EEXIST)
			continue;
		if (file->fd < 0)
			return fail(file, -errno, err);
		if (flock(file->fd, LOCK_EX | LOCK_NB) == 0 && is_same_file(file->fd, file->temp))
			return 0;
		close(zh_take_fd(&file->fd));
	}
	return fail(file, -EBUSY, err);
}

/* Makes the rename itself last; a file system that cannot do this loses nothing but time. */
static void flush_directory(const struct zh_temp_file *file)
{
	char path[PATH_MAX];
	zh_autoclose int fd = -1;

	memcpy(path, file->path, sizeof(path));
	fd = open(dirname(path), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd >= 0)
		(void)fsync(fd);
}

int zh_temp_file_open(struct zh_temp_file *file, const char *path, struct zh_err *err)
{
	int r;

	*file = (struct zh_temp_file){.shown = path, .fd = -1};
	r = resolve(file, err);
	if (r < 0)
		return r;
	remove_all_stale(file);
	return create(file, err);
}

int zh_temp_file_probe(const struct zh_temp_file *file)
{
	static const char zeros[4096];
	struct stat st;

	if (fstat(file->fd, &st) < 0 || pwrite(file->fd, zeros, sizeof(zeros), st.st_size) < 0)
		return -errno;
	return 0;
}

int zh_temp_file_keep(struct zh_temp_file *file, struct zh_err *err)
{
	if (fsync(file->fd) < 0 || rename(file->temp, file->path) < 0)
		return fail(file, -errno, err);
	flush_directory(file);
	close(zh_take_fd(&file->fd));
	return 0;
}

void zh_temp_file_done(struct zh_temp_file *file)
{
	if (file->fd < 0)
		return;
	unlink(file->temp);
	close(zh_take_fd(&file->fd));
}
