/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Brackets around netfilter: the same two programs are first and last in every hook, so that the
 * time of all rules, connection tracking and NAT of a hook lies between two stamps.
 */
#include "trace/internal.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>

#include "base/util.h"
#include "sys/netns.h"
#include "trace/netfilter-link.h"

/* In the calling thread's namespace. */
static int bracket_here(struct zh_trace *trace, uint32_t family)
{
	return zh_netfilter_bracket(zh_trace_program_fd(trace, "zh_bracket_in"),
		zh_trace_program_fd(trace, "zh_bracket_out"), family, trace->brackets,
		&trace->n_brackets, ZH_BRACKETS_MAX);
}

static void bracket_both(struct zh_trace *trace, struct zh_record *record)
{
	int r = bracket_here(trace, AF_INET);

	if (r)
		zh_record_not_measured(
			record, "netfilter brackets", "cannot attach: %s", strerror(-r));
	r = bracket_here(trace, AF_INET6);
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
