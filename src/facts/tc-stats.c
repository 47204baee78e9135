/* SPDX-License-Identifier: BSD-2-Clause */
#include "facts/tc-stats.h"

#include <linux/gen_stats.h>
#include <linux/pkt_sched.h>
#include <stdio.h>

#include "sys/netlink-attr.h"

char *zh_tc_handle(char *buf, size_t size, uint32_t handle)
{
	if (handle == TC_H_ROOT)
		snprintf(buf, size, "root");
	else if (handle == TC_H_INGRESS)
		snprintf(buf, size, "ingress");
	else if (TC_H_MIN(handle))
		snprintf(buf, size, "%x:%x", TC_H_MAJ(handle) >> 16, TC_H_MIN(handle));
	else
		snprintf(buf, size, "%x:", TC_H_MAJ(handle) >> 16);
	return buf;
}

void zh_tc_stats(struct zh_fact_set *set, const struct nlattr *stats, const char *prefix)
{
	const struct nlattr *attrs[TCA_STATS_MAX + 1];
	struct gnet_stats_basic basic;
	struct gnet_stats_queue queue;

	zh_attrs_nested(attrs, TCA_STATS_MAX, stats);
	if (zh_attr_copy(attrs[TCA_STATS_BASIC], &basic, sizeof(basic))) {
		zh_fact_number(set, basic.bytes, "%s.bytes", prefix);
		zh_fact_number(
			set, zh_attr_u64(attrs[TCA_STATS_PKT64], basic.packets), "%s.pkts", prefix);
	}
	if (zh_attr_copy(attrs[TCA_STATS_QUEUE], &queue, sizeof(queue))) {
		zh_fact_number(set, queue.drops, "%s.drops_pkts", prefix);
		zh_fact_number(set, queue.overlimits, "%s.overlimits", prefix);
		zh_fact_number(set, queue.requeues, "%s.requeues", prefix);
		zh_fact_number(set, queue.backlog, "%s.backlog_bytes", prefix);
		zh_fact_number(set, queue.qlen, "%s.qlen_pkts", prefix);
	}
}

void zh_tc_counts(const struct nlattr *stats, uint64_t *ret_pkts, uint64_t *ret_drops)
{
	const struct nlattr *attrs[TCA_STATS_MAX + 1];
	struct gnet_stats_basic basic;
	struct gnet_stats_queue queue;

	zh_attrs_nested(attrs, TCA_STATS_MAX, stats);
	zh_attr_copy(attrs[TCA_STATS_BASIC], &basic, sizeof(basic));
	zh_attr_copy(attrs[TCA_STATS_QUEUE], &queue, sizeof(queue));
	*ret_pkts = basic.packets;
	*ret_drops = queue.drops;
}
