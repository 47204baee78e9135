/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <unistd.h>

#include "lab/lab.h"
#include "sys/net-config.h"
#include "sys/netns.h"

static const struct end {
	const char *device, *v4, *v6;
} ends[] = {
	{"zh0", "10.77.0.1/24", "fd00:77::1/64"},
	{"zh1", "10.77.0.2/24", "fd00:77::2/64"},
};

static void down(struct zh_lab_ns *ns)
{
	zh_closep(&ns->netns_fd);
	zh_closep(&ns->peer_netns_fd);
	ns->netns_fd = ns->peer_netns_fd = -1;
}

static int set_up_end(struct zh_netcfg *cfg, const struct end *end, struct zh_err *err)
{
	int r = zh_netcfg_link_up(cfg, "lo", true, err);

	if (r == 0)
		r = zh_netcfg_address_add(cfg, end->device, end->v4, err);
	if (r == 0)
		r = zh_netcfg_link_up(cfg, end->device, true, err);
	if (r == 0)
		r = zh_netcfg_address_add(cfg, end->device, end->v6, err);
	/* A kernel without IPv6, or with it switched off, still has the IPv4 half. */
	return r == -EOPNOTSUPP || r == -EACCES ? 0 : r;
}

static int connect_ends(const struct zh_lab_ns *ns, struct zh_err *err)
{
	struct zh_netcfg *near = NULL, *far = NULL;
	int r = zh_netcfg_open(ns->netns_fd, &near, err);

	if (r == 0)
		r = zh_netcfg_open(ns->peer_netns_fd, &far, err);
	if (r == 0)
		r = zh_netcfg_veth_add(
			near, ends[0].device, ends[1].device, ns->peer_netns_fd, err);
	if (r == 0)
		r = set_up_end(near, &ends[0], err);
	if (r == 0)
		r = set_up_end(far, &ends[1], err);
	zh_netcfg_close(near);
	zh_netcfg_close(far);
	return r;
}

static int up(struct zh_lab_ns *ret, struct zh_err *err)
{
	int r;

	*ret = (struct zh_lab_ns){.netns_fd = zh_netns_new(err), .peer_netns_fd = -1};
	r = ret->netns_fd;
	if (r >= 0)
		r = ret->peer_netns_fd = zh_netns_new(err);
	if (r >= 0)
		r = connect_ends(ret, err);
	if (r < 0)
		down(ret);
	return r < 0 ? r : 0;
}

const struct zh_topology zh_topology_veth = {
	.id = "veth",
	.summary = "two network namespaces joined by a veth pair, 10.77.0.1 and 10.77.0.2",
	.address = "10.77.0.2",
	.up = up,
	.down = down,
};
