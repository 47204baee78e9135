/* SPDX-License-Identifier: BSD-2-Clause */
#include "explain/claims.h"

static void run(const struct zh_cause *cause, struct zh_explain *ex)
{
	struct zh_claims claims;
	struct zh_finding *finding;

	finding = zh_cause_report(ex, cause, ZH_POLICY_SHARED, ZH_CONFIDENCE_HIGH, &claims);
	if (!finding)
		return;
	zh_claims_name_culprits(finding, &claims, "ran", 4);
}

const struct zh_cause zh_cause_interference = {
	.rule =
		{
			.id = "interference",
			.code = "L8",
			.title = "Interrupts",
			.summary = "Hard interrupts, NMIs or softirqs that have nothing to do "
				   "with the packet took its CPU.",
			.why = "Interrupts run before everything else. Devices, timers, calls "
			       "from other CPUs and their softirqs (timer, RCU, block, "
			       "scheduler) delay whatever the CPU was doing.",
			.evidence = "The interrupt handlers named here overlapped stages of "
				    "slow samples on the CPU the stage depends on; nested time is "
				    "counted once.",
			.verify = "The handlers named vanish from the timelines of slow samples.",
			.cure = "Bind the interrupt to another CPU, or keep the probe's CPU out "
				"of its mask.",
			.cost = "The other CPU takes the load.",
			.needs = (const char *const[]){"trace.recorder", NULL},
		},
	.run = run,
};
