/* SPDX-License-Identifier: BSD-2-Clause */
#include "explain/checks/support.h"

#include <stdio.h>

static void run(const struct zh_check *check, struct zh_explain *ex)
{
	const struct zh_fact_set *facts = zh_explain_facts(ex);
	const struct zh_fact *fact;
	struct zh_finding *finding;
	size_t pos = 0;
	char key[200];

	while ((fact = zh_fact_next(facts, "cgroup.*.quota_ns", &pos))) {
		uint64_t period, throttled = 0;
		const char *path;

		snprintf(key, sizeof(key), "%.*s", (int)strcspn(fact->key + 7, "."), fact->key + 7);
		period = zh_check_number(ex, 0, "cgroup.%s.period_ns", key);
		zh_explain_delta(ex, &throttled, "cgroup.%s.nr_throttled", key);
		if (fact->type != ZH_FACT_NUMBER || fact->number == 0 || period == 0 || throttled ||
			!zh_check_one_of(zh_check_text(ex, "cgroup.%s.relation", key),
				ZH_LIST("own", "ancestor")))
			continue;
		path = zh_check_text(ex, "cgroup.%s.path", key);
		finding = zh_finding_add(ex, &check->rule, ZH_SEVERITY_INFO, ZH_CONFIDENCE_HIGH,
			"This process may use %.2f CPUs (quota %.1f ms in %.1f ms, group %s)",
			(double)fact->number / (double)period, (double)fact->number / 1e6,
			(double)period / 1e6, *path ? path : key);
		zh_finding_evidence(finding, "nr_throttled of the group did not grow in %.1f s",
			zh_check_window_s(ex));
	}
}

const struct zh_check zh_check_cfs_quota = {
	.rule =
		{
			.id = "cfs-quota",
			.code = "C18",
			.title = "A CPU quota is in force",
			.summary =
				"The own control group, or one above it, has a CFS quota that was "
				"not exhausted in this run.",
			.why = "The quota did not bite while the probe ran, but a busier moment ends "
			       "in stalls of up to period minus quota.",
			.evidence =
				"cpu.max (v2) or cpu.cfs_quota_us (v1) of the own group and its "
				"ancestors; nr_throttled did not grow.",
			.verify = "`cat cpu.max` says max.",
			.cure = "Nothing to cure now; without the quota, or with a burst, such "
				"stalls cannot happen.",
			.cost = "The group can take more CPU time from others.",
			.remedies = ZH_LIST("cfs-quota", "cfs-burst"),
			.needs = ZH_LIST("cgroup.*.quota_ns", "cgroup.*.period_ns",
				"cgroup.*.nr_throttled", "cgroup.*.relation", "cgroup.*.path"),
		},
	.run = run,
};
