/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Protocol counters of the network namespace: /proc/net/snmp, netstat and snmp6. All of them are
 * taken, since which one moves is what a check wants to know; two of them are not counters and may
 * be -1 (Tcp MaxConn), and a negative value is left out.
 */
#include <stdlib.h>
#include <string.h>

#include "base/util.h"
#include "facts/facts.h"
#include "facts/read.h"
#include "sys/root.h"

/* Pairs of lines: "Udp: InDatagrams NoPorts ..." and "Udp: 12 0 ...". */
static void pairs(struct zh_fact_set *set, const char *file, const char *group)
{
	zh_autofree char *text = NULL;
	char *cursor, *names, *values, *name, *value, part[ZH_FACTS_NAME_MAX];
	int64_t r = zh_sys_slurp(&text, "%s/%s", zh_facts_net(), file);
	uint64_t number;

	if (r < 0) {
		zh_facts_missing(set, (int)r, file, "%s", group);
		return;
	}
	cursor = text;
	while ((names = zh_facts_line(&cursor)) && (values = zh_facts_line(&cursor))) {
		const char *protocol = zh_facts_word(&names, ": ");

		zh_facts_word(&values, ": ");
		if (!protocol)
			continue;
		zh_facts_name(part, sizeof(part), protocol);
		while ((name = zh_facts_word(&names, " ")) && (value = zh_facts_word(&values, " ")))
			if (zh_facts_parse(value, 10, &number))
				zh_fact_number(set, number, "%s.%s.%s", group, part, name);
	}
}

/* One "name value" a line. */
static void flat(struct zh_fact_set *set)
{
	zh_autofree char *text = NULL;
	char *cursor, *line;
	int64_t r = zh_sys_slurp(&text, "%s/snmp6", zh_facts_net());
	uint64_t number;

	if (r < 0) {
		zh_facts_missing(set, (int)r, "snmp6", "snmp6");
		return;
	}
	for (cursor = text; (line = zh_facts_line(&cursor));) {
		const char *name = zh_facts_word(&line, " \t");
		const char *value = zh_facts_word(&line, " \t");

		if (name && zh_facts_parse(value, 10, &number))
			zh_fact_number(set, number, "snmp6.%s", name);
	}
}

static void collect(struct zh_fact_set *set)
{
	pairs(set, "snmp", "snmp");
	pairs(set, "netstat", "netstat");
	flat(set);
}

static const struct zh_fact_schema schema[] = {
	{"snmp.*.*", ZH_FACT_NUMBER, "count", "counter of IPv4, ICMP, TCP or UDP (RFC 1213 names)"},
	{"netstat.*.*", ZH_FACT_NUMBER, "count", "extended counter of TCP, IP or MPTCP"},
	{"snmp6.*", ZH_FACT_NUMBER, "count", "counter of IPv6, ICMPv6 or UDP over IPv6"},
	{"snmp", ZH_FACT_UNAVAILABLE, "", "why the counters could not be read"},
	{"netstat", ZH_FACT_UNAVAILABLE, "", "why the extended counters could not be read"},
	{"snmp6", ZH_FACT_UNAVAILABLE, "", "why the IPv6 counters could not be read"},
	{NULL},
};

const struct zh_fact_group zh_fact_group_snmp = {
	.id = "snmp",
	.summary = "protocol counters of the network namespace",
	.schema = schema,
	.collect = collect,
};
