/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Queueing disciplines of every device with their counters. lo and veth have none ("noqueue") as a
 * rule; one that is there was put there, and delays or drops without any other trace.
 */
#include <linux/pkt_sched.h>
#include <linux/rtnetlink.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>

#include "base/util.h"
#include "facts/facts.h"
#include "facts/netlink-facts.h"
#include "facts/read.h"
#include "facts/tc-stats.h"
#include "sys/netlink-attr.h"
#include "sys/root.h"

#define QDISCS_MAX 2048
#define PSCHED_TICK_NS 64 /* the unit of times in qdisc options (PSCHED_SHIFT 6) */

/* How many qdiscs the current device has so far, to be told when the next device begins. */
static void finish_device(struct zh_facts_walk *walk)
{
	char device[ZH_FACTS_NAME_MAX];

	if (walk->ifindex)
		zh_fact_number(walk->set, walk->last, "qdisc.%s.count",
			zh_facts_device(device, walk->ifindex));
	walk->last = 0;
}

static void add_tbf(struct zh_fact_set *set, const char *prefix, const struct nlattr *options)
{
	const struct nlattr *attrs[TCA_TBF_MAX + 1];
	struct tc_tbf_qopt parameters;

	zh_attrs_nested(attrs, TCA_TBF_MAX, options);
	if (!zh_attr_copy(attrs[TCA_TBF_PARMS], &parameters, sizeof(parameters)))
		return;
	zh_fact_number(set, zh_attr_u64(attrs[TCA_TBF_RATE64], parameters.rate.rate),
		"%s.rate_bytes", prefix);
	zh_fact_number(set, parameters.limit, "%s.limit_bytes", prefix);
	zh_fact_number(set, (uint64_t)parameters.buffer * PSCHED_TICK_NS, "%s.burst_ns", prefix);
}

int zh_facts_qdisc_reply(void *arg, const struct nlmsghdr *reply)
{
	struct zh_facts_walk *walk = arg;
	const struct tcmsg *header = zh_message_header(reply, sizeof(*header));
	const struct nlattr *attrs[TCA_MAX + 1];
	char device[ZH_FACTS_NAME_MAX], prefix[ZH_FACTS_NAME_MAX + 32], kind[32], handle[16];

	if (!header || walk->n++ >= QDISCS_MAX)
		return 0;
	if ((unsigned int)header->tcm_ifindex != walk->ifindex) {
		finish_device(walk);
		walk->ifindex = (unsigned int)header->tcm_ifindex;
	}
	zh_attrs_of(attrs, TCA_MAX, reply, sizeof(*header));
	zh_facts_device(device, walk->ifindex);
	snprintf(prefix, sizeof(prefix), "qdisc.%s.%llu", device, (unsigned long long)walk->last++);
	zh_attr_string(attrs[TCA_KIND], kind, sizeof(kind));
	zh_fact_string(walk->set, kind, "%s.kind", prefix);
	if (header->tcm_parent == TC_H_ROOT)
		zh_fact_string(walk->set, kind, "qdisc.%s.root", device);
	zh_fact_string(walk->set, zh_tc_handle(handle, sizeof(handle), header->tcm_handle),
		"%s.handle", prefix);
	zh_fact_string(walk->set, zh_tc_handle(handle, sizeof(handle), header->tcm_parent),
		"%s.parent", prefix);
	zh_tc_stats(walk->set, attrs[TCA_STATS2], prefix);
	if (!strcmp(kind, "tbf"))
		add_tbf(walk->set, prefix, attrs[TCA_OPTIONS]);
	return 0;
}

static void collect(struct zh_fact_set *set)
{
	struct tcmsg all = {.tcm_family = AF_UNSPEC};
	struct zh_facts_walk walk = {.set = set};
	zh_autonetlink *nl = zh_facts_netlink(set, NETLINK_ROUTE, "qdisc");
	struct zh_err err;

	if (!nl)
		return;
	if (zh_netlink_dump(
		    nl, RTM_GETQDISC, &all, sizeof(all), zh_facts_qdisc_reply, &walk, &err) < 0) {
		zh_facts_refused(set, &err, "list of qdiscs", "qdisc");
		return;
	}
	finish_device(&walk);
	if (walk.n > QDISCS_MAX)
		zh_facts_truncated(set, "qdiscs", QDISCS_MAX, walk.n, "qdiscs");
}

static const struct zh_fact_schema schema[] = {
	{"qdisc.*.count", ZH_FACT_NUMBER, "count", "qdiscs of the device"},
	{"qdisc.*.root", ZH_FACT_STRING, "", "kind of its root qdisc"},
	{"qdisc.*.*.kind", ZH_FACT_STRING, "", "kind: noqueue, tbf, htb, fq_codel, clsact, ..."},
	{"qdisc.*.*.handle", ZH_FACT_STRING, "", "its handle"},
	{"qdisc.*.*.parent", ZH_FACT_STRING, "", "root, ingress, or a class"},
	{"qdisc.*.*.bytes", ZH_FACT_NUMBER, "bytes", "sent through it"},
	{"qdisc.*.*.pkts", ZH_FACT_NUMBER, "pkts", "sent through it"},
	{"qdisc.*.*.drops_pkts", ZH_FACT_NUMBER, "pkts", "dropped by it"},
	{"qdisc.*.*.overlimits", ZH_FACT_NUMBER, "count", "times that it made a packet wait"},
	{"qdisc.*.*.requeues", ZH_FACT_NUMBER, "count", "times that the device was busy"},
	{"qdisc.*.*.backlog_bytes", ZH_FACT_NUMBER, "bytes", "waiting in it now"},
	{"qdisc.*.*.qlen_pkts", ZH_FACT_NUMBER, "pkts", "waiting in it now"},
	{"qdisc.*.*.rate_bytes", ZH_FACT_NUMBER, "bytes/s", "rate of a token bucket"},
	{"qdisc.*.*.limit_bytes", ZH_FACT_NUMBER, "bytes", "queue of a token bucket"},
	{"qdisc.*.*.burst_ns", ZH_FACT_NUMBER, "ns", "bucket of a token bucket, as time"},
	{"qdisc", ZH_FACT_UNAVAILABLE, "", "why the qdiscs could not be read"},
	{NULL},
};

const struct zh_fact_group zh_fact_group_qdiscs = {
	.id = "qdiscs",
	.summary = "queueing disciplines and their counters",
	.schema = schema,
	.collect = collect,
};
