/* SPDX-License-Identifier: BSD-2-Clause */
#include "explain/checks/support.h"

static void judge_level(
	const struct zh_check *check, struct zh_explain *ex, const char *cache, const char *path)
{
	uint64_t entries = zh_check_number(ex, 0, "neigh.%s.entries", cache);
	uint64_t limit = zh_check_number(ex, 0, "sysctl.net/%s/neigh/default/gc_thresh3", path);
	struct zh_finding *finding;

	if (limit == 0 || entries * 10 < limit * 9)
		return;
	finding = zh_finding_add(ex, &check->rule, ZH_SEVERITY_LOW, ZH_CONFIDENCE_HIGH,
		"The neighbour table holds %llu of at most %llu entries",
		(unsigned long long)entries, (unsigned long long)limit);
	zh_finding_evidence(finding, "/proc/net/stat/%s entries %llu, gc_thresh3 %llu", cache,
		(unsigned long long)entries, (unsigned long long)limit);
}

static void run(const struct zh_check *check, struct zh_explain *ex)
{
	static const struct zh_check_counter counters[] = {
		{"neigh.*.table_fulls", "table_fulls", 1, 1, true},
		{"kmsg.neigh_overflow.count", "\"neighbor table overflow\" in the kernel log", 1, 1,
			true},
		{},
	};

	if (zh_check_counters(check, ex, counters, "The neighbour table is full"))
		return;
	judge_level(check, ex, "arp_cache", "ipv4");
	judge_level(check, ex, "ndisc_cache", "ipv6");
}

const struct zh_check zh_check_neigh_overflow = {
	.rule =
		{
			.id = "neigh-overflow",
			.code = "C25",
			.title = "Neighbour table overflow",
			.summary =
				"The ARP or ND table reached gc_thresh3: new neighbours cannot be "
				"resolved.",
			.why = "There is one table for all network namespaces of a machine. At "
			       "gc_thresh3 (1024) new entries fail with ENOBUFS, and entries younger "
			       "than 30 s are not reclaimed: one namespace with many neighbours "
			       "breaks all others.",
			.evidence = "Growth of table_fulls in /proc/net/stat/arp_cache and "
				    "ndisc_cache; entries against gc_thresh3; the kernel's "
				    "\"neighbor table overflow\".",
			.verify = "table_fulls stands still.",
			.cure = "Raise gc_thresh1-3 in the initial namespace.",
			.cost = "Some hundred bytes an entry.",
			.remedies = ZH_LIST("neigh-gc-thresh"),
			.needs = ZH_LIST("neigh.*.table_fulls", "neigh.*.entries",
				"sysctl.net/ipv4/neigh/default/gc_thresh3",
				"sysctl.net/ipv6/neigh/default/gc_thresh3", "kmsg.*.count"),
		},
	.run = run,
};
