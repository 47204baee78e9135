/* SPDX-License-Identifier: BSD-2-Clause */
#include <inttypes.h>

#include "explain/claims.h"

static void run(const struct zh_cause *cause, struct zh_explain *ex)
{
	struct zh_claims claims;

	zh_cause_report(ex, cause, ZH_POLICY_HOST, ZH_CONFIDENCE_MEDIUM, &claims);
}

const struct zh_cause zh_cause_timer_lateness = {
	.rule =
		{
			.id = "timer-lateness",
			.code = "L20",
			.title = "Late timer",
			.summary = "The prober's own timer fired late, or its wake-up by the "
				   "timer took long.",
			.why = "A program that sleeps until a time depends on the timer "
			       "interrupt and on leaving idle. When these are late every "
			       "periodic program on that CPU is late. A tool that waits for "
			       "the last reply before it plans the next probe hides this.",
			.evidence = "The probe was sent later than planned although no other "
				    "task, interrupt or throttling held the CPU. No round trip "
				    "contains it.",
			.verify = "Lateness falls when the CPU is kept awake.",
			.cure = "As for idle exit; a real-time clock source and a smaller timer "
				"slack help programs of one's own.",
			.cost = "Power.",
			.needs = (const char *const[]){"trace.recorder", NULL},
		},
	.run = run,
};
