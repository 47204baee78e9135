/* SPDX-License-Identifier: BSD-2-Clause */
/* What the live counters say, as facts with names instead of numbers. */
#include <arpa/inet.h>
#include <inttypes.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/util.h"
#include "session/watch/internal.h"

#define DROPS_SHOWN 32
#define FLOWS_SHOWN 16
#define ROWS 4096

static const char *const vectors[ZH_LIVE_VECTORS] = {"hi", "timer", "net_tx", "net_rx", "block",
	"irq_poll", "tasklet", "sched", "hrtimer", "rcu"};

static void add_cpus(struct watch *w, struct zh_fact_set *out)
{
	struct zh_live_cpu *now = calloc(WATCH_CPUS, sizeof(*now));
	size_t n = now ? zh_live_cpus(w->live, now, WATCH_CPUS) : 0;

	for (size_t i = 0; i < n; i++) {
		const struct zh_live_cpu *then = &w->cpus[i];
		uint64_t total = 0;

		for (size_t v = 0; v < ZH_LIVE_VECTORS; v++) {
			uint64_t ns = now[i].softirq_ns[v] - then->softirq_ns[v];

			total += ns;
			zh_fact_number(out, ns, "watch.cpu.%zu.vector.%s_ns", i, vectors[v]);
		}
		zh_fact_number(out, total, "watch.cpu.%zu.softirq_ns", i);
		zh_fact_number(out, now[i].in_ksoftirqd_ns - then->in_ksoftirqd_ns,
			"watch.cpu.%zu.ksoftirqd_ns", i);
		zh_fact_number(out, now[i].softirq_longest_ns, "watch.cpu.%zu.longest_ns", i);
	}
	free(now);
}

/* Name of the device and of its namespace, as far as known. */
static void add_where(const struct watch *w, struct zh_fact_set *out, const char *prefix, size_t i,
	uint64_t inode, unsigned int ifindex)
{
	size_t netns = path_map_netns(&w->path->map, inode);
	const struct path_link *link =
		netns == SIZE_MAX ? NULL : path_map_link(&w->path->map, netns, ifindex);
	char place[200];

	if (link)
		zh_fact_string(out, link->name, "watch.%s.%zu.dev", prefix, i);
	if (netns == SIZE_MAX)
		return;
	watch_place_name(w, netns, place, sizeof(place));
	zh_fact_string(out, place, "watch.%s.%zu.place", prefix, i);
	zh_fact_number(out, netns == w->link->netns, "watch.%s.%zu.same_place", prefix, i);
	zh_fact_number(out,
		link && (link == w->link || link == w->peer ||
				(w->link->master && link->netns == w->link->netns &&
					link->ifindex == w->link->master)),
		"watch.%s.%zu.ours", prefix, i);
}

static int by_count(const void *a, const void *b)
{
	const struct zh_live_drop *x = a, *y = b;

	return x->count < y->count ? 1 : x->count > y->count ? -1 : 0;
}

static void add_drops(struct watch *w, struct zh_fact_set *out)
{
	struct zh_live_drop *rows = calloc(ROWS, sizeof(*rows));
	size_t n = rows ? zh_live_drops(w->live, rows, ROWS) : 0;
	char buf[64];

	if (n)
		qsort(rows, n, sizeof(*rows), by_count);
	for (size_t i = 0; i < n && i < DROPS_SHOWN; i++) {
		const char *reason = zh_live_reason(w->live, rows[i].reason, buf, sizeof(buf));
		const char *function = zh_live_function(w->live, rows[i].location);

		zh_fact_number(out, rows[i].count, "watch.drop.%zu.count", i);
		zh_fact_string(out, reason ? reason : "unknown", "watch.drop.%zu.reason", i);
		if (function)
			zh_fact_string(out, function, "watch.drop.%zu.function", i);
		add_where(w, out, "drop", i, rows[i].netns, rows[i].ifindex);
	}
	free(rows);
}

/* Who has that address: the namespace, told by its pod or process. */
static void add_owner(const struct watch *w, struct zh_fact_set *out, size_t i, const char *end,
	const struct zh_live_flow *flow, const uint8_t *ip)
{
	int family = flow->family == 4 ? AF_INET : AF_INET6;
	char place[200], text[INET6_ADDRSTRLEN] = "";
	struct in6_addr address;
	size_t netns;

	memcpy(&address, ip, sizeof(address));
	inet_ntop(family, ip, text, sizeof(text));
	zh_fact_string(out, text, "watch.flow.%zu.%s", i, end);
	netns = path_map_owner(&w->path->map, SIZE_MAX, family, &address);
	if (netns == SIZE_MAX)
		return;
	watch_place_name(w, netns, place, sizeof(place));
	zh_fact_string(out, place, "watch.flow.%zu.%s_place", i, end);
}

/* The same flow on the next device is the same packets again. */
static bool is_same_flow(const struct zh_live_flow *a, const struct zh_live_flow *b)
{
	return a->family == b->family && a->protocol == b->protocol &&
	       a->from_port == b->from_port && a->to_port == b->to_port &&
	       !memcmp(a->from, b->from, sizeof(a->from)) && !memcmp(a->to, b->to, sizeof(a->to));
}

