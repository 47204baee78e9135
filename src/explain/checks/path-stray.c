/* SPDX-License-Identifier: BSD-2-Clause */
#include "explain/checks/support.h"
#include "explain/path-facts.h"

static void judge(const struct zh_check *check, struct zh_explain *ex, size_t way, size_t n)
{
	const struct zh_record *r = ex->record;
	const char *dev = zh_path_text(r, "path.way.%zu.proof.stray.%zu.dev", way, n);
	uint64_t packets = zh_path_number(r, "path.way.%zu.proof.stray.%zu.packets", way, n);
	uint64_t sent = zh_path_number(r, "path.way.%zu.proof.sent", way);
	uint64_t answered = zh_path_number(r, "path.way.%zu.proof.answered", way);
	struct zh_finding *finding;
	char name[300], where[96];

	/* All that were taken away, and where they go from there, is path-diverted's. */
	if (!packets || !dev || zh_path_is_taken_away(r, way))
		return;
	zh_path_way_name(r, way, name, sizeof(name));
	zh_path_stray_place(r, way, n, where, sizeof(where));
	/* Copies beside packets that arrive (mirroring, flooding) harm nobody. */
	finding = zh_finding_add(ex, &check->rule,
		answered < sent ? ZH_SEVERITY_WARNING : ZH_SEVERITY_LOW, ZH_CONFIDENCE_MEDIUM,
		"%llu packets to %.80s were seen on %.40s (%.40s), which is not on the way",
		(unsigned long long)packets, name, dev, where);
	zh_finding_evidence(finding, "%llu sent, %llu answered", (unsigned long long)sent,
		(unsigned long long)answered);
}

static void run(const struct zh_check *check, struct zh_explain *ex)
{
	size_t n_ways = zh_path_n_ways(ex->record), way, n;

	for (way = 0; way < n_ways; way++)
		for (n = 0; n < zh_path_n_strays(ex->record, way); n++)
			judge(check, ex, way, n);
}

const struct zh_check zh_check_path_stray = {
	.rule =
		{
			.id = "path-stray",
			.code = "C2",
			.title = "Packets on a device that is not on the way",
			.summary = "Packets of the proof passed a device that neither routing nor "
				   "links explain.",
			.why = "A tc filter that mirrors or redirects, a BPF program, a bridge that "
			       "floods or a NAT rule can take packets to other devices than the "
			       "route names. Copies cost time and may be seen by others; packets "
			       "that are redirected do not arrive.",
			.evidence = "Packets of ours, known by their mark, counted on a device "
				    "that is not in the list of hops.",
			.verify = "The proof of `zerohop path` counts 0 on that device.",
			.cure = "Look at `tc filter show dev DEV ingress` and egress, NAT rules "
				"and bridge ports of the devices on the way.",
			.cost = "Whoever relied on the copies gets none.",
			.needs = ZH_LIST("path.way.*.proof.stray.*.dev",
				"path.way.*.proof.stray.*.packets",
				"path.way.*.proof.stray.*.place", "path.way.*.proof.sent",
				"path.way.*.proof.answered", "path.way.*.decision.dev",
				"path.way.*.proof.dev.*.*.requests"),
			.way = ZH_WAY_SHOWN | ZH_WAY_JUDGES,
		},
	.run = run,
};
