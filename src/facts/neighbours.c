/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Neighbours (ARP and IPv6): the tables' counters and the namespace's entries. The tables are the
 * host's, shared by all namespaces; when they overflow, everybody's packets are lost.
 */
#include <linux/neighbour.h>
#include <linux/rtnetlink.h>
#include <netinet/in.h>
#include <stdio.h>
#include <string.h>

#include "base/util.h"
#include "facts/facts.h"
#include "facts/neighbour-counts.h"
#include "facts/netlink-facts.h"
#include "facts/read.h"
#include "sys/netlink-attr.h"
#include "sys/root.h"

#define LISTED_MAX 256
#define SEEN_MAX 20000
#define COLUMNS_MAX 24

/* The first line names the columns; then a line for each CPU. "entries" is the same in each. */
static void add_table(struct zh_fact_set *set, const char *table)
{
	char text[16384], *cursor = text, *line, *word;
	const char *names[COLUMNS_MAX];
	uint64_t sums[COLUMNS_MAX] = {0}, value;
	int n = 0, i, r = zh_sys_read(text, sizeof(text), "%s/stat/%s", zh_facts_net(), table);

	/* The tables are the host's, and only its first namespace has the files. */
	if (r < 0)
		r = zh_sys_read(text, sizeof(text), "/proc/1/net/stat/%s", table);
	if (r < 0) {
		zh_facts_missing(set, r, table, "neigh.%s", table);
		return;
	}
	line = zh_facts_line(&cursor);
	while (n < COLUMNS_MAX && (word = zh_facts_word(&line, " ")))
		names[n++] = word;
	while ((line = zh_facts_line(&cursor)))
		for (i = 0; i < n && zh_facts_parse(zh_facts_word(&line, " "), 16, &value); i++)
			sums[i] = i ? sums[i] + value : value;
	for (i = 0; i < n; i++)
		zh_fact_number(set, sums[i], "neigh.%s.%s", table, names[i]);
}

static const struct {
	uint16_t state;
	const char *name;
} states[ZH_NEIGHBOUR_STATES] = {
	{NUD_INCOMPLETE, "incomplete"},
	{NUD_REACHABLE, "reachable"},
	{NUD_STALE, "stale"},
	{NUD_DELAY, "delay"},
	{NUD_PROBE, "probe"},
	{NUD_FAILED, "failed"},
	{NUD_NOARP, "noarp"},
	{NUD_PERMANENT, "permanent"},
};

static void list_entry(struct zh_facts_walk *walk, const struct ndmsg *header,
	const struct nlattr **attrs, const char *state)
{
	const uint8_t *mac = zh_attr_data(attrs[NDA_LLADDR]);
	char ip[INET6_ADDRSTRLEN], device[ZH_FACTS_NAME_MAX], text[32] = "";
	size_t n = walk->listed++;

	if (zh_attr_len(attrs[NDA_LLADDR]) == 6)
		snprintf(text, sizeof(text), "%02x:%02x:%02x:%02x:%02x:%02x", mac[0], mac[1],
			mac[2], mac[3], mac[4], mac[5]);
	zh_fact_string(walk->set, zh_attr_ip(attrs[NDA_DST], ip), "neigh.%zu.ip", n);
	zh_fact_string(walk->set, text, "neigh.%zu.lladdr", n);
	zh_fact_string(walk->set, zh_facts_device(device, (unsigned int)header->ndm_ifindex),
		"neigh.%zu.dev", n);
	zh_fact_string(walk->set, state, "neigh.%zu.state", n);
}

int zh_facts_neighbour_reply(void *arg, const struct nlmsghdr *reply)
{
	struct zh_facts_walk *walk = arg;
	struct zh_neighbour_counts *counts = walk->more;
	const struct ndmsg *header = zh_message_header(reply, sizeof(*header));
	const struct nlattr *attrs[NDA_MAX + 1];
	size_t i;

	if (!header || (header->ndm_family != AF_INET && header->ndm_family != AF_INET6))
		return 0;
	if (walk->n++ >= SEEN_MAX)
		return 1;
	zh_attrs_of(attrs, NDA_MAX, reply, sizeof(*header));
	for (i = 0; i < ZH_ARRAY_SIZE(states); i++) {
		if (!(header->ndm_state & states[i].state))
			continue;
		counts->of[header->ndm_family == AF_INET6][i]++;
		/* Entries without resolution (multicast, loopback) say nothing. */
		if (states[i].state != NUD_NOARP && walk->listed < LISTED_MAX)
			list_entry(walk, header, attrs, states[i].name);
		break;
	}
	return 0;
}

static void collect_entries(struct zh_fact_set *set)
{
	struct ndmsg all = {.ndm_family = AF_UNSPEC};
	struct zh_neighbour_counts counts = {.of = {{0}}};
	struct zh_facts_walk walk = {.set = set, .more = &counts};
	zh_autonetlink *nl = zh_facts_netlink(set, NETLINK_ROUTE, "neigh");
	struct zh_err err;
	size_t i;
	int r;

	if (!nl)
		return;
	r = zh_netlink_dump(
		nl, RTM_GETNEIGH, &all, sizeof(all), zh_facts_neighbour_reply, &walk, &err);
	if (r < 0) {
		zh_facts_refused(set, &err, "list of neighbours", "neigh");
		return;
	}
	for (i = 0; i < ZH_ARRAY_SIZE(states); i++) {
		zh_fact_number(set, counts.of[0][i], "neigh.4.state.%s", states[i].name);
		zh_fact_number(set, counts.of[1][i], "neigh.6.state.%s", states[i].name);
	}
	if (r == 2 || walk.listed == LISTED_MAX)
		zh_facts_truncated(set, "neighbours", walk.listed, walk.n, "neighbours");
}

static void collect(struct zh_fact_set *set)
{
	add_table(set, "arp_cache");
	add_table(set, "ndisc_cache");
	collect_entries(set);
}

static const struct zh_fact_schema schema[] = {
	{"neigh.*.ip", ZH_FACT_STRING, "", "address of a neighbour"},
	{"neigh.*.lladdr", ZH_FACT_STRING, "", "its hardware address, empty when unknown"},
	{"neigh.*.dev", ZH_FACT_STRING, "", "device by which it is reached"},
	{"neigh.*.state", ZH_FACT_STRING, "", "what is known of it: reachable, stale, failed, ..."},
	{"neigh.*.state.*", ZH_FACT_NUMBER, "count", "neighbours of a family in a state"},
	{"neigh.*.*", ZH_FACT_NUMBER, "count", "size or counter of the host's neighbour table"},
	{"neigh.*", ZH_FACT_UNAVAILABLE, "", "why the table's counters could not be read"},
	{"neigh", ZH_FACT_UNAVAILABLE, "", "why the neighbours could not be listed"},
	{NULL},
};

const struct zh_fact_group zh_fact_group_neighbours = {
	.id = "neighbours",
	.summary = "neighbour tables",
	.schema = schema,
	.collect = collect,
};
