/* SPDX-License-Identifier: BSD-2-Clause */
#include "trace/netfilter-link.h"

#include <errno.h>
#include <limits.h>
#include <sys/syscall.h>
#include <unistd.h>

/* The part of union bpf_attr for BPF_LINK_CREATE that netfilter links use. */
struct link_attr {
	uint32_t prog_fd, target_fd, attach_type, flags;
	uint32_t pf, hooknum;
	int32_t priority;
	uint32_t netfilter_flags;
	uint64_t pad[4];
};

#define LINK_CREATE 28
/* The kernel takes one BPF program a priority: somebody else may be there already. */
#define TRIES 8

static int create_link(int program, uint32_t family, uint32_t hook, bool first)
{
	struct link_attr attr = {.prog_fd = (uint32_t)program,
		.attach_type = ZH_ATTACH_TYPE_NETFILTER,
		.pf = family,
		.hooknum = hook};
	int try, fd = -1;

	for (try = 0; try < TRIES; try++) {
		attr.priority = first ? INT_MIN + 1 +
		try : INT_MAX
			-1 - try;
		fd = (int)syscall(__NR_bpf, LINK_CREATE, &attr, sizeof(attr));
		if (fd >= 0 || errno != EBUSY)
			break;
	}
	return fd < 0 ? -errno : fd;
}

int zh_netfilter_bracket(int in, int out, uint32_t family, int *fds, size_t *n, size_t max)
{
	uint32_t hook;
	int side, fd;

	for (hook = 0; hook < ZH_NETFILTER_HOOKS; hook++) {
		for (side = 0; side < 2; side++) {
			if (*n == max)
				return -ENOSPC;
			fd = create_link(side ? out : in, family, hook, !side);
			if (fd < 0)
				return fd;
			fds[(*n)++] = fd;
		}
	}
	return 0;
}
