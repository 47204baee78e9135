/* SPDX-License-Identifier: BSD-2-Clause */
#include "explain/checks/support.h"

#define NOTABLE_SHARE 0.01
#define WARNING_SHARE 0.2

/* How often the groups this process is in met their memory limit. */
static uint64_t own_limit_hits(const struct zh_explain *ex)
{
	static const char *const counters[] = {
		"memory_events.high", "memory_events.max", "memory_failcnt"};
	const struct zh_fact_set *facts = zh_explain_facts(ex);
	const struct zh_fact *fact;
	uint64_t sum = 0, growth;
	size_t pos = 0, i;

	while ((fact = zh_fact_next(facts, "cgroup.*.relation", &pos))) {
		const char *key = fact->key + strlen("cgroup.");
		int len = (int)strcspn(key, ".");

		if (fact->type != ZH_FACT_STRING ||
			!zh_check_one_of(fact->text, ZH_LIST("own", "ancestor")))
			continue;
		for (i = 0; i < ZH_ARRAY_SIZE(counters); i++)
			if (zh_explain_delta(ex, &growth, "cgroup.%.*s.%s", len, key, counters[i]))
				sum += growth;
	}
	return sum;
}

static void run(const struct zh_check *check, struct zh_explain *ex)
{
	uint64_t stalled_ns = zh_check_delta(ex, "psi.memory.some.total_ns");
	uint64_t hits = own_limit_hits(ex);
	double seconds = zh_check_window_s(ex);
	double share = (double)stalled_ns / 1e9 / seconds;
	struct zh_finding *finding;

	if (share < NOTABLE_SHARE && hits == 0)
		return;
	finding = zh_finding_add(ex, &check->rule,
		share >= WARNING_SHARE ? ZH_SEVERITY_WARNING : ZH_SEVERITY_LOW,
		ZH_CONFIDENCE_MEDIUM,
		"Tasks waited for memory during %.1f %% of the run; the own groups met their limit "
		"%llu times",
		100 * ZH_MIN(share, 1.0), (unsigned long long)hits);
	zh_finding_evidence(finding, "/proc/pressure/memory some total +%.0f ms in %.1f s",
		(double)stalled_ns / 1e6, seconds);
	zh_finding_evidence(finding,
		"vmstat: pgscan_direct +%llu, compact_stall +%llu, pswpin +%llu, pgmajfault +%llu",
		(unsigned long long)zh_check_delta(ex, "vmstat.pgscan_direct"),
		(unsigned long long)zh_check_delta(ex, "vmstat.compact_stall"),
		(unsigned long long)zh_check_delta(ex, "vmstat.pswpin"),
		(unsigned long long)zh_check_delta(ex, "vmstat.pgmajfault"));
}

const struct zh_check zh_check_memory_pressure = {
	.rule =
		{
			.id = "memory-pressure",
			.code = "C17",
			.title = "Tasks stall for memory",
			.summary = "Reclaim, compaction or swap-in held tasks up in the window.",
			.why = "A task that allocates at its cgroup's limit, or on a machine without "
			       "free memory, reclaims or compacts pages itself before it goes on: "
			       "milliseconds in the middle of a send or receive. Page cache counts "
			       "towards a group's limit, so it can be full without a large program.",
			.evidence = "Growth of `some total` of /proc/pressure/memory; "
				    "pgscan_direct, compact_stall and pswpin of /proc/vmstat; "
				    "memory.events (v2) or memory.failcnt (v1) of the own groups.",
			.verify = "Pressure and direct scans stand still; no cause L16 in slow "
				  "samples.",
			.cure = "Raise the limit or free memory; vm.min_free_kbytes so that reclaim "
				"runs in the background; THP defrag to defer.",
			.cost = "Memory.",
			.remedies = ZH_LIST("thp", "min-free-kbytes"),
			.needs = ZH_LIST("psi.*.*.total_ns", "vmstat.*", "cgroup.*.relation",
				"cgroup.*.memory_events.*", "cgroup.*.memory_failcnt"),
		},
	.run = run,
};
