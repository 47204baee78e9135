/* SPDX-License-Identifier: BSD-2-Clause */
#include "explain/checks/support.h"

static void run(const struct zh_check *check, struct zh_explain *ex)
{
	uint64_t count = zh_check_number(ex, 0, "conntrack.count");
	uint64_t max = zh_check_number(ex, 0, "conntrack.max");
	uint64_t drop = zh_check_delta(ex, "conntrack.stat.drop");
	uint64_t failed = zh_check_delta(ex, "conntrack.stat.insert_failed");
	uint64_t early = zh_check_delta(ex, "conntrack.stat.early_drop");
	uint64_t messages = zh_check_delta(ex, "kmsg.conntrack_full.count");
	double used = max ? (double)count / (double)max : 0;
	enum zh_severity severity = ZH_SEVERITY_WARNING;
	struct zh_finding *finding;

	/* A failed insertion counts as a drop too: only what is beyond it was "table full". */
	drop = drop > failed ? drop - failed : 0;
	if (drop == 0 && early == 0 && used < 0.95) {
		if (used < 0.8 && messages == 0)
			return;
		severity = ZH_SEVERITY_LOW;
	}
	if (drop && zh_explain_lost(ex))
		severity = ZH_SEVERITY_CRITICAL;
	finding = zh_finding_add(ex, &check->rule, severity, ZH_CONFIDENCE_HIGH,
		"The conntrack table holds %llu of %llu entries (%.0f %%), %llu packets dropped in "
		"%.1f s",
		(unsigned long long)count, (unsigned long long)max, 100 * used,
		(unsigned long long)drop, zh_check_window_s(ex));
	zh_finding_evidence(finding, "nf_conntrack_count %llu, nf_conntrack_max %llu, %llu buckets",
		(unsigned long long)count, (unsigned long long)max,
		(unsigned long long)zh_check_number(ex, 0, "conntrack.buckets"));
	zh_finding_evidence(finding,
		"/proc/net/stat/nf_conntrack: drop +%llu (insert_failed "
		"taken off), early_drop +%llu",
		(unsigned long long)drop, (unsigned long long)early);
	if (messages)
		zh_finding_evidence(finding,
			"kernel log (all namespaces): \"table full, dropping packet\" +%llu",
			(unsigned long long)messages);
	zh_check_add_loss(ex, finding);
}

const struct zh_check zh_check_conntrack_full = {
	.rule =
		{
			.id = "conntrack-full",
			.code = "C7",
			.title = "Connection tracking table full",
			.summary =
				"The conntrack table is at or near nf_conntrack_max, so new flows "
				"are dropped or evict others.",
			.why = "Any rule with a conntrack expression turns tracking on for the whole "
			       "namespace, lo included. Closed TCP flows stay for minutes, so a "
			       "local benchmark alone can fill the table; from then on the first "
			       "packet of every new flow is dropped, on loopback too.",
			.evidence =
				"nf_conntrack_count against nf_conntrack_max; growth of `drop` "
				"(beyond insert_failed) and `early_drop` in "
				"/proc/net/stat/nf_conntrack; the kernel's \"table full\" lines. "
				"The limit is global, the count is per namespace: another "
				"namespace can be the one that fills it.",
			.verify = "drop and early_drop stand still while new flows are opened.",
			.cure = "Leave lo untracked (`notrack` in raw priority), raise "
				"nf_conntrack_max and hashsize, shorten the timeouts of closed "
				"flows.",
			.cost = "About 300 bytes of memory an entry; untracked packets do not match "
				"`ct state established`, so accept lo before.",
			.remedies = ZH_LIST("conntrack-max", "conntrack-notrack-lo"),
			.needs = ZH_LIST("conntrack.count", "conntrack.max", "conntrack.buckets",
				"conntrack.stat.*", "kmsg.*.count"),
		},
	.run = run,
};
