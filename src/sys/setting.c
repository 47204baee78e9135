/* SPDX-License-Identifier: BSD-2-Clause */
#include "sys/setting.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <stdio.h>
#include <string.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "base/util.h"
#include "sys/net-config.h"
#include "sys/netns.h"
#include "sys/root.h"

#define DMA_LATENCY "/dev/cpu_dma_latency"

struct access {
	const char *path, *text; /* text: to write */
	char *buf;
	size_t size;
};

static bool is_of_devices(const char *path)
{
	return !strncmp(path, "/sys/", 5);
}

static int write_here(const struct access *access)
{
	struct statfs fs;
	zh_autoclose int fd =
		open(access->path, O_WRONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY);
	size_t len = strlen(access->text);
	ssize_t n;

	if (fd < 0)
		return -errno;
	if (fstatfs(fd, &fs) < 0)
		return -errno;
	if (fs.f_type != PROC_SUPER_MAGIC && fs.f_type != SYSFS_MAGIC &&
		fs.f_type != CGROUP2_SUPER_MAGIC && fs.f_type != DEBUGFS_MAGIC)
		return -EXDEV;
	n = write(fd, access->text, len);
	if (n < 0)
		return -errno;
	return (size_t)n == len ? 0 : -EIO;
}

static int access_here(void *arg)
{
	const struct access *access = arg;
	int r;

	if (access->text)
		return write_here(access);
	r = zh_sys_read(access->buf, access->size, "%s", access->path);
	return r < 0 ? r : 0;
}

/* On a thread inside the namespace, with its devices in /sys. */
static int access_inside(void *arg)
{
	const struct access *access = arg;

	if (is_of_devices(access->path)) {
		int r = zh_netns_show_devices(NULL);

		/* Busy: the devices of this very namespace are shown there already. Who may not
		 * mount is in the namespace that /sys shows, or could not have entered it; writing
		 * needs to be sure. */
		if (r < 0 && r != -EBUSY && (r != -EPERM || access->text))
			return r;
	}
	return access_here(arg);
}

int zh_setting_read(int netns_fd, const char *path, char *buf, size_t size)
{
	struct access access = {.path = path, .buf = buf, .size = size};
	int r;

	if (netns_fd < 0 || zh_sys_is_captured())
		return access_here(&access);
	r = zh_netns_call(netns_fd, access_inside, &access, NULL);
	return r == -EPERM && zh_netns_is_current(netns_fd) ? access_here(&access) : r;
}

int zh_setting_write(int netns_fd, const char *path, const char *text)
{
	struct access access = {.path = path, .text = text};

	if (zh_sys_is_captured())
		return -EROFS;
	if (netns_fd < 0)
		return access_here(&access);
	return zh_netns_call(netns_fd, access_inside, &access, NULL);
}

int zh_dma_latency_get(long long *ret_us)
{
	zh_autoclose int fd = -1;
	int32_t us;

	if (zh_sys_is_captured())
		return -EROFS;
	fd = open(DMA_LATENCY, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	if (pread(fd, &us, sizeof(us), 0) != sizeof(us))
		return -EIO;
	*ret_us = us;
	return 0;
}

int zh_dma_latency_hold(long long us)
{
	int32_t value = (int32_t)us;
	int fd;

	if (zh_sys_is_captured())
		return -EROFS;
	fd = open(DMA_LATENCY, O_RDWR | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	if (write(fd, &value, sizeof(value)) == sizeof(value))
		return fd;
	close(fd);
	return -EIO;
}
