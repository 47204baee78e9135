/* SPDX-License-Identifier: BSD-2-Clause */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/units.h"
#include "explain/claims.h"

static void name_groups(const struct zh_explain *ex, struct zh_finding *finding)
{
	static const char pattern[] = "cgroup.*.nr_throttled";
	const struct zh_fact *fact;
	size_t pos = 0;
	char path[200];

	while ((fact = zh_fact_next(zh_explain_facts(ex), pattern, &pos))) {
		uint64_t moved, quota, period;

		if (!zh_explain_delta(ex, &moved, "%s", fact->key) || !moved)
			continue;
		snprintf(path, sizeof(path), "%.*s",
			(int)(strlen(fact->key) - strlen(".nr_throttled")), fact->key);
		if (!zh_explain_number(ex, &quota, "%s.quota_ns", path) ||
			!zh_explain_number(ex, &period, "%s.period_ns", path))
			continue;
		zh_finding_evidence(finding,
			"%s was throttled %" PRIu64 " times: quota %s in each %s", path, moved,
			ZH_NS_TEXT(quota), ZH_NS_TEXT(period));
	}
}

static void run(const struct zh_cause *cause, struct zh_explain *ex)
{
	struct zh_claims claims;
	struct zh_finding *finding;

	finding = zh_cause_report(ex, cause, ZH_POLICY_FAULT, ZH_CONFIDENCE_HIGH, &claims);
	if (finding)
		name_groups(ex, finding);
}

const struct zh_cause zh_cause_cfs_throttle = {
	.rule =
		{
			.id = "cfs-throttle",
			.code = "L14",
			.title = "CPU quota (CFS throttling)",
			.summary = "A thread of the path was parked because its control group "
				   "had used up its CPU quota.",
			.why = "A CPU limit of Q in each period P parks all threads of the "
			       "group once they have used Q, until the next period: gaps of up "
			       "to P - Q, often tens of milliseconds, at low average load. The "
			       "kernel's run_delay counts this as waiting for a CPU, so most "
			       "tools blame the scheduler.",
			.evidence = "The thread was switched out while its group was over "
				    "quota, and switched in again at the next period. nr_throttled "
				    "of the group moved (it lags behind).",
			.verify = "nr_throttled stops moving; gaps of period minus quota vanish.",
			.cure = "Raise or remove the group's quota, allow bursts, or shorten "
				"the period.",
			.cost = "The group may take more CPU time from others.",
			.needs = (const char *const[]){"trace.packets", "trace.recorder",
				"cgroup.*.nr_throttled", NULL},
		},
	.run = run,
};
