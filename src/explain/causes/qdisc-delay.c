/* SPDX-License-Identifier: BSD-2-Clause */
#include <inttypes.h>
#include <stdio.h>

#include "base/units.h"
#include "explain/claims.h"

/* Shapers that moved while we measured. */
static void name_shapers(const struct zh_explain *ex, struct zh_finding *finding)
{
	static const char pattern[] = "qdisc.*.*.overlimits";
	const struct zh_fact *fact;
	size_t pos = 0;
	char dev[32], n[16];

	while ((fact = zh_fact_next(zh_explain_facts(ex), pattern, &pos))) {
		uint64_t overlimits = 0, rate = 0;
		const char *kind;

		zh_fact_part(dev, sizeof(dev), fact, pattern, 0);
		zh_fact_part(n, sizeof(n), fact, pattern, 1);
		kind = zh_explain_text(ex, "qdisc.%s.%s.kind", dev, n);
		if (!kind || !zh_explain_delta(ex, &overlimits, "%s", fact->key) || !overlimits)
			continue;
		if (zh_explain_number(ex, &rate, "qdisc.%s.%s.rate_bytes", dev, n))
			zh_finding_evidence(finding,
				"%s on %s limited %" PRIu64 " packets to %" PRIu64 " bytes/s", kind,
				dev, overlimits, rate);
		else
			zh_finding_evidence(
				finding, "%s on %s: %" PRIu64 " overlimits", kind, dev, overlimits);
	}
}

static void run(const struct zh_cause *cause, struct zh_explain *ex)
{
	struct zh_claims claims;
	struct zh_finding *finding;

	finding = zh_cause_report(ex, cause, ZH_POLICY_FAULT, ZH_CONFIDENCE_HIGH, &claims);
	if (finding)
		name_shapers(ex, finding);
}

const struct zh_cause zh_cause_qdisc_delay = {
	.rule =
		{
			.id = "qdisc-delay",
			.code = "L1",
			.title = "Queue discipline delay",
			.summary = "Packets waited in the queue discipline of a local device.",
			.why = "lo and veth have no queue discipline by default. A shaper such "
			       "as tbf or htb lets packets wait for tokens, and a shared queue "
			       "lets them wait behind others. Nothing is lost, so no drop "
			       "counter moves; only overlimits and backlog do.",
			.evidence = "Time between the packet's entry into the queue discipline "
				    "and its hand-over to the device. Overlimits that moved name "
				    "the shaper. Rule out that the packet bypassed an empty queue: "
				    "then this stage is about a microsecond.",
			.verify = "The qdisc stage falls to a few microseconds and overlimits "
				  "stop moving.",
			.cure = "Remove a leftover shaper from the local device, or raise its "
				"rate.",
			.cost = "What the shaper protected is no longer limited; never replace "
				"a root queue discipline under traffic without need.",
			.needs = (const char *const[]){"trace.packets", "trace.qdisc", NULL},
		},
	.run = run,
};
