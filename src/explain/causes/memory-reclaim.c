/* SPDX-License-Identifier: BSD-2-Clause */
#include <inttypes.h>

#include "explain/claims.h"

static void run(const struct zh_cause *cause, struct zh_explain *ex)
{
	static const char *const counters[] = {
		"pgscan_direct", "allocstall_normal", "allocstall_movable", "compact_stall"};
	struct zh_claims claims;
	struct zh_finding *finding;
	uint64_t moved;
	size_t i;

	finding = zh_cause_report(ex, cause, ZH_POLICY_SHARED, ZH_CONFIDENCE_HIGH, &claims);
	if (!finding)
		return;
	for (i = 0; i < sizeof(counters) / sizeof(counters[0]); i++)
		if (zh_explain_delta(ex, &moved, "vmstat.%s", counters[i]) && moved)
			zh_finding_evidence(finding, "%s moved by %" PRIu64, counters[i], moved);
}

const struct zh_cause zh_cause_memory_reclaim = {
	.rule =
		{
			.id = "memory-reclaim",
			.code = "L16",
			.title = "Memory reclaim",
			.summary = "A thread of the path had to free or compact memory itself.",
			.why = "When free memory, or the control group's limit, runs out, the "
			       "thread that allocates next reclaims pages before it may go on. "
			       "On a path that allocates for each packet this is a delay of "
			       "tens of microseconds to many milliseconds.",
			.evidence = "Direct reclaim or compaction of the probe's thread inside "
				    "a stage.",
			.verify = "allocstall counters stop moving.",
			.cure = "Give the group or machine more memory, raise "
				"vm.min_free_kbytes, or set memory.high below the limit.",
			.cost = "Memory.",
			.needs = (const char *const[]){"trace.recorder", "vmstat.*", NULL},
		},
	.run = run,
};
