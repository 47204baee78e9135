/* SPDX-License-Identifier: BSD-2-Clause */
#include "explain/checks/qdisc-facts.h"

#include <stdio.h>

static const char *const local_kinds[] = {
	"loopback", "veth", "macvlan", "ipvlan", "bridge", "vxlan", NULL};

static void run(const struct zh_check *check, struct zh_explain *ex)
{
	const struct zh_fact_set *facts = zh_explain_facts(ex);
	const struct zh_fact *fact;
	struct zh_finding *finding;
	uint64_t drops;
	bool is_lo;
	size_t pos = 0;
	char dev[64];

	while ((fact = zh_fact_next(facts, "link.*.kind", &pos))) {
		snprintf(dev, sizeof(dev), "%.*s", (int)strcspn(fact->key + 5, "."), fact->key + 5);
		if (fact->type != ZH_FACT_STRING || !zh_check_one_of(fact->text, local_kinds))
			continue;
		drops = zh_qdisc_hook_drops(ex, dev);
		if (drops == 0)
			continue;
		/* On a pod's device a drop is as likely a network policy at work. */
		is_lo = strcmp(fact->text, "loopback") == 0;
		finding = zh_finding_add(ex, &check->rule,
			is_lo || zh_explain_lost(ex) ? ZH_SEVERITY_WARNING : ZH_SEVERITY_LOW,
			ZH_CONFIDENCE_HIGH, "tc filters of %s dropped %llu packets in %.1f s", dev,
			(unsigned long long)drops, zh_check_window_s(ex));
		zh_finding_evidence(finding, "tc -s qdisc dev %s clsact/ingress: dropped +%llu",
			dev, (unsigned long long)drops);
		zh_finding_evidence(finding,
			"%llu filters on %s, the first: %s %s; `ip -s link` counts none of this",
			(unsigned long long)zh_check_number(ex, 0, "filter.%s.count", dev), dev,
			zh_check_text(ex, "filter.%s.0.kind", dev),
			zh_check_text(ex, "filter.%s.0.bpf_name", dev));
		zh_check_add_loss(ex, finding);
	}
}

const struct zh_check zh_check_tc_filter_drops = {
	.rule =
		{
			.id = "tc-filter-drops",
			.code = "C12",
			.title = "A tc filter drops local packets",
			.summary = "The clsact or ingress hook of a local device drops packets.",
			.why = "A filter's action or a BPF program that returns TC_ACT_SHOT drops "
			       "before or behind the device. The device's own statistics do not "
			       "count it: on lo they stay 0.",
			.evidence =
				"Growth of the drops of the clsact or ingress qdisc. Programs "
				"attached by tcx have no such counter: only kfree_skb with reason "
				"TC_INGRESS or TC_EGRESS shows them.",
			.verify = "`tc -s qdisc show dev DEV clsact` stands still and the probe is "
				  "answered.",
			.cure = "Remove or mend the filter: `tc filter show dev DEV ingress` and "
				"`egress`.",
			.cost = "What the filter was for (policy, observation) ends.",
			.remedies = ZH_LIST("tc-filter"),
			.needs = ZH_LIST("qdisc.*.*.kind", "qdisc.*.*.drops_pkts", "link.*.kind",
				"filter.*.count", "filter.*.*.kind", "filter.*.*.bpf_name"),
			.way = ZH_WAY_SHOWN,
			.told_by = ZH_LIST("path-dropped"),
		},
	.run = run,
};
