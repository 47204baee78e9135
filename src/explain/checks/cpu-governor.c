/* SPDX-License-Identifier: BSD-2-Clause */
#include "explain/checks/support.h"

#define CAPPED_SHARE 0.7

/* Drivers whose "powersave" only names a range in which the hardware chooses. */
static const char *const hardware_drivers[] = {"intel_pstate", "amd-pstate-epp", NULL};

/* Why the policy delays: a sentence, or NULL. */
static const char *judge_policy(const struct zh_explain *ex, const char *policy)
{
	const char *governor = zh_check_text(ex, "cpufreq.%s.governor", policy);
	const char *driver = zh_check_text(ex, "cpufreq.%s.driver", policy);
	uint64_t max = zh_check_number(ex, 0, "cpufreq.%s.max_hz", policy);
	uint64_t hw_max = zh_check_number(ex, 0, "cpufreq.%s.hw_max_hz", policy);

	if (max && hw_max && (double)max < CAPPED_SHARE * (double)hw_max)
		return "the maximum is capped far below the hardware's";
	if (zh_check_one_of(driver, hardware_drivers))
		return NULL;
	if (strcmp(governor, "powersave") == 0)
		return "powersave keeps the minimum frequency";
	if (zh_check_one_of(governor, ZH_LIST("ondemand", "conservative")))
		return "the governor raises the frequency only after a sampling period";
	return NULL;
}

static void run(const struct zh_check *check, struct zh_explain *ex)
{
	const struct zh_fact_set *facts = zh_explain_facts(ex);
	const struct zh_fact *fact;
	struct zh_finding *finding = NULL;
	const char *why;
	size_t pos = 0;
	char policy[32];

	while ((fact = zh_fact_next(facts, "cpufreq.*.governor", &pos))) {
		zh_fact_part(policy, sizeof(policy), fact, "cpufreq.*.governor", 0);
		why = judge_policy(ex, policy);
		if (!why || fact->type != ZH_FACT_STRING)
			continue;
		if (!finding)
			finding = zh_finding_add(ex, &check->rule, ZH_SEVERITY_LOW,
				ZH_CONFIDENCE_LOW,
				"CPU frequency policy %s (%s): %s, now %.2f of %.2f GHz", policy,
				fact->text, why,
				(double)zh_check_number(ex, 0, "cpufreq.%s.cur_hz", policy) / 1e9,
				(double)zh_check_number(ex, 0, "cpufreq.%s.hw_max_hz", policy) /
					1e9);
		zh_finding_evidence(finding, "policy %s, CPUs %s: driver %s, governor %s, %s",
			policy, zh_check_text(ex, "cpufreq.%s.cpus", policy),
			zh_check_text(ex, "cpufreq.%s.driver", policy), fact->text, why);
	}
}

const struct zh_check zh_check_cpu_governor = {
	.rule =
		{
			.id = "cpu-governor",
			.code = "C21",
			.title = "CPU frequency starts low",
			.summary =
				"The frequency governor or a limit keeps CPUs slow when a packet "
				"arrives.",
			.why = "ondemand and conservative raise the frequency after tens of "
			       "milliseconds of load; a request that takes microseconds is handled "
			       "at the minimum, all of it several times slower. powersave of "
			       "acpi-cpufreq stays at the minimum; that of intel_pstate does not.",
			.evidence = "cpufreq policies: driver, governor, limits and the current "
				    "frequency. The spread is over all stages, not in one.",
			.verify =
				"scaling_cur_freq near the maximum while idle, and the median RTT "
				"of widely spaced probes falls.",
			.cure = "governor performance, or schedutil with a higher minimum.",
			.cost = "Power and heat.",
			.remedies = ZH_LIST("cpu-governor", "cpufreq-min"),
			.needs = ZH_LIST("cpufreq.*.governor", "cpufreq.*.driver",
				"cpufreq.*.max_hz", "cpufreq.*.hw_max_hz", "cpufreq.*.cur_hz",
				"cpufreq.*.cpus"),
		},
	.run = run,
};
