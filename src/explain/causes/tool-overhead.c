/* SPDX-License-Identifier: BSD-2-Clause */
#include <inttypes.h>

#include "base/units.h"
#include "explain/claims.h"

/* An overhead below this share of the bare RTT, or below a microsecond, needs no line. */
#define SHARE_MIN 0.1
#define NS_MIN 1000

static void report_hooks(const struct zh_cause *cause, struct zh_explain *ex)
{
	uint64_t bare = ex->record->overhead_bare_p50_ns;
	uint64_t traced = ex->record->overhead_traced_p50_ns;
	struct zh_finding *finding;

	if (!bare || traced < bare + NS_MIN || (double)(traced - bare) < SHARE_MIN * (double)bare)
		return;
	finding = zh_finding_add(ex, &cause->rule, ZH_SEVERITY_INFO, ZH_CONFIDENCE_HIGH,
		"Tracing adds %s to a back-to-back round trip of %s", ZH_NS_TEXT(traced - bare),
		ZH_NS_TEXT(bare));
	zh_finding_evidence(finding, "median without tracing %s, with tracing %s", ZH_NS_TEXT(bare),
		ZH_NS_TEXT(traced));
}

static void run(const struct zh_cause *cause, struct zh_explain *ex)
{
	struct zh_claims claims;
	struct zh_finding *finding;

	report_hooks(cause, ex);
	finding = zh_cause_report(ex, cause, ZH_POLICY_HOST, ZH_CONFIDENCE_HIGH, &claims);
	zh_claims_name_culprits(finding, &claims, "ran", 2);
}

const struct zh_cause zh_cause_tool_overhead = {
	.rule =
		{
			.id = "tool-overhead",
			.code = "L23",
			.title = "Cost of measuring",
			.summary = "What zerohop itself adds to the round trips it shows.",
			.why = "Every hook on the path costs 50 to 150 ns a packet, and the "
			       "program's own threads need a CPU now and then.",
			.evidence = "Median of back-to-back probes with and without tracing; "
				    "CPU time of the program; threads named zerohop that ran while "
				    "a probe's thread waited, be they this run's or those of "
				    "another run at the same time, which a record cannot tell "
				    "apart.",
			.verify = "Run with tracing off and compare.",
			.cure = "Use fewer hooks (tracing off, or recorder only) where every "
				"100 ns count.",
			.cost = "Less can be explained.",
		},
	.run = run,
};
