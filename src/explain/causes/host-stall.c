/* SPDX-License-Identifier: BSD-2-Clause */
#include <inttypes.h>
#include <stdio.h>

#include "base/units.h"
#include "explain/claims.h"

static uint64_t steal_ns(const struct zh_explain *ex)
{
	uint64_t ns = 0;

	if (!zh_explain_delta(ex, &ns, "cpu.all.time.steal_ns"))
		return 0;
	return ns;
}

static uint64_t all_silent_ns(const struct zh_explain *ex, const struct zh_cause *cause)
{
	const struct zh_attribution *a = ex->attribution;
	uint64_t ns = 0;
	size_t i, k;

	for (i = 0; i < a->n_slow; i++)
		for (k = 0; k < a->slow[i].n_pieces; k++)
			if (a->slow[i].pieces[k].cause == cause &&
				a->slow[i].pieces[k].activity == ZH_ACTIVITY_HOST)
				ns += a->slow[i].pieces[k].claimed_ns;
	return ns;
}

static void run(const struct zh_cause *cause, struct zh_explain *ex)
{
	struct zh_claims claims;
	struct zh_finding *finding;
	uint64_t silent, steal = steal_ns(ex);

	if (!zh_claims_collect(ex, cause, &claims))
		return;
	silent = all_silent_ns(ex, cause);
	finding = zh_claims_finding(ex, &claims, ZH_POLICY_HOST,
		steal    ? ZH_CONFIDENCE_HIGH
		: silent ? ZH_CONFIDENCE_MEDIUM
			 : ZH_CONFIDENCE_LOW,
		"The CPU was taken away for at most %s in %" PRIu64 " samples, %s at most in one",
		ZH_NS_TEXT(claims.ns), claims.samples, ZH_NS_TEXT(claims.max_ns));
	if (silent)
		zh_finding_evidence(finding,
			"%s with no event on any CPU although a timer tick was due on a busy one",
			ZH_NS_TEXT(silent));
	if (claims.ns > silent)
		zh_finding_evidence(finding,
			"at most %s in own work that took longer than usual with no event on "
			"its CPU",
			ZH_NS_TEXT(claims.ns - silent));
	if (steal)
		zh_finding_evidence(finding, "the hypervisor reports %s of steal time meanwhile",
			ZH_NS_TEXT(steal));
	else
		zh_finding_evidence(finding,
			"no steal time is reported, which proves nothing: many hosts do not");
}

const struct zh_cause zh_cause_host_stall = {
	.rule =
		{
			.id = "host-stall",
			.code = "L15",
			.title = "Host stall",
			.summary = "The machine, or the virtual CPU, stood still: no "
				   "instruction of the guest ran.",
			.why = "A hypervisor takes virtual CPUs away: for its own tick, for "
			       "other guests, for migration. Firmware (SMI) does the same to "
			       "real machines. Nothing inside can see it happen; a program "
			       "just finds that time has passed.",
			.evidence = "No event on any CPU although a timer tick was due on a "
				    "busy one; or straight-line work that took at least 30 us "
				    "longer than in the median without any event on its CPU. The "
				    "claim is an upper bound: code of one's own that ran longer "
				    "looks the same. Steal time that moved makes it surer; steal 0 "
				    "proves nothing.",
			.verify = "Two spinning threads on two CPUs see the same gaps at the "
				  "same time.",
			.cure = "Ask the host's owner: dedicated CPUs, less overcommit; nothing "
				"inside the guest helps.",
			.cost = "Dedicated CPUs cost money.",
			.needs = (const char *const[]){"trace.packets", "trace.recorder", NULL},
		},
	.run = run,
};
