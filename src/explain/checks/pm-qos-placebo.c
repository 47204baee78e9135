/* SPDX-License-Identifier: BSD-2-Clause */
#include "explain/checks/support.h"

/* What the kernel reads back when nobody holds a limit (PM_QOS_LATENCY_ANY_NS in us). */
#define NO_LIMIT 2000000000ull

static void run(const struct zh_check *check, struct zh_explain *ex)
{
	uint64_t limit_us = zh_check_number(ex, NO_LIMIT, "cpuidle.dma_latency_us");
	struct zh_finding *finding;

	if (strcmp(zh_check_text(ex, "cpuidle.driver"), "none") != 0 || limit_us >= NO_LIMIT)
		return;
	finding = zh_finding_add(ex, &check->rule, ZH_SEVERITY_INFO, ZH_CONFIDENCE_HIGH,
		"A PM QoS limit of %llu us is held but has no effect: there is no cpuidle driver",
		(unsigned long long)limit_us);
	zh_finding_evidence(finding, "/dev/cpu_dma_latency reads %llu; cpuidle current_driver none",
		(unsigned long long)limit_us);
}

const struct zh_check zh_check_pm_qos_placebo = {
	.rule =
		{
			.id = "pm-qos-placebo",
			.code = "C21",
			.title = "PM QoS without an idle driver",
			.summary =
				"A program holds /dev/cpu_dma_latency, and nothing obeys it here.",
			.why = "PM QoS limits the choice of the cpuidle governor. Without a cpuidle "
			       "driver, as in most guests, the value is accepted and reads back, and "
			       "wake-up latency stays as it is. tuned's latency profiles report "
			       "success.",
			.evidence = "/dev/cpu_dma_latency below 2000000000 while current_driver is "
				    "none.",
			.verify = "Idle state usage changes with the limit; here there is none to "
				  "change.",
			.cure = "Drop it; see guest-idle for what does help.",
			.cost = "None.",
			.needs = ZH_LIST("cpuidle.dma_latency_us", "cpuidle.driver"),
		},
	.run = run,
};
