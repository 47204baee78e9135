/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The audit system's queue. When it is full, every audited system call sleeps up to
 * backlog_wait_time, and networking calls are often audited.
 */
#include <linux/audit.h>
#include <netlink/msg.h>
#include <stdio.h>
#include <string.h>

#include "base/util.h"
#include "facts/facts.h"
#include "facts/netlink-facts.h"
#include "facts/read.h"
#include "sys/netlink-attr.h"
#include "sys/root.h"

static const struct {
	size_t offset;
	const char *key;
} fields[] = {
	{offsetof(struct audit_status, enabled), "enabled"},
	{offsetof(struct audit_status, failure), "failure"},
	{offsetof(struct audit_status, pid), "pid"},
	{offsetof(struct audit_status, rate_limit), "rate_limit"},
	{offsetof(struct audit_status, backlog_limit), "backlog_limit"},
	{offsetof(struct audit_status, lost), "lost"},
	{offsetof(struct audit_status, backlog), "backlog"},
	{offsetof(struct audit_status, backlog_wait_time), "backlog_wait_time"},
	{offsetof(struct audit_status, backlog_wait_time_actual), "backlog_wait_actual"},
};

/* The reply is a struct that grew over time; an older kernel's is shorter. */
int zh_facts_audit_reply(void *arg, const struct nlmsghdr *reply)
{
	struct zh_facts_walk *walk = arg;
	const char *status = zh_message_header(reply, 0);
	size_t len = status ? reply->nlmsg_len - NLMSG_HDRLEN : 0, i;
	uint32_t value;

	for (i = 0; i < ZH_ARRAY_SIZE(fields); i++) {
		if (fields[i].offset + sizeof(value) > len)
			continue;
		memcpy(&value, status + fields[i].offset, sizeof(value));
		zh_fact_number(walk->set, value, "audit.%s", fields[i].key);
	}
	return 0;
}

static void collect(struct zh_fact_set *set)
{
	struct zh_facts_walk walk = {.set = set};
	zh_autonetlink *nl = zh_facts_netlink(set, NETLINK_AUDIT, "audit");
	struct zh_err err;

	if (!nl)
		return;
	if (zh_netlink_ask_late(nl, zh_netlink_message(AUDIT_GET, 0, NULL, 0), zh_facts_audit_reply,
		    &walk, &err) < 0)
		zh_facts_refused(set, &err, "audit status", "audit");
}

static const struct zh_fact_schema schema[] = {
	{"audit.enabled", ZH_FACT_NUMBER, "", "1: auditing is on"},
	{"audit.failure", ZH_FACT_NUMBER, "", "when a record is lost: 0 nothing, 1 log, 2 panic"},
	{"audit.pid", ZH_FACT_NUMBER, "", "process that takes the records, 0: none"},
	{"audit.rate_limit", ZH_FACT_NUMBER, "1/s", "most records a second, 0: any number"},
	{"audit.backlog_limit", ZH_FACT_NUMBER, "count", "most records that may wait"},
	{"audit.lost", ZH_FACT_NUMBER, "count", "records lost"},
	{"audit.backlog", ZH_FACT_NUMBER, "count", "records that wait now"},
	{"audit.backlog_wait_time", ZH_FACT_NUMBER, "ticks",
		"longest sleep when the queue is full"},
	{"audit.backlog_wait_actual", ZH_FACT_NUMBER, "ticks", "time slept so far"},
	{"audit", ZH_FACT_UNAVAILABLE, "", "why the audit system could not be asked"},
	{NULL},
};

const struct zh_fact_group zh_fact_group_audit = {
	.id = "audit",
	.summary = "the audit system's queue",
	.schema = schema,
	.collect = collect,
};
