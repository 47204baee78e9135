/* SPDX-License-Identifier: BSD-2-Clause */
#include "sys/bpf-list.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>

#include "base/util.h"

/* Link types that libbpf 1.1 does not know yet (linux/bpf.h, enum bpf_link_type). */
static const char *const newer_links[] = {
	[10] = "netfilter", [11] = "tcx", [12] = "uprobe_multi", [13] = "netkit", [14] = "sockmap"};

static const char *link_type(uint32_t type)
{
	const char *name = libbpf_bpf_link_type_str((enum bpf_link_type)type);

	if (!name && type < ZH_ARRAY_SIZE(newer_links))
		name = newer_links[type];
	return name ? name : "other";
}

static const char *prog_type(uint32_t type)
{
	const char *name = libbpf_bpf_prog_type_str((enum bpf_prog_type)type);

	if (!name && type == 32)
		name = "netfilter";
	return name ? name : "other";
}

/* Walks over ids; an object may go away between its number and its handle. */
static int each(size_t max, int (*next)(uint32_t start, uint32_t *ret), int (*open_id)(uint32_t id),
	void (*f)(void *arg, int fd), void *arg, int *ret_more, struct zh_err *err)
{
	uint32_t id = 0;
	size_t n = 0;

	*ret_more = 0;
	while (next(id, &id) == 0) {
		zh_autoclose int fd = -1;

		if (n++ >= max) {
			*ret_more = 1;
			return 0;
		}
		fd = open_id(id);
		if (fd < 0 && errno == ENOENT)
			continue;
		if (fd < 0)
			return zh_err_sys(err, -errno, "BPF object %u", id);
		f(arg, fd);
	}
	return errno == ENOENT ? 0 : zh_err_sys(err, -errno, "list of BPF objects");
}

struct prog_walk {
	void (*f)(void *arg, const struct zh_bpf_prog *prog);
	void *arg;
};

static void hand_out_prog(void *arg, int fd)
{
	struct prog_walk *walk = arg;
	struct bpf_prog_info info = {};
	struct zh_bpf_prog prog = {};
	uint32_t len = sizeof(info);

	if (bpf_obj_get_info_by_fd(fd, &info, &len) < 0)
		return;
	prog.id = info.id;
	prog.type = prog_type(info.type);
	snprintf(prog.name, sizeof(prog.name), "%.*s", (int)sizeof(info.name), info.name);
	prog.run_time_ns = info.run_time_ns;
	prog.run_cnt = info.run_cnt;
	walk->f(walk->arg, &prog);
}

int zh_bpf_each_prog(size_t max, void (*f)(void *arg, const struct zh_bpf_prog *prog), void *arg,
	int *ret_more, struct zh_err *err)
{
	struct prog_walk walk = {f, arg};

	return each(max, bpf_prog_get_next_id, bpf_prog_get_fd_by_id, hand_out_prog, &walk,
		ret_more, err);
}

struct link_walk {
	void (*f)(void *arg, const struct zh_bpf_link *link);
	void *arg;
};

static void hand_out_link(void *arg, int fd)
{
	struct link_walk *walk = arg;
	struct bpf_link_info info = {};
	struct zh_bpf_link link = {};
	uint32_t len = sizeof(info);

	if (bpf_obj_get_info_by_fd(fd, &info, &len) < 0)
		return;
	link.id = info.id;
	link.prog_id = info.prog_id;
	link.type = link_type(info.type);
	if (!strcmp(link.type, "cgroup")) {
		link.cgroup_id = info.cgroup.cgroup_id;
		link.attach = info.cgroup.attach_type;
	} else if (!strcmp(link.type, "netns")) {
		link.attach = info.netns.attach_type;
	} else if (!strcmp(link.type, "xdp")) {
		link.ifindex = info.xdp.ifindex;
	} else if (!strcmp(link.type, "tcx") || !strcmp(link.type, "netkit")) {
		/* Both begin with the device and the attach type, as netns does with two words. */
		link.ifindex = info.netns.netns_ino;
		link.attach = info.netns.attach_type;
	}
	walk->f(walk->arg, &link);
}

int zh_bpf_each_link(size_t max, void (*f)(void *arg, const struct zh_bpf_link *link), void *arg,
	int *ret_more, struct zh_err *err)
{
	struct link_walk walk = {f, arg};

	return each(max, bpf_link_get_next_id, bpf_link_get_fd_by_id, hand_out_link, &walk,
		ret_more, err);
}

int zh_bpf_cgroup_count(const char *cgroup_path, int attach_type)
{
	zh_autoclose int fd = open(cgroup_path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	uint32_t ids[64], n = ZH_ARRAY_SIZE(ids), flags = 0;

	if (fd < 0)
		return -errno;
	if (bpf_prog_query(fd, (enum bpf_attach_type)attach_type, BPF_F_QUERY_EFFECTIVE, &flags,
		    ids, &n) < 0)
		return -errno;
	return (int)n;
}

const struct zh_bpf_attach zh_bpf_cgroup_attaches[] = {
	{BPF_CGROUP_INET_INGRESS, "ingress"},
	{BPF_CGROUP_INET_EGRESS, "egress"},
	{BPF_CGROUP_INET_SOCK_CREATE, "sock_create"},
	{BPF_CGROUP_SOCK_OPS, "sock_ops"},
	{BPF_CGROUP_INET4_BIND, "bind4"},
	{BPF_CGROUP_INET6_BIND, "bind6"},
	{BPF_CGROUP_INET4_CONNECT, "connect4"},
	{BPF_CGROUP_INET6_CONNECT, "connect6"},
	{BPF_CGROUP_UDP4_SENDMSG, "sendmsg4"},
	{BPF_CGROUP_UDP6_SENDMSG, "sendmsg6"},
	{BPF_CGROUP_UDP4_RECVMSG, "recvmsg4"},
	{BPF_CGROUP_UDP6_RECVMSG, "recvmsg6"},
	{BPF_CGROUP_GETSOCKOPT, "getsockopt"},
	{BPF_CGROUP_SETSOCKOPT, "setsockopt"},
	{0, NULL},
};
