/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Brackets around netfilter: the same two programs are first and last in every hook, so that the
 * time of all rules, connection tracking and NAT of a hook lies between two stamps.
 */
#include "trace/internal.h"

#include <errno.h>
#include <limits.h>
#include <string.h>
#include <sys/syscall.h>

#include "base/util.h"
#include "sys/netns.h"

/* The part of union bpf_attr for BPF_LINK_CREATE that netfilter links use (kernel 6.4). */
struct link_attr {
	uint32_t prog_fd, target_fd, attach_type, flags;
	uint32_t pf, hooknum;
	int32_t priority;
	uint32_t netfilter_flags;
	uint64_t pad[4];
};

#define LINK_CREATE 28
#define ATTACH_TYPE_NETFILTER 45
#define FAMILY_IPV4 2
#define FAMILY_IPV6 10
#define HOOKS 5
/* The kernel takes one BPF program a priority: somebody else may be there already. */
#define TRIES 8

static int create_link(int program, uint32_t family, uint32_t hook, bool first)
{
	struct link_attr attr = {.prog_fd = (uint32_t)program,
		.attach_type = ATTACH_TYPE_NETFILTER,
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

/* In the calling thread's namespace. */
static int bracket_here(struct zh_trace *trace, uint32_t family)
{
	int in = zh_trace_program_fd(trace, "zh_bracket_in");
	int out = zh_trace_program_fd(trace, "zh_bracket_out");
	uint32_t hook;
	int side, fd;

	for (hook = 0; hook < HOOKS; hook++) {
		for (side = 0; side < 2; side++) {
			if (trace->n_brackets == ZH_BRACKETS_MAX)
				return -ENOSPC;
			fd = create_link(side ? out : in, family, hook, !side);
			if (fd < 0)
				return fd;
			trace->brackets[trace->n_brackets++] = fd;
		}
	}
	return 0;
}

static void bracket_both(struct zh_trace *trace, struct zh_record *record)
{
	int r = bracket_here(trace, FAMILY_IPV4);

	if (r)
		zh_record_not_measured(
			record, "netfilter brackets", "cannot attach: %s", strerror(-r));
	r = bracket_here(trace, FAMILY_IPV6);
	if (r && r != -EAFNOSUPPORT)
		zh_record_not_measured(
			record, "netfilter brackets (IPv6)", "cannot attach: %s", strerror(-r));
}

static void bracket_in(struct zh_trace *trace, struct zh_record *record, int netns_fd)
{
	struct zh_err err = {};
	zh_autoclose int here = -1;

	if (netns_fd < 0) {
		bracket_both(trace, record);
		return;
	}
	here = zh_netns_current(&err);
	if (here < 0 || zh_netns_enter(netns_fd, &err)) {
		zh_record_not_measured(record, "netfilter brackets", "%s", err.text);
		return;
	}
	bracket_both(trace, record);
	if (zh_netns_enter(here, &err))
		zh_record_not_measured(record, "netfilter brackets", "%s", err.text);
}

void zh_trace_bracket(struct zh_trace *trace, struct zh_record *record)
{
	if (zh_trace_program_fd(trace, "zh_bracket_in") < 0)
		return;
	bracket_in(trace, record, trace->config.netns_fd);
	if (trace->config.peer_netns_fd >= 0)
		bracket_in(trace, record, trace->config.peer_netns_fd);
}

void zh_trace_unbracket(struct zh_trace *trace)
{
	while (trace->n_brackets)
		close(trace->brackets[--trace->n_brackets]);
}
