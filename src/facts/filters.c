/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Traffic control filters, in particular BPF programs at a device's ingress and egress. A filter is
 * found through its parent: the two hooks of clsact, or a qdisc that sorts into classes.
 */
#include <arpa/inet.h>
#include <linux/pkt_cls.h>
#include <linux/pkt_sched.h>
#include <linux/rtnetlink.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>

#include "base/buf.h"
#include "base/util.h"
#include "facts/facts.h"
#include "facts/netlink-facts.h"
#include "facts/read.h"
#include "facts/tc-stats.h"
#include "sys/netlink-attr.h"
#include "sys/root.h"

#define PARENTS_MAX 256
#define FILTERS_MAX 512

#define CLSACT_INGRESS TC_H_MAKE(TC_H_CLSACT, TC_H_MIN_INGRESS)
#define CLSACT_EGRESS TC_H_MAKE(TC_H_CLSACT, TC_H_MIN_EGRESS)

struct parent {
	unsigned int ifindex;
	uint32_t handle;
};

struct parents {
	struct parent list[PARENTS_MAX];
	size_t n;
};

static void add_parent(struct parents *parents, int ifindex, uint32_t handle)
{
	if (parents->n < PARENTS_MAX)
		parents->list[parents->n++] = (struct parent){(unsigned int)ifindex, handle};
}

/* Qdiscs that filters can hang on: those with a handle that is not made up by the kernel. */
static int find_parents(void *arg, const struct nlmsghdr *reply)
{
	struct parents *parents = arg;
	const struct tcmsg *header = zh_message_header(reply, sizeof(*header));
	const struct nlattr *attrs[TCA_MAX + 1];
	char kind[32];

	if (!header)
		return 0;
	zh_attrs_of(attrs, TCA_MAX, reply, sizeof(*header));
	zh_attr_string(attrs[TCA_KIND], kind, sizeof(kind));
	if (!strcmp(kind, "clsact")) {
		add_parent(parents, header->tcm_ifindex, CLSACT_INGRESS);
		add_parent(parents, header->tcm_ifindex, CLSACT_EGRESS);
	} else if (!strcmp(kind, "ingress")) {
		add_parent(parents, header->tcm_ifindex, CLSACT_INGRESS);
	} else if (header->tcm_handle && strcmp(kind, "tbf")) {
		add_parent(parents, header->tcm_ifindex, header->tcm_handle);
	}
	return 0;
}

/* Where each kind of filter keeps its actions. */
static int actions_attr(const char *kind)
{
	static const struct {
		const char *kind;
		int attr;
	} known[] = {{"bpf", TCA_BPF_ACT}, {"u32", TCA_U32_ACT}, {"matchall", TCA_MATCHALL_ACT},
		{"flower", TCA_FLOWER_ACT}, {"basic", TCA_BASIC_ACT}, {"fw", TCA_FW_ACT}};
	size_t i;

	for (i = 0; i < ZH_ARRAY_SIZE(known); i++)
		if (!strcmp(kind, known[i].kind))
			return known[i].attr;
	return 0;
}

static void add_actions(struct zh_fact_set *set, const char *prefix, const struct nlattr *list)
{
	const struct nlattr *action = NULL, *attrs[TCA_ACT_MAX + 1];
	uint64_t pkts = 0, drops = 0, more_pkts, more_drops;
	zh_autobuf names = {0};
	char kind[32];

	while ((action = zh_attr_next(list, action))) {
		zh_attrs_nested(attrs, TCA_ACT_MAX, action);
		zh_buf_addf(&names, "%s%s", names.len ? " " : "",
			zh_attr_string(attrs[TCA_ACT_KIND], kind, sizeof(kind)));
		zh_tc_counts(attrs[TCA_ACT_STATS], &more_pkts, &more_drops);
		pkts += more_pkts;
		drops += more_drops;
	}
	if (!names.len)
		return;
	zh_fact_string(set, names.text, "%s.actions", prefix);
	zh_fact_number(set, pkts, "%s.pkts", prefix);
	zh_fact_number(set, drops, "%s.drops_pkts", prefix);
}

static void add_bpf(struct zh_fact_set *set, const char *prefix, const struct nlattr *options)
{
	const struct nlattr *attrs[TCA_BPF_MAX + 1];
	char name[64];

	zh_attrs_nested(attrs, TCA_BPF_MAX, options);
	zh_fact_number(set, zh_attr_u32(attrs[TCA_BPF_ID], 0), "%s.bpf_id", prefix);
	zh_fact_string(set, zh_attr_string(attrs[TCA_BPF_NAME], name, sizeof(name)), "%s.bpf_name",
		prefix);
	zh_fact_number(set, (zh_attr_u32(attrs[TCA_BPF_FLAGS], 0) & TCA_BPF_FLAG_ACT_DIRECT) != 0,
		"%s.direct_action", prefix);
}

static void add_protocol(struct zh_fact_set *set, const char *prefix, uint16_t protocol)
{
	char text[16];

	switch (protocol) {
	case 0x0003: /* ETH_P_ALL */
		zh_fact_string(set, "all", "%s.protocol", prefix);
		break;
	case 0x0800:
		zh_fact_string(set, "ip", "%s.protocol", prefix);
		break;
	case 0x86dd:
		zh_fact_string(set, "ipv6", "%s.protocol", prefix);
		break;
	default:
		snprintf(text, sizeof(text), "0x%04x", protocol);
		zh_fact_string(set, text, "%s.protocol", prefix);
	}
}

