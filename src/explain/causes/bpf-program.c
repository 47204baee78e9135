/* SPDX-License-Identifier: BSD-2-Clause */
#include <inttypes.h>
#include <stdio.h>

#include "base/units.h"
#include "explain/claims.h"

/* The programs that ran while we measured, with their cost per run. */
static void name_programs(const struct zh_explain *ex, struct zh_finding *finding)
{
	static const char pattern[] = "bpf.prog.*.run_time_ns";
	const struct zh_fact *fact;
	size_t pos = 0;
	char id[16];

	while ((fact = zh_fact_next(zh_explain_facts(ex), pattern, &pos))) {
		const char *name, *type;
		uint64_t ns, runs;

		zh_fact_part(id, sizeof(id), fact, pattern, 0);
		if (!zh_explain_delta(ex, &ns, "%s", fact->key) ||
			!zh_explain_delta(ex, &runs, "bpf.prog.%s.run_cnt", id) || !runs || !ns)
			continue;
		name = zh_explain_text(ex, "bpf.prog.%s.name", id);
		type = zh_explain_text(ex, "bpf.prog.%s.type", id);
		zh_finding_evidence(finding, "program %s \"%s\" (%s): %" PRIu64 " runs, %s each",
			id, name ? name : "", type ? type : "?", runs, ZH_NS_TEXT(ns / runs));
	}
}

static void run(const struct zh_cause *cause, struct zh_explain *ex)
{
	struct zh_claims claims;
	struct zh_finding *finding;

	finding = zh_cause_report(ex, cause, ZH_POLICY_FAULT, ZH_CONFIDENCE_HIGH, &claims);
	if (finding)
		name_programs(ex, finding);
}

const struct zh_cause zh_cause_bpf_program = {
	.rule =
		{
			.id = "bpf-program",
			.code = "L3",
			.title = "BPF program on the path",
			.summary = "BPF programs of others (tc, XDP, cgroup) took a noticeable "
				   "part of the round trip.",
			.why = "A program at tc, XDP or a cgroup hook runs for every packet in "
			       "the sender's or the softirq's context. Its time is added to "
			       "every round trip, on loopback up to four times.",
			.evidence = "Run time that the kernel accounts to foreign programs "
				    "while the probe was on its way, bounded by the excess of the "
				    "stages they run in.",
			.verify = "Detach the program: the round trip falls by the run time "
				  "named here.",
			.cure = "Detach a leftover program, or make it return early for "
				"loopback.",
			.cost = "What the program did (policy, observation) stops.",
			.needs = (const char *const[]){"trace.packets", "bpf.prog.*.run_time_ns",
				NULL},
		},
	.run = run,
};
