/* SPDX-License-Identifier: BSD-2-Clause */
#include <unistd.h>

#include "lab/lab.h"
#include "sys/net-config.h"
#include "sys/netns.h"

static void down(struct zh_lab_ns *ns)
{
	zh_closep(&ns->netns_fd);
	ns->netns_fd = -1;
}

static int up(struct zh_lab_ns *ret, struct zh_err *err)
{
	int r;

	*ret = (struct zh_lab_ns){.netns_fd = zh_netns_new(err), .peer_netns_fd = -1};
	if (ret->netns_fd < 0)
		return ret->netns_fd;
	r = zh_netns_lo_up(ret->netns_fd, err);
	if (r < 0)
		down(ret);
	return r;
}

const struct zh_topology zh_topology_lo = {
	.id = "lo",
	.summary = "a network namespace with nothing but lo",
	.address = "127.0.0.1",
	.up = up,
	.down = down,
};
