/* SPDX-License-Identifier: BSD-2-Clause */
#include "explain/checks/support.h"

#include <stdio.h>

static void judge(const struct zh_check *check, struct zh_explain *ex, const char *key)
{
	uint64_t times = 0, ns = 0, periods = 0;
	uint64_t quota = zh_check_number(ex, 0, "cgroup.%s.quota_ns", key);
	uint64_t period = zh_check_number(ex, 0, "cgroup.%s.period_ns", key);
	const char *relation = zh_check_text(ex, "cgroup.%s.relation", key);
	const char *path = zh_check_text(ex, "cgroup.%s.path", key);
	struct zh_finding *finding;
	bool own;

	if (!zh_explain_delta(ex, &times, "cgroup.%s.nr_throttled", key) || times == 0)
		return;
	zh_explain_delta(ex, &ns, "cgroup.%s.throttled_ns", key);
	zh_explain_delta(ex, &periods, "cgroup.%s.nr_periods", key);
	own = zh_check_one_of(relation, ZH_LIST("own", "ancestor"));
	finding = zh_finding_add(ex, &check->rule, own ? ZH_SEVERITY_WARNING : ZH_SEVERITY_LOW,
		ZH_CONFIDENCE_HIGH,
		"Control group %s was throttled in %llu of %llu periods (%.0f ms in %.1f s)",
		*path ? path : key, (unsigned long long)times, (unsigned long long)periods,
		(double)ns / 1e6, zh_check_window_s(ex));
	zh_finding_evidence(finding,
		"cpu.stat of %s (%s): nr_throttled +%llu, throttled time +%.1f ms",
		*path ? path : key, own ? "this process runs in it" : "not ours",
		(unsigned long long)times, (double)ns / 1e6);
	if (quota && period)
		zh_finding_evidence(finding,
			"quota %.1f ms a period of %.1f ms: one thread stalls up to %.1f ms",
			(double)quota / 1e6, (double)period / 1e6,
			(double)(period > quota ? period - quota : 0) / 1e6);
}

static void run(const struct zh_check *check, struct zh_explain *ex)
{
	const struct zh_fact_set *facts = zh_explain_facts(ex);
	const struct zh_fact *fact;
	size_t pos = 0;
	char key[200];

	while ((fact = zh_fact_next(facts, "cgroup.*.nr_throttled", &pos))) {
		snprintf(key, sizeof(key), "%.*s", (int)strcspn(fact->key + 7, "."), fact->key + 7);
		judge(check, ex, key);
	}
}

const struct zh_check zh_check_cfs_throttled = {
	.rule =
		{
			.id = "cfs-throttled",
			.code = "C18",
			.title = "A CPU quota throttles",
			.summary =
				"The CFS bandwidth limit of a control group was exhausted in the "
				"window.",
			.why = "A group with quota Q and period P whose threads use Q early in the "
			       "period is taken off the CPU until the period ends, runnable or not: "
			       "a local request then waits up to P - Q (90 ms for 10 ms in 100 ms), "
			       "at a low average CPU use.",
			.evidence =
				"Growth of nr_throttled and throttled_usec (v2) or "
				"throttled_time (v1) of cpu.stat. Groups of others are noted "
				"only; the cause cfs-throttle ties a throttle to a slow sample. "
				"run_delay of schedstat includes throttled time.",
			.verify = "nr_throttled stands still; gaps of P - Q are gone.",
			.cure = "Raise or remove the quota, allow a burst (cpu.max.burst), or use a "
				"shorter period.",
			.cost = "The group can take more CPU time from others.",
			.remedies = ZH_LIST("cfs-quota", "cfs-burst", "cfs-period"),
			.needs = ZH_LIST("cgroup.*.nr_throttled", "cgroup.*.throttled_ns",
				"cgroup.*.nr_periods", "cgroup.*.quota_ns", "cgroup.*.period_ns",
				"cgroup.*.relation", "cgroup.*.path"),
		},
	.run = run,
};
