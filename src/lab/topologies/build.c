/* SPDX-License-Identifier: BSD-2-Clause */
#include "lab/topologies/build.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "sys/net-config.h"
#include "sys/netns.h"

struct site {
	const char *name;   /* of the lab, or NULL */
	int fds[LAB_SIDES]; /* not owned */
	struct zh_netcfg *cfg[LAB_SIDES];
};

const char *lab_device_name(
	const struct lab_device *device, const char *lab, char buf[static LAB_DEVICE_NAME])
{
	if (!lab || !device->named)
		return device->name;
	snprintf(buf, LAB_DEVICE_NAME, "%.3s-%.11s", lab, device->named);
	return buf;
}

static int make_device(const struct site *site, const struct lab_device *device, const char *name,
	struct zh_err *err)
{
	struct zh_netcfg *cfg = site->cfg[device->side];

	switch (device->kind) {
	case LAB_END:
		return 0;
	case LAB_VETH:
		return zh_netcfg_veth_add(
			cfg, name, device->peer, site->fds[device->peer_side], err);
	case LAB_BRIDGE:
		return zh_netcfg_bridge_add(cfg, name, err);
	case LAB_MACVLAN:
		return zh_netcfg_macvlan_add(
			site->cfg[LAB_HOST], name, device->parent, site->fds[device->side], err);
	}
	return -EINVAL;
}

/* A kernel without IPv6, or with it switched off, still has the IPv4 half. */
static int add_v6(struct zh_netcfg *cfg, const char *name, const char *v6, struct zh_err *err)
{
	int r = zh_netcfg_address_add(cfg, name, v6, err);

	return r == -EOPNOTSUPP || r == -EACCES ? 0 : r;
}

static int add_device(const struct site *site, const struct lab_device *device, struct zh_err *err)
{
	struct zh_netcfg *cfg = site->cfg[device->side];
	char buf[LAB_DEVICE_NAME];
	const char *name = lab_device_name(device, site->name, buf);
	int r = make_device(site, device, name, err);

	if (r == 0 && device->master)
		r = zh_netcfg_master_set(cfg, name, device->master, err);
	if (r == 0 && device->v4)
		r = zh_netcfg_address_add(cfg, name, device->v4, err);
	if (r == 0)
		r = zh_netcfg_link_up(cfg, name, true, err);
	if (r == 0 && device->v6)
		r = add_v6(cfg, name, device->v6, err);
	return r;
}

static int add_route(const struct site *site, const struct lab_route *route, struct zh_err *err)
{
	const struct zh_netcfg_route add = {
		.to = route->to, .via = route->via, .device = route->device};
	int r = zh_netcfg_route_add(site->cfg[route->side], &add, err);

	return strchr(route->to, ':') && (r == -EOPNOTSUPP || r == -EACCES) ? 0 : r;
}

/* The IPv6 ones are missing where IPv6 is. */
static int set_sysctl(int netns_fd, const char *name, const char *value, struct zh_err *err)
{
	int r = zh_netcfg_sysctl_set(netns_fd, name, value, err);

	return r == -ENOENT && strstr(name, "ipv6") ? 0 : r;
}

/* Without duplicate address detection, which keeps link-local addresses, and with them a router's
 * neighbour discovery, from working for a second or two. */
static int prepare_namespace(int netns_fd, struct zh_err *err)
{
	int r = set_sysctl(netns_fd, "net/ipv6/conf/all/accept_dad", "0", err);

	return r < 0 ? r : set_sysctl(netns_fd, "net/ipv6/conf/default/accept_dad", "0", err);
}

static int forward(int netns_fd, struct zh_err *err)
{
	int r = set_sysctl(netns_fd, "net/ipv4/ip_forward", "1", err);

	return r < 0 ? r : set_sysctl(netns_fd, "net/ipv6/conf/all/forwarding", "1", err);
}

static int fill(struct site *site, const struct lab_plan *plan, struct zh_err *err)
{
	const struct lab_device *device;
	const struct lab_route *route;
	int r = 0, i;

	for (i = 0; i < LAB_SIDES && r == 0; i++) {
		if (site->fds[i] < 0)
			continue;
		r = prepare_namespace(site->fds[i], err);
		if (r == 0)
			r = zh_netcfg_open(site->fds[i], &site->cfg[i], err);
		if (r == 0)
			r = zh_netcfg_link_up(site->cfg[i], "lo", true, err);
	}
	for (device = plan->devices; r == 0 && device->name; device++)
		r = add_device(site, device, err);
	for (route = plan->routes; r == 0 && route && route->to; route++)
		r = add_route(site, route, err);
	if (r == 0 && plan->forwarding)
		r = forward(site->fds[LAB_HOST], err);
	return r;
}

static int new_namespace(bool wanted, int *ret, struct zh_err *err)
{
	int fd = wanted ? zh_netns_new(err) : -1;

	if (wanted && fd < 0)
		return fd;
	*ret = fd;
	return 0;
}

int lab_build(
	const struct lab_plan *plan, const char *name, struct zh_lab_ns *ret, struct zh_err *err)
{
	struct site site = {.name = name};
	int r, i;

	*ret = (struct zh_lab_ns){-1, -1, -1};
	r = new_namespace(true, &ret->netns_fd, err);
	if (r == 0)
		r = new_namespace(plan->has_far, &ret->peer_netns_fd, err);
	if (r == 0)
		r = new_namespace(plan->has_host, &ret->host_netns_fd, err);
	site.fds[LAB_NEAR] = ret->netns_fd;
	site.fds[LAB_FAR] = ret->peer_netns_fd;
	site.fds[LAB_HOST] = ret->host_netns_fd;
	if (r == 0)
		r = fill(&site, plan, err);
	for (i = 0; i < LAB_SIDES; i++)
		zh_netcfg_close(site.cfg[i]);
	if (r < 0)
		lab_unbuild(ret);
	return r;
}

void lab_unbuild(struct zh_lab_ns *ns)
{
	zh_closep(&ns->netns_fd);
	zh_closep(&ns->peer_netns_fd);
	zh_closep(&ns->host_netns_fd);
	*ns = (struct zh_lab_ns){-1, -1, -1};
}
