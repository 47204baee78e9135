/* SPDX-License-Identifier: BSD-2-Clause */
#include "explain/checks/support.h"

#define NOTABLE_SHARE 0.01
#define WARNING_SHARE 0.2

static uint64_t own_limit_hits(const struct zh_explain *ex)
{
	const char *own = zh_explain_text(ex, "cgroup.own");
	uint64_t high = 0, max = 0, failed = 0;
	char key[200];
	char *c;

	if (!own || strlen(own) >= sizeof(key))
		return 0;
	memcpy(key, own, strlen(own) + 1);
	for (c = key; *c; c++)
		if (*c == '.')
			*c = '/';
	zh_explain_delta(ex, &high, "cgroup.%s.memory_events.high", key);
	zh_explain_delta(ex, &max, "cgroup.%s.memory_events.max", key);
	zh_explain_delta(ex, &failed, "cgroup.%s.memory_failcnt", key);
	return high + max + failed;
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
		"Tasks waited for memory during %.1f %% of the run; the own group met its limit "
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
				    "memory.events (v2) or memory.failcnt (v1) of the own group.",
			.verify = "Pressure and direct scans stand still; no cause L16 in slow "
				  "samples.",
			.cure = "Raise the limit or free memory; vm.min_free_kbytes so that reclaim "
				"runs in the background; THP defrag to defer.",
			.cost = "Memory.",
			.remedies = ZH_LIST("thp", "min-free-kbytes"),
			.needs = ZH_LIST("psi.*.*.total_ns", "vmstat.*", "cgroup.own",
				"cgroup.*.memory_events.*", "cgroup.*.memory_failcnt"),
		},
	.run = run,
};
