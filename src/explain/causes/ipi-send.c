/* SPDX-License-Identifier: BSD-2-Clause */
#include "base/units.h"
#include "explain/claims.h"

static void run(const struct zh_cause *cause, struct zh_explain *ex)
{
	struct zh_claims claims;
	struct zh_finding *finding;

	if (!zh_claims_collect(ex, cause, &claims))
		return;
	finding = zh_claims_finding(ex, &claims, ZH_POLICY_IDLE, ZH_CONFIDENCE_HIGH,
		"Waking the thread on another CPU costs %s a round trip (median), %s at most",
		ZH_NS_TEXT(claims.median_ns), ZH_NS_TEXT(claims.max_ns));
	zh_finding_evidence(finding,
		"sched_waking to sched_wakeup with a remote target, summed over "
		"both legs, above 5 us");
}

const struct zh_cause zh_cause_ipi_send = {
	.rule =
		{
			.id = "ipi-send",
			.code = "L10",
			.title = "Wake-up interrupt to another CPU",
			.summary = "Waking a thread on another CPU took the waker's time.",
			.why = "To wake a thread on an idle CPU the kernel sends it an "
			       "inter-processor interrupt. In a virtual machine this leaves "
			       "the guest, 20 to 100 us, and a round trip between two CPUs "
			       "pays it twice. On one CPU it takes about a microsecond.",
			.evidence = "Time between sched_waking and sched_wakeup on the waker's "
				    "CPU while the target is another CPU.",
			.verify = "Put both ends on one CPU: the wake-up issue stage falls to a "
				  "few microseconds.",
			.cure = "Run both ends on one CPU, or keep the target CPU from halting "
				"(idle polling).",
			.cost = "One CPU for both serialises them; polling costs power or the "
				"host's CPU time.",
			.needs = (const char *const[]){"trace.packets", NULL},
		},
	.run = run,
};
