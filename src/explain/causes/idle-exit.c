/* SPDX-License-Identifier: BSD-2-Clause */
#include <inttypes.h>

#include "base/units.h"
#include "explain/claims.h"

/* How idle exit grows with the gap: figures of two phases of the same path. */
static void compare_gaps(const struct zh_explain *ex, struct zh_finding *finding)
{
	const struct zh_record *r = ex->record;
	const struct zh_phase *fast = NULL, *slow = NULL;
	uint64_t fast_p50 = 0, slow_p50 = 0;
	size_t i;

	for (i = 0; i < r->n_phases; i++) {
		const struct zh_phase *phase = &r->phases[i];

		if (!ex->main_phase[i] || !ex->out->phase_rtt[i].count)
			continue;
		if (!fast || phase->gap_ns < fast->gap_ns) {
			fast = phase;
			fast_p50 = ex->out->phase_rtt[i].p50_ns;
		}
		if (!slow || phase->gap_ns > slow->gap_ns) {
			slow = phase;
			slow_p50 = ex->out->phase_rtt[i].p50_ns;
		}
	}
	if (!fast || fast->gap_ns == slow->gap_ns)
		return;
	zh_finding_evidence(finding, "median RTT %s with a probe each %s, %s each %s",
		ZH_NS_TEXT(fast_p50), ZH_NS_TEXT(fast->gap_ns), ZH_NS_TEXT(slow_p50),
		ZH_NS_TEXT(slow->gap_ns));
}

static void run(const struct zh_cause *cause, struct zh_explain *ex)
{
	struct zh_claims claims;
	struct zh_finding *finding;
	const char *driver;
	uint64_t exit_ns;

	if (!zh_claims_collect(ex, cause, &claims))
		return;
	finding = zh_claims_finding(ex, &claims, ZH_POLICY_IDLE, ZH_CONFIDENCE_HIGH,
		"Idle CPUs took %s to wake up (median of %" PRIu64 " samples), %s at most",
		ZH_NS_TEXT(claims.median_ns), claims.samples, ZH_NS_TEXT(claims.max_ns));
	zh_finding_evidence(finding, "%" PRIu64 " samples lost a millisecond or more to it",
		claims.big_samples);
	compare_gaps(ex, finding);
	driver = zh_explain_text(ex, "cpuidle.driver");
	if (driver && zh_explain_number(ex, &exit_ns, "cpuidle.deepest_exit_ns"))
		zh_finding_evidence(finding, "idle driver %s, deepest enabled state leaves in %s",
			driver, ZH_NS_TEXT(exit_ns));
	else if (driver)
		zh_finding_evidence(finding,
			"idle driver %s: an idle CPU halts, and in a virtual "
			"machine the host must schedule it again",
			driver);
	if (claims.unmeasured_ns * 2 > claims.ns && finding)
		finding->confidence = ZH_CONFIDENCE_MEDIUM;
}

const struct zh_cause zh_cause_idle_exit = {
	.rule =
		{
			.id = "idle-exit",
			.code = "L11",
			.title = "Idle exit",
			.summary = "The CPU that had to run the receiver was idle and took time "
				   "to wake up.",
			.why = "An idle CPU sleeps: the deeper the state, the longer the way "
			       "back, from 1 us to more than 1 ms for package states. A halted "
			       "virtual CPU must first be scheduled by its host. The longer "
			       "the gap between packets, the deeper the sleep: idle does not "
			       "mean ready. The sign of deep states is many spikes of 10 ms "
			       "and more at a slow pace, and none under load.",
			.evidence = "Time from the wake-up until the target CPU reports the end "
				    "of idle, above its cost in the phase with the shortest gap. "
				    "Rule out interrupts and a silent host, which are subtracted "
				    "first.",
			.verify = "Keep the CPU awake (a spinning task of the idle class, or a "
				  "latency limit): the stage falls to a few microseconds.",
			.cure = "Limit idle states (/dev/cpu_dma_latency or cpuidle state "
				"disable) on the CPUs that matter; in a guest keep the virtual "
				"CPU from halting (idle polling), or ask the host's owner.",
			.cost = "Power and heat; in a guest the host's CPU time.",
			.needs = (const char *const[]){"trace.packets", "trace.recorder",
				"cpuidle.driver", NULL},
		},
	.run = run,
};
