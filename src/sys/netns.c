/* SPDX-License-Identifier: BSD-2-Clause */
#include "sys/netns.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/nsfs.h>
#include <net/if.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sys/root.h"

/* Not blocking: the path may name anything, a FIFO too. */
static int open_ns(const char *path, struct zh_err *err)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);

	if (fd < 0)
		return zh_err_sys(err, -errno, "cannot open network namespace %s", path);
	if (ioctl(fd, NS_GET_NSTYPE) != CLONE_NEWNET) {
		close(fd);
		return zh_err_set(err, -EINVAL, "%s is not a network namespace", path);
	}
	return fd;
}

int zh_netns_current(struct zh_err *err)
{
	return open_ns("/proc/thread-self/ns/net", err);
}

int zh_netns_of_pid(pid_t pid, struct zh_err *err)
{
	char path[64];

	int r;

	snprintf(path, sizeof(path), "/proc/%d/ns/net", (int)pid);
	r = open_ns(path, err);
	if (r == -ENOENT)
		zh_err_set(err, -ENOENT, "there is no process %d", (int)pid);
	return r;
}

int zh_netns_first(struct zh_err *err)
{
	char name[32];
	int fd = zh_netns_of_pid(1, err);

	/* A sandbox may hide the first process. */
	if (fd < 0 && zh_sys_read(name, sizeof(name), "/proc/2/comm") > 0 &&
		!strncmp(name, "kthreadd", 8))
		fd = zh_netns_of_pid(2, err);
	return fd;
}

int zh_netns_by_name(const char *name, struct zh_err *err)
{
	char path[PATH_MAX];

	if (!*name)
		return zh_err_set(err, -ENOENT, "the name of the network namespace is empty");
	if (strchr(name, '/'))
		return open_ns(name, err);
	snprintf(path, sizeof(path), "/run/netns/%s", name);
	return open_ns(path, err);
}

/* Runs on a thread of its own, so that the caller never leaves its namespace. */
static void *make_ns(void *arg)
{
	int *fd = arg;

	if (unshare(CLONE_NEWNET) < 0) {
		*fd = -errno;
		return NULL;
	}
	*fd = open("/proc/thread-self/ns/net", O_RDONLY | O_CLOEXEC);
	if (*fd < 0)
		*fd = -errno;
	return NULL;
}

int zh_netns_new(struct zh_err *err)
{
	pthread_t thread;
	int fd = -1, r;

	r = pthread_create(&thread, NULL, make_ns, &fd);
	if (r)
		return zh_err_sys(err, -r, "cannot start a thread");
	pthread_join(thread, NULL);
	if (fd < 0)
		return zh_err_sys(err, fd, "cannot make a network namespace");
	return fd;
}

struct lo_up {
	int fd, result;
};

static int set_lo_up(void)
{
	struct ifreq ifr = {.ifr_name = "lo"};
	int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0), r = 0;

	if (fd < 0)
		return -errno;
	if (ioctl(fd, SIOCGIFFLAGS, &ifr) < 0)
		r = -errno;
	ifr.ifr_flags |= IFF_UP;
	if (!r && ioctl(fd, SIOCSIFFLAGS, &ifr) < 0)
		r = -errno;
	close(fd);
	return r;
}

static void *lo_up_there(void *arg)
{
	struct lo_up *job = arg;

	job->result = setns(job->fd, CLONE_NEWNET) < 0 ? -errno : set_lo_up();
	return NULL;
}

int zh_netns_lo_up(int fd, struct zh_err *err)
{
	struct lo_up job = {.fd = fd};
	pthread_t thread;
	int r;

	r = pthread_create(&thread, NULL, lo_up_there, &job);
	if (r)
		return zh_err_sys(err, -r, "cannot start a thread");
	pthread_join(thread, NULL);
	if (job.result < 0)
		return zh_err_sys(err, job.result, "cannot bring lo up in a network namespace");
	return 0;
}

int zh_netns_enter(int fd, struct zh_err *err)
{
	if (setns(fd, CLONE_NEWNET) < 0)
		return zh_err_sys(err, -errno, "cannot enter a network namespace");
	return 0;
}

int zh_netns_inode(int fd, uint64_t *ret)
{
	struct stat st;

	if (fstat(fd, &st) < 0)
		return -errno;
	*ret = st.st_ino;
	return 0;
}
