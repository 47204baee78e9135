/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/util.h"
#include "sys/netns.h"

/* Not in the headers of all C libraries; the numbers are the same on all architectures. */
#ifndef SYS_open_tree
#define SYS_open_tree 428
#define SYS_move_mount 429
#endif
#define TREE_CLONE 1u /* OPEN_TREE_CLONE */
#define TREE_CLOEXEC ((unsigned)O_CLOEXEC)
#define MOVE_FROM_FD 4u /* MOVE_MOUNT_F_EMPTY_PATH */

/* Where a whole sysfs is mounted for a moment, and the parts of it that are kept. Symbolic links of
 * the first lead into the second. */
#define SCRATCH "/sys/class/net"
static const struct part {
	const char *from, *to;
} parts[] = {
	{SCRATCH "/class/net", "/sys/class/net"},
	{SCRATCH "/devices/virtual/net", "/sys/devices/virtual/net"},
};

static int move_part(int tree, const char *to)
{
	return syscall(SYS_move_mount, tree, "", AT_FDCWD, to, MOVE_FROM_FD) < 0 ? -errno : 0;
}

static int show_parts(void)
{
	int trees[ZH_ARRAY_SIZE(parts)], r = 0;
	size_t i;

	for (i = 0; i < ZH_ARRAY_SIZE(parts); i++) {
		trees[i] = (int)syscall(
			SYS_open_tree, AT_FDCWD, parts[i].from, TREE_CLONE | TREE_CLOEXEC);
		if (trees[i] < 0)
			r = -errno;
	}
	if (umount2(SCRATCH, MNT_DETACH) < 0)
		r = -errno;
	for (i = 0; i < ZH_ARRAY_SIZE(parts); i++) {
		if (r == 0)
			r = move_part(trees[i], parts[i].to);
		zh_closep(&trees[i]);
	}
	return r;
}

int zh_netns_show_devices(struct zh_err *err)
{
	int r = 0;

	/* Private first: nothing of this may be seen outside. */
	if (unshare(CLONE_NEWNS) < 0 || mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) < 0 ||
		mount("sysfs", SCRATCH, "sysfs", 0, NULL) < 0)
		r = -errno;
	if (r == 0)
		r = show_parts();
	return r < 0 ? zh_err_sys(err, r, "cannot show this network namespace's devices in /sys")
		     : 0;
}
