/* SPDX-License-Identifier: BSD-2-Clause */
/* Legacy iptables, packets queued to user space (NFQUEUE), and IPVS. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/util.h"
#include "facts/facts.h"
#include "facts/read.h"
#include "sys/root.h"

/* The tables that have a legacy ruleset in this namespace, one a line. */
static void add_tables(struct zh_fact_set *set, const char *family, const char *file)
{
	char text[1024], *c;
	uint64_t n = 0;
	int r = zh_sys_read(text, sizeof(text), "%s/%s", zh_facts_net(), file);

	if (r < 0 && r != -ENOENT) {
		zh_facts_missing(set, r, file, "xtables.%s", family);
		return;
	}
	/* Without the file the kernel has no legacy iptables, or none was ever used. */
	if (r < 0)
		text[0] = '\0';
	for (c = text; *c; c++)
		if (*c == '\n')
			*c = ' ';
	for (c = text; *c; c += strcspn(c, " "))
		n += *(c += strspn(c, " ")) != '\0';
	zh_fact_number(set, n, "xtables.%s.count", family);
	zh_fact_string(set, text, "xtables.%s.tables", family);
}

/* queue number, port id, waiting, copy mode, copy range, dropped because full, dropped by the
 * receiver, last id, 1 */
static void add_queue(struct zh_fact_set *set, char *line)
{
	static const char *const names[] = {NULL, "portid", "depth_pkts", NULL, NULL,
		"dropped_pkts", "user_dropped_pkts", "seq"};
	uint64_t values[ZH_ARRAY_SIZE(names)];
	size_t n = 0, i;

	while (n < ZH_ARRAY_SIZE(names) &&
		zh_facts_parse(zh_facts_word(&line, " "), 10, &values[n]))
		n++;
	for (i = 1; i < n; i++)
		if (names[i])
			zh_fact_number(
				set, values[i], "nfqueue.%u.%s", (unsigned int)values[0], names[i]);
}

static void add_queues(struct zh_fact_set *set)
{
	zh_autofree char *text = NULL;
	char *cursor, *line;
	uint64_t n = 0;
	int64_t r = zh_sys_slurp(&text, "%s/netfilter/nfnetlink_queue", zh_facts_net());

	if (r < 0) {
		zh_facts_missing(set, (int)r, "netfilter/nfnetlink_queue", "nfqueue.count");
		return;
	}
	for (cursor = text; (line = zh_facts_line(&cursor)); n++)
		add_queue(set, line);
	zh_fact_number(set, n, "nfqueue.count");
}

static void collect(struct zh_fact_set *set)
{
	if (!zh_sys_exists("%s", zh_facts_net())) {
		zh_fact_unavailable(set, "no /proc/net", "xtables.4");
		zh_fact_unavailable(set, "no /proc/net", "xtables.6");
	} else {
		add_tables(set, "4", "ip_tables_names");
		add_tables(set, "6", "ip6_tables_names");
		zh_fact_number(set, zh_sys_exists("%s/ip_vs", zh_facts_net()), "ipvs.present");
	}
	add_queues(set);
}

static const struct zh_fact_schema schema[] = {
	{"xtables.*.count", ZH_FACT_NUMBER, "count", "legacy iptables tables in use"},
	{"xtables.*.tables", ZH_FACT_STRING, "", "their names"},
	{"xtables.*", ZH_FACT_UNAVAILABLE, "", "why the legacy tables could not be read"},
	{"nfqueue.count", ZH_FACT_NUMBER, "count", "queues to user space"},
	{"nfqueue.*.portid", ZH_FACT_NUMBER, "", "who reads the queue (a netlink port)"},
	{"nfqueue.*.depth_pkts", ZH_FACT_NUMBER, "pkts", "waiting now"},
	{"nfqueue.*.dropped_pkts", ZH_FACT_NUMBER, "pkts", "lost because the queue was full"},
	{"nfqueue.*.user_dropped_pkts", ZH_FACT_NUMBER, "pkts", "lost because nobody could read"},
	{"nfqueue.*.seq", ZH_FACT_NUMBER, "pkts", "queued so far"},
	{"ipvs.present", ZH_FACT_NUMBER, "", "1: the kernel's load balancer is there"},
	{NULL},
};

const struct zh_fact_group zh_fact_group_xtables = {
	.id = "xtables",
	.summary = "legacy iptables, NFQUEUE and IPVS",
	.schema = schema,
	.collect = collect,
};
