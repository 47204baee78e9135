/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * How "localhost" and the host's own name resolve: how long it takes, and to which families. A name
 * that leaves the machine to be resolved makes local connections as slow as the network.
 */
#include <arpa/inet.h>
#include <stdio.h>
#include <string.h>

#include "base/util.h"
#include "facts/facts.h"
#include "facts/name-lookup.h"
#include "facts/read.h"
#include "sys/root.h"

#define TIMEOUT_NS (300 * ZH_NSEC_PER_MSEC)

static void add_addresses(
	struct zh_fact_set *set, const struct zh_name_lookup *lookup, const char *key)
{
	char all[512] = "", ip[INET6_ADDRSTRLEN];
	uint64_t v4 = 0, v6 = 0;
	size_t i;

	for (i = 0; i < lookup->n; i++) {
		int family = lookup->list[i].family;

		inet_ntop(family, &lookup->list[i].ip, ip, sizeof(ip));
		if (!i)
			zh_fact_string(set, ip, "names.%s.first", key);
		*(family == AF_INET6 ? &v6 : &v4) += 1;
		snprintf(all + strlen(all), sizeof(all) - strlen(all), "%s%s", all[0] ? " " : "",
			ip);
	}
	zh_fact_number(set, v4, "names.%s.ip4", key);
	zh_fact_number(set, v6, "names.%s.ip6", key);
	zh_fact_string(set, all, "names.%s.addrs", key);
}

static void add_name(struct zh_fact_set *set, const char *name, const char *key)
{
	struct zh_name_lookup lookup;

	zh_name_lookup(&lookup, name, 0, TIMEOUT_NS);
	zh_fact_number(set, lookup.took_ns, "names.%s.took_ns", key);
	if (lookup.error[0])
		zh_fact_string(set, lookup.error, "names.%s.error", key);
	if (lookup.is_answered)
		add_addresses(set, &lookup, key);
}

/* Which names /etc/hosts gives to loopback, and whether it knows the host's own. */
static void add_hosts(struct zh_fact_set *set, const char *hostname)
{
	zh_autofree char *text = NULL;
	char *cursor, *line, *ip, *name;
	uint64_t v4 = 0, v6 = 0, own = 0;
	int64_t r = zh_sys_slurp(&text, "/etc/hosts");

	if (r < 0) {
		zh_facts_missing(set, (int)r, "/etc/hosts", "names.hosts");
		return;
	}
	for (cursor = text; (line = zh_facts_line(&cursor));) {
		line[strcspn(line, "#")] = '\0';
		ip = zh_facts_word(&line, " \t");
		while (ip && (name = zh_facts_word(&line, " \t"))) {
			bool is_localhost = !strcmp(name, "localhost");

			v4 = v4 || (is_localhost && !strncmp(ip, "127.", 4));
			v6 = v6 || (is_localhost && !strcmp(ip, "::1"));
			own = own || !strcmp(name, hostname);
		}
	}
	zh_fact_number(set, v4, "names.hosts.localhost4");
	zh_fact_number(set, v6, "names.hosts.localhost6");
	zh_fact_number(set, own, "names.hosts.hostname");
}

/* A line of a file that starts with a word, without the word; values of several are joined. */
static void add_lines(struct zh_fact_set *set, const char *file, const char *word, const char *key)
{
	char text[8192], all[512] = "", *cursor = text, *line, *first;
	int r = zh_sys_read(text, sizeof(text), "%s", file);

	if (r < 0) {
		zh_facts_missing(set, r, file, "%s", key);
		return;
	}
	while ((line = zh_facts_line(&cursor))) {
		first = zh_facts_word(&line, " \t");
		if (!first || strcmp(first, word) || !line)
			continue;
		snprintf(all + strlen(all), sizeof(all) - strlen(all), "%s%s", all[0] ? " " : "",
			line + strspn(line, " \t"));
	}
	zh_fact_string(set, all, "%s", key);
}

static void collect(struct zh_fact_set *set)
{
	char hostname[256] = "";

	zh_sys_read(hostname, sizeof(hostname), "/proc/sys/kernel/hostname");
	add_hosts(set, hostname);
	add_lines(set, "/etc/nsswitch.conf", "hosts:", "names.nsswitch");
	add_lines(set, "/etc/resolv.conf", "nameserver", "names.nameservers");
	if (zh_sys_is_captured()) {
		zh_fact_unavailable(set, "captured root", "names.localhost.took_ns");
		zh_fact_unavailable(set, "captured root", "names.hostname.took_ns");
		return;
	}
	add_name(set, "localhost", "localhost");
	if (hostname[0])
		add_name(set, hostname, "hostname");
}

static const struct zh_fact_schema schema[] = {
	{"names.*.took_ns", ZH_FACT_NUMBER, "ns", "time to resolve localhost or the own name"},
	{"names.*.ip4", ZH_FACT_NUMBER, "count", "IPv4 addresses it resolves to"},
	{"names.*.ip6", ZH_FACT_NUMBER, "count", "IPv6 addresses it resolves to"},
	{"names.*.first", ZH_FACT_STRING, "", "address that programs try first"},
	{"names.*.addrs", ZH_FACT_STRING, "", "all of them"},
	{"names.*.error", ZH_FACT_STRING, "", "why it does not resolve"},
	{"names.hosts.localhost4", ZH_FACT_NUMBER, "", "1: /etc/hosts has localhost for IPv4"},
	{"names.hosts.localhost6", ZH_FACT_NUMBER, "", "1: /etc/hosts has localhost for IPv6"},
	{"names.hosts.hostname", ZH_FACT_NUMBER, "", "1: /etc/hosts has the host's own name"},
	{"names.hosts", ZH_FACT_UNAVAILABLE, "", "why /etc/hosts could not be read"},
	{"names.nsswitch", ZH_FACT_STRING, "", "where names are looked up, in order"},
	{"names.nameservers", ZH_FACT_STRING, "", "name servers"},
	{NULL},
};

const struct zh_fact_group zh_fact_group_names = {
	.id = "names",
	.summary = "how localhost and the own name resolve",
	.schema = schema,
	.collect = collect,
};