/* Of each CPU: its packets, how many flows make them up, and the share of the largest. */
static void add_cpu_flows(
	struct zh_fact_set *out, unsigned int cpu, const struct zh_live_flow *rows, size_t n)
{
	struct zh_live_flow *distinct = calloc(ROWS, sizeof(*distinct));
	uint64_t total = 0, most = 0;
	size_t n_distinct = 0, k;

	for (size_t i = 0; distinct && i < n; i++) {
		if (rows[i].cpu != cpu)
			continue;
		for (k = 0; k < n_distinct && !is_same_flow(&distinct[k], &rows[i]); k++)
			;
		if (k == n_distinct)
			distinct[n_distinct++] = (struct zh_live_flow){.family = 0};
		if (!distinct[k].family) {
			distinct[k] = rows[i];
			distinct[k].packets = 0;
		}
		distinct[k].packets += rows[i].packets;
		total += rows[i].packets;
		most = ZH_MAX(most, distinct[k].packets);
	}
	free(distinct);
	if (!total)
		return;
	zh_fact_number(out, total, "watch.cpu.%u.flow_pkts", cpu);
	zh_fact_number(out, n_distinct, "watch.cpu.%u.flows", cpu);
	zh_fact_number(out, most * 1000 / total, "watch.cpu.%u.top_flow_permille", cpu);
}

/* The device of the place of the one under watch that brought most packets to that CPU. */
static void add_cpu_device(struct watch *w, struct zh_fact_set *out, unsigned int cpu,
	const struct zh_live_flow *rows, size_t n)
{
	const struct path_map *map = &w->path->map;
	const struct path_link *most = NULL;
	uint64_t most_packets = 0;

	for (size_t i = 0; i < map->n_links; i++) {
		const struct path_link *link = &map->links[i];
		uint64_t packets = 0;

		if (link->netns != w->link->netns)
			continue;
		for (size_t k = 0; k < n; k++)
			if (rows[k].cpu == cpu && rows[k].ifindex == link->ifindex &&
				rows[k].netns == map->netns[link->netns].inode)
				packets += rows[k].packets;
		if (packets <= most_packets)
			continue;
		most = link;
		most_packets = packets;
	}
	if (most)
		zh_fact_string(out, most->name, "watch.cpu.%u.dev", cpu);
}

static void add_flow(
	struct watch *w, struct zh_fact_set *out, size_t i, const struct zh_live_flow *row)
{
	zh_fact_number(out, row->cpu, "watch.flow.%zu.cpu", i);
	zh_fact_number(out, row->packets, "watch.flow.%zu.packets", i);
	zh_fact_number(out, row->protocol, "watch.flow.%zu.protocol", i);
	zh_fact_number(out, row->from_port, "watch.flow.%zu.from_port", i);
	zh_fact_number(out, row->to_port, "watch.flow.%zu.to_port", i);
	add_where(w, out, "flow", i, row->netns, row->ifindex);
	add_owner(w, out, i, "from", row, row->from);
	add_owner(w, out, i, "to", row, row->to);
}

/*
 * The largest, most first. Half of the places are for devices of the place of the one under watch:
 * many flows of a pod's end would else leave no row for the device that brought them.
 */
static void add_largest(
	struct watch *w, struct zh_fact_set *out, const struct zh_live_flow *rows, size_t n)
{
	size_t here = 0, other = 0;

	for (size_t i = 0; i < n; i++) {
		bool is_here = path_map_netns(&w->path->map, rows[i].netns) == w->link->netns;
		size_t *count = is_here ? &here : &other;

		if (*count < FLOWS_SHOWN / 2) {
			add_flow(w, out, here + other, &rows[i]);
			++*count;
		}
	}
}

static void add_flows(struct watch *w, struct zh_fact_set *out)
{
	struct zh_live_flow *rows = calloc(ROWS, sizeof(*rows));
	size_t n = rows ? zh_live_top_flows(w->live, rows, ROWS) : 0;
	uint64_t cpus[WATCH_CPUS / 64] = {};

	for (size_t i = 0; i < n; i++) {
		unsigned int cpu = rows[i].cpu;

		if (cpu < WATCH_CPUS && !(cpus[cpu / 64] >> cpu % 64 & 1)) {
			cpus[cpu / 64] |= 1ull << cpu % 64;
			add_cpu_flows(out, cpu, rows, n);
			add_cpu_device(w, out, cpu, rows, n);
		}
	}
	add_largest(w, out, rows, n);
	free(rows);
}

void watch_add_counted(struct watch *w, struct zh_fact_set *out)
{
	if (!w->live)
		return;
	if (zh_live_has(w->live, "softirq"))
		add_cpus(w, out);
	if (zh_live_has(w->live, "drops"))
		add_drops(w, out);
	if (zh_live_has(w->live, "flows"))
		add_flows(w, out);
	zh_fact_number(out, zh_live_lost(w->live), "watch.lost_rows");
}
