/* SPDX-License-Identifier: BSD-2-Clause */
/* Which namespace a descriptor is, for as long as the machine runs; and finding it again. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/units.h"
#include "base/util.h"
#include "sys/net-config.h"
#include "sys/netns.h"
#include "sys/root.h"

#ifndef SO_NETNS_COOKIE
#define SO_NETNS_COOKIE 71
#endif

static int read_cookie(void *arg)
{
	zh_autoclose int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	socklen_t len = sizeof(uint64_t);

	if (fd < 0)
		return -errno;
	return getsockopt(fd, SOL_SOCKET, SO_NETNS_COOKIE, arg, &len) < 0 ? -errno : 0;
}

bool zh_netns_is_current(int fd)
{
	zh_autoclose int current = zh_netns_current(NULL);
	uint64_t a, b;

	return current >= 0 && zh_netns_inode(current, &a) == 0 && zh_netns_inode(fd, &b) == 0 &&
	       a == b;
}

int zh_netns_ask(int fd, int (*f)(void *arg), void *arg)
{
	return zh_netns_is_current(fd) ? f(arg) : zh_netns_call(fd, f, arg, NULL);
}

int zh_netns_cookie(int fd, uint64_t *ret)
{
	return zh_netns_ask(fd, read_cookie, ret);
}

int zh_netns_inode_at(uint64_t *ret, const char *path, ...)
{
	char link[64], file[256];
	va_list args;
	int r;

	va_start(args, path);
	vsnprintf(file, sizeof(file), path, args);
	va_end(args);
	r = zh_sys_readlink(link, sizeof(link), "%s", file);
	if (r < 0)
		return r;
	return sscanf(link, "net:[%" SCNu64 "]", ret) == 1 ? 0 : -EINVAL;
}

/* "ID PARENT DEV net:[INODE] PATH rw shared:3 - nsfs nsfs rw" */
int zh_netns_mounts(int (*f)(void *arg, uint64_t inode, const char *path), void *arg)
{
	zh_autofree char *text = NULL;
	char *line, *save = NULL, path[512];
	uint64_t inode;
	int r = 0;

	if (zh_sys_slurp(&text, "/proc/thread-self/mountinfo") < 0)
		return 0;
	for (line = strtok_r(text, "\n", &save); line && !r; line = strtok_r(NULL, "\n", &save))
		if (strstr(line, " - nsfs ") &&
			sscanf(line, "%*s %*s %*s net:[%" SCNu64 "] %511s", &inode, path) == 2)
			r = f(arg, inode, path);
	return r;
}

struct search {
	uint64_t cookie, inode;
	int fd; /* of what was found, else -1 */
};

static int is_it(struct search *search, int fd)
{
	uint64_t inode, cookie;

	if (fd < 0)
		return 0;
	if (zh_netns_inode(fd, &inode) == 0 && inode == search->inode &&
		zh_netns_cookie(fd, &cookie) == 0 && cookie == search->cookie) {
		search->fd = fd;
		return 1;
	}
	close(fd);
	return 0;
}

/* One that only this process holds: */
static int try_fd(void *arg, const char *name)
{
	struct search *search = arg;
	uint64_t inode, fd;

	if (zh_netns_inode_at(&inode, "/proc/self/fd/%s", name) < 0 || inode != search->inode ||
		zh_parse_u64(name, &fd, NULL) < 0)
		return 0;
	return is_it(search, fcntl((int)fd, F_DUPFD_CLOEXEC, 0));
}

static int try_mount(void *arg, uint64_t inode, const char *path)
{
	struct search *search = arg;

	return inode == search->inode ? is_it(search, zh_netns_by_name(path, NULL)) : 0;
}

static int try_process(void *arg, const char *name)
{
	uint64_t pid;

	return zh_parse_u64(name, &pid, NULL) == 0 ? is_it(arg, zh_netns_of_pid((pid_t)pid, NULL))
						   : 0;
}

int zh_netns_find(uint64_t cookie, uint64_t inode)
{
	struct search search = {.cookie = cookie, .inode = inode, .fd = -1};

	if (!is_it(&search, zh_netns_current(NULL)) && !zh_netns_mounts(try_mount, &search) &&
		zh_sys_list(try_fd, &search, "/proc/self/fd") != 1)
		zh_sys_list(try_process, &search, "/proc");
	return search.fd < 0 ? -ENOENT : search.fd;
}
