/* SPDX-License-Identifier: BSD-2-Clause */
#include "sys/root.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/util.h"

#define SLURP_MAX (64u << 20)

const char *zh_sys_root(void)
{
	const char *root = secure_getenv("ZH_SYSROOT");

	return root ? root : "";
}

bool zh_sys_is_captured(void)
{
	return zh_sys_root()[0] != '\0';
}

/* Formats root + path; 0 or -ENAMETOOLONG. */
static int make_path(char *buf, size_t size, const char *fmt, va_list ap)
{
	int len = snprintf(buf, size, "%s", zh_sys_root()), more;

	if (len < 0 || (size_t)len >= size)
		return -ENAMETOOLONG;
	more = vsnprintf(buf + len, size - (size_t)len, fmt, ap);
	return more < 0 || (size_t)(len + more) >= size ? -ENAMETOOLONG : 0;
}

#define MAKE_PATH(path, fmt)                                                                       \
	({                                                                                         \
		va_list ap_;                                                                       \
		int r_;                                                                            \
		va_start(ap_, fmt);                                                                \
		r_ = make_path(path, sizeof(path), fmt, ap_);                                      \
		va_end(ap_);                                                                       \
		r_;                                                                                \
	})

/* Reads until the end or until buf is full; length or a negative errno. */
static ssize_t read_all(int fd, char *buf, size_t size)
{
	size_t len = 0;
	ssize_t n;

	while (len < size) {
		n = read(fd, buf + len, size - len);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		if (n == 0)
			break;
		len += (size_t)n;
	}
	return (ssize_t)len;
}

int zh_sys_read(char *buf, size_t size, const char *fmt, ...)
{
	char path[PATH_MAX];
	zh_autoclose int fd = -1;
	ssize_t len;
	int r = MAKE_PATH(path, fmt);

	if (r < 0)
		return r;
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	len = read_all(fd, buf, size);
	if (len < 0)
		return (int)len;
	if ((size_t)len == size)
		return -EFBIG;
	if (len && buf[len - 1] == '\n')
		len--;
	buf[len] = '\0';
	return (int)len;
}

int64_t zh_sys_slurp(char **ret, const char *fmt, ...)
{
	char path[PATH_MAX];
	zh_autoclose int fd = -1;
	zh_autofree char *text = NULL;
	size_t size = 4096, len = 0;
	ssize_t n;
	int r = MAKE_PATH(path, fmt);

	if (r < 0)
		return r;
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	do {
		char *bigger;

		size *= 2;
		bigger = size <= SLURP_MAX ? realloc(text, size) : NULL;
		if (!bigger)
			return size > SLURP_MAX ? -EFBIG : -ENOMEM;
		text = bigger;
		n = read_all(fd, text + len, size - 1 - len);
		if (n < 0)
			return n;
		len += (size_t)n;
	} while (len == size - 1);
	text[len] = '\0';
	*ret = zh_take(text);
	return (int64_t)len;
}

int zh_sys_read_u64(uint64_t *ret, const char *fmt, ...)
{
	char path[PATH_MAX], text[64], *end;
	zh_autoclose int fd = -1;
	unsigned long long value;
	ssize_t len;
	int r = MAKE_PATH(path, fmt);

	if (r < 0)
		return r;
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	len = read_all(fd, text, sizeof(text) - 1);
	if (len < 0)
		return (int)len;
	text[len] = '\0';
	errno = 0;
	value = strtoull(text, &end, 0);
	if (errno || end == text || (*end && *end != '\n') || strchr(text, '-'))
		return -EINVAL;
	*ret = value;
	return 0;
}

int zh_sys_write(const char *text, const char *fmt, ...)
{
	char path[PATH_MAX];
	zh_autoclose int fd = -1;
	size_t len = strlen(text);
	ssize_t n;
	int r = MAKE_PATH(path, fmt);

	if (r < 0)
		return r;
	if (zh_sys_is_captured())
		return -EROFS;
	fd = open(path, O_WRONLY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	n = write(fd, text, len);
	if (n < 0)
		return -errno;
	return (size_t)n == len ? 0 : -EIO;
}

bool zh_sys_may_write(const char *fmt, ...)
{
	char path[PATH_MAX];

	return !zh_sys_is_captured() && MAKE_PATH(path, fmt) >= 0 &&
	       faccessat(AT_FDCWD, path, W_OK, AT_EACCESS) == 0;
}

bool zh_sys_exists(const char *fmt, ...)
{
	char path[PATH_MAX];

	return MAKE_PATH(path, fmt) == 0 && access(path, F_OK) == 0;
}

static int not_dots(const struct dirent *entry)
{
	return strcmp(entry->d_name, ".") && strcmp(entry->d_name, "..");
}

int zh_sys_list(int (*f)(void *arg, const char *name), void *arg, const char *fmt, ...)
{
	char path[PATH_MAX];
	struct dirent **entries;
	int r = MAKE_PATH(path, fmt), n, i;

	if (r < 0)
		return r;
	n = scandir(path, &entries, not_dots, versionsort);
	if (n < 0)
		return -errno;
	for (i = 0; i < n; i++) {
		if (!r)
			r = f(arg, entries[i]->d_name);
		free(entries[i]);
	}
	free(entries);
	return r;
}

int zh_sys_readlink(char *buf, size_t size, const char *fmt, ...)
{
	char path[PATH_MAX];
	ssize_t len;
	int r = MAKE_PATH(path, fmt);

	if (r < 0)
		return r;
	len = readlink(path, buf, size - 1);
	if (len < 0)
		return -errno;
	buf[len] = '\0';
	return (int)len;
}
