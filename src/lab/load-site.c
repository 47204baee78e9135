/* SPDX-License-Identifier: BSD-2-Clause */
#include "lab/load-site.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <ifaddrs.h>
#include <stdio.h>
#include <string.h>

#include "base/util.h"
#include "lab/topologies/build.h"
#include "sys/net-config.h"
#include "sys/netns.h"

static void copy_address(char *ret, size_t size, const char *with_prefix)
{
	snprintf(ret, size, "%.*s", (int)strcspn(with_prefix, "/"), with_prefix);
}

/*
 * A frame goes up the stack of the device that it is injected at, so that must be one that routes
 * (the host's, with an address of its own), or the receiver's own. Behind a bridge's port or a
 * macvlan's parent nobody would take it: it bears that device's MAC address.
 */
static void find_injection(struct lab_load_site *site)
{
	const struct lab_plan *plan = site->lab.topology->plan;
	const enum lab_side side = plan->has_host ? LAB_HOST : LAB_FAR;
	const struct lab_device *device;
	char buf[LAB_DEVICE_NAME];

	site->inject_netns_fd = plan->has_host ? site->ns.host_netns_fd : site->ns.peer_netns_fd;
	for (device = plan->devices; device->name; device++) {
		bool is_veth = device->kind == LAB_VETH || device->kind == LAB_END;

		if (device->side == LAB_NEAR && device->v4 && !site->from[0])
			copy_address(site->from, sizeof(site->from), device->v4);
		if (device->side == side && is_veth && device->v4 && !site->device[0])
			snprintf(site->device, sizeof(site->device), "%.15s",
				lab_device_name(device, site->lab.name, buf));
	}
}

int lab_load_site_of_lab(const char *name, struct lab_load_site *ret, struct zh_err *err)
{
	int r;

	*ret = (struct lab_load_site){.has_lab = true, .ns = {-1, -1, -1}, .inject_netns_fd = -1};
	r = zh_named_find(name, &ret->lab, err);
	if (r == 0)
		r = zh_named_open(&ret->lab, &ret->ns, err);
	if (r < 0)
		return r;
	snprintf(ret->to, sizeof(ret->to), "%s", ret->lab.topology->address);
	find_injection(ret);
	return 0;
}

static bool same_namespace(int a, int b)
{
	uint64_t x, y;

	return a >= 0 && b >= 0 && zh_netns_inode(a, &x) == 0 && zh_netns_inode(b, &y) == 0 &&
	       x == y;
}

static bool belongs_to(int fd, const struct zh_lab_ns *ns)
{
	return same_namespace(fd, ns->netns_fd) || same_namespace(fd, ns->peer_netns_fd) ||
	       same_namespace(fd, ns->host_netns_fd);
}

/* Both in the namespaces of one lab: then its host, where packets may be lost, is taken as well. */
static bool find_lab(struct lab_load_site *site)
{
	struct zh_named_lab labs[ZH_LABS_MAX];
	struct zh_lab_ns ns;
	size_t n = zh_named_list(labs, ZH_LABS_MAX), i;

	for (i = 0; i < n && !site->has_lab; i++) {
		if (zh_named_open(&labs[i], &ns, NULL) < 0)
			continue;
		if (belongs_to(site->ns.netns_fd, &ns) && belongs_to(site->ns.peer_netns_fd, &ns)) {
			site->has_lab = true;
			site->lab = labs[i];
			site->ns.host_netns_fd = zh_take_fd(&ns.host_netns_fd);
		}
		lab_unbuild(&ns);
	}
	return site->has_lab;
}

struct address {
	const char *text;
	bool is_here;
};

static bool is_same(const struct sockaddr *address, const char *text)
{
	struct in6_addr v6;
	struct in_addr v4;

	if (address->sa_family == AF_INET && inet_pton(AF_INET, text, &v4) == 1)
		return !memcmp(&((const struct sockaddr_in *)(const void *)address)->sin_addr, &v4,
			sizeof(v4));
	if (address->sa_family == AF_INET6 && inet_pton(AF_INET6, text, &v6) == 1)
		return !memcmp(&((const struct sockaddr_in6 *)(const void *)address)->sin6_addr,
			&v6, sizeof(v6));
	return false;
}

/* In the calling thread's namespace; all of 127/8 is lo's. */
static int look_for_address(void *arg)
{
	struct address *wanted = arg;
	struct ifaddrs *list, *at;
	struct in_addr v4;

	wanted->is_here = inet_pton(AF_INET, wanted->text, &v4) == 1 &&
			  ntohl(v4.s_addr) >> 24 == IN_LOOPBACKNET;
	if (wanted->is_here || getifaddrs(&list) < 0)
		return 0;
	for (at = list; at; at = at->ifa_next)
		wanted->is_here |= at->ifa_addr && is_same(at->ifa_addr, wanted->text);
	freeifaddrs(list);
	return 0;
}

static int check_stays(struct lab_load_site *site, struct zh_err *err)
{
	bool is_one = site->ns.peer_netns_fd < 0;
	struct address address = {site->to, false};

	if (!is_one && !find_lab(site))
		return zh_err_set(err, -EPERM,
			"the two namespaces are not of one lab: a load stays in a lab that is up "
			"(zerohop lab up), or in one namespace");
	zh_netns_call(is_one ? site->ns.netns_fd : site->ns.peer_netns_fd, look_for_address,
		&address, NULL);
	if (!address.is_here)
		return zh_err_set(err, -EPERM,
			"%.60s is no address of the receiver's namespace: a load would leave it",
			site->to);
	return 0;
}

int lab_load_site_between(const char *netns, const char *peer, const char *to,
	struct lab_load_site *ret, struct zh_err *err)
{
	int fd, r = 0;

	*ret = (struct lab_load_site){.ns = {-1, -1, -1}, .inject_netns_fd = -1};
	snprintf(ret->to, sizeof(ret->to), "%.63s", to ? to : "127.0.0.1");
	fd = netns ? zh_netns_by_name(netns, err) : zh_netns_current(err);
	if (fd < 0)
		return fd;
	ret->ns.netns_fd = fd;
	fd = peer ? zh_netns_by_name(peer, err) : -1;
	if (peer && fd < 0)
		r = fd;
	else if (same_namespace(fd, ret->ns.netns_fd))
		close(fd);
	else
		ret->ns.peer_netns_fd = fd;
	if (r == 0)
		r = check_stays(ret, err);
	if (r < 0)
		lab_load_site_done(ret);
	return r;
}

void lab_load_site_done(struct lab_load_site *site)
{
	lab_unbuild(&site->ns);
}