int zh_facts_filter_reply(void *arg, const struct nlmsghdr *reply)
{
	struct zh_facts_walk *walk = arg;
	const struct tcmsg *header = zh_message_header(reply, sizeof(*header));
	const struct nlattr *attrs[TCA_MAX + 1], *actions[32];
	char prefix[ZH_FACTS_NAME_MAX + 32], kind[32], parent[16];
	int attr;

	if (!header)
		return 0;
	zh_attrs_of(attrs, TCA_MAX, reply, sizeof(*header));
	zh_attr_string(attrs[TCA_KIND], kind, sizeof(kind));
	/* A filter's list is announced by a message without handle; u32 also lists hash tables,
	 * whose handles end in 000. */
	if (!header->tcm_handle || !attrs[TCA_OPTIONS] ||
		(!strcmp(kind, "u32") && !(header->tcm_handle & 0xfff)) || walk->n >= FILTERS_MAX)
		return 0;
	snprintf(prefix, sizeof(prefix), "filter.%s.%zu", walk->device, walk->listed++);
	walk->n++;
	zh_fact_string(walk->set, kind, "%s.kind", prefix);
	if (walk->last == CLSACT_INGRESS || walk->last == CLSACT_EGRESS)
		snprintf(parent, sizeof(parent), "%s",
			walk->last == CLSACT_INGRESS ? "ingress" : "egress");
	else
		zh_tc_handle(parent, sizeof(parent), (uint32_t)walk->last);
	zh_fact_string(walk->set, parent, "%s.parent", prefix);
	zh_fact_number(walk->set, TC_H_MAJ(header->tcm_info) >> 16, "%s.pref", prefix);
	add_protocol(walk->set, prefix, ntohs((uint16_t)TC_H_MIN(header->tcm_info)));
	if (!strcmp(kind, "bpf"))
		add_bpf(walk->set, prefix, attrs[TCA_OPTIONS]);
	attr = actions_attr(kind);
	zh_attrs_nested(actions, ZH_ARRAY_SIZE(actions) - 1, attrs[TCA_OPTIONS]);
	if (attr && actions[attr])
		add_actions(walk->set, prefix, actions[attr]);
	return 0;
}

/* Parents of a device follow one another, so its filters are counted on. */
static void list_filters(struct zh_fact_set *set, struct zh_netlink *nl, struct parents *parents)
{
	struct zh_facts_walk walk = {.set = set};
	char device[ZH_FACTS_NAME_MAX] = "";
	struct zh_err err;
	size_t i;

	for (i = 0; i < parents->n; i++) {
		const struct parent *parent = &parents->list[i];
		struct tcmsg header = {.tcm_family = AF_UNSPEC,
			.tcm_ifindex = (int)parent->ifindex,
			.tcm_parent = parent->handle};

		if (parent->ifindex != walk.ifindex) {
			walk.listed = 0;
			walk.ifindex = parent->ifindex;
			walk.device = zh_facts_device(device, parent->ifindex);
		}
		walk.last = parent->handle;
		/* A qdisc that takes no filters refuses; that is no news. */
		zh_netlink_dump(nl, RTM_GETTFILTER, &header, sizeof(header), zh_facts_filter_reply,
			&walk, &err);
		zh_fact_number(set, walk.listed, "filter.%s.count", device);
	}
	if (walk.n >= FILTERS_MAX || parents->n >= PARENTS_MAX)
		zh_fact_string(set, "more filters than were listed", "truncated.filters");
}

static void collect(struct zh_fact_set *set)
{
	struct tcmsg all = {.tcm_family = AF_UNSPEC};
	struct parents parents = {.n = 0};
	zh_autonetlink *nl = zh_facts_netlink(set, NETLINK_ROUTE, "filter");
	struct zh_err err;

	if (!nl)
		return;
	if (zh_netlink_dump(nl, RTM_GETQDISC, &all, sizeof(all), find_parents, &parents, &err) < 0)
		zh_facts_refused(set, &err, "list of qdiscs", "filter");
	else
		list_filters(set, nl, &parents);
}

static const struct zh_fact_schema schema[] = {
	{"filter.*.count", ZH_FACT_NUMBER, "count", "filters of the device"},
	{"filter.*.*.kind", ZH_FACT_STRING, "", "kind: bpf, u32, matchall, flower, ..."},
	{"filter.*.*.parent", ZH_FACT_STRING, "", "ingress, egress, or the qdisc's handle"},
	{"filter.*.*.pref", ZH_FACT_NUMBER, "", "priority; lower is earlier"},
	{"filter.*.*.protocol", ZH_FACT_STRING, "", "protocol it looks at"},
	{"filter.*.*.bpf_id", ZH_FACT_NUMBER, "", "number of its BPF program"},
	{"filter.*.*.bpf_name", ZH_FACT_STRING, "", "name of its BPF program"},
	{"filter.*.*.direct_action", ZH_FACT_NUMBER, "", "1: the program itself decides"},
	{"filter.*.*.actions", ZH_FACT_STRING, "", "what it does"},
	{"filter.*.*.pkts", ZH_FACT_NUMBER, "pkts", "seen by its actions"},
	{"filter.*.*.drops_pkts", ZH_FACT_NUMBER, "pkts", "dropped by its actions"},
	{"filter", ZH_FACT_UNAVAILABLE, "", "why the filters could not be read"},
	{NULL},
};

const struct zh_fact_group zh_fact_group_filters = {
	.id = "filters",
	.summary = "traffic control filters",
	.schema = schema,
	.collect = collect,
};
