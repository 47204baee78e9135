/* SPDX-License-Identifier: BSD-2-Clause */
#include "explain/checks/qdisc-facts.h"

#include <stdio.h>

static const char *const virtual_kinds[] = {
	"veth", "macvlan", "ipvlan", "bridge", "ifb", "dummy", "vxlan", NULL};
static const char *const shapers[] = {"tbf", "netem", "htb", "hfsc", "cbq", NULL};

static void judge(
	const struct zh_check *check, struct zh_explain *ex, const char *dev, const char *kind)
{
	struct zh_qdisc_facts root = zh_qdisc_root(ex, dev);
	bool warning = root.drops_pkts || strcmp(kind, "netem") == 0;
	struct zh_finding *finding;

	finding = zh_finding_add(ex, &check->rule, warning ? ZH_SEVERITY_WARNING : ZH_SEVERITY_LOW,
		ZH_CONFIDENCE_HIGH,
		"%s is shaped by %s: %llu packets over its limit and %llu dropped in %.1f s", dev,
		kind, (unsigned long long)root.overlimits, (unsigned long long)root.drops_pkts,
		zh_check_window_s(ex));
	zh_finding_evidence(finding, "tc -s qdisc dev %s: overlimits +%llu, dropped +%llu", dev,
		(unsigned long long)root.overlimits, (unsigned long long)root.drops_pkts);
	if (root.rate_bytes)
		zh_finding_evidence(finding, "rate %llu bytes/s, burst %.1f ms, limit %llu bytes",
			(unsigned long long)root.rate_bytes, (double)root.burst_ns / 1e6,
			(unsigned long long)root.limit_bytes);
	zh_check_add_loss(ex, finding);
}

static void run(const struct zh_check *check, struct zh_explain *ex)
{
	const struct zh_fact_set *facts = zh_explain_facts(ex);
	const struct zh_fact *fact;
	size_t pos = 0;
	char dev[64];

	while ((fact = zh_fact_next(facts, "qdisc.*.root", &pos))) {
		snprintf(dev, sizeof(dev), "%.*s", (int)strcspn(fact->key + 6, "."), fact->key + 6);
		if (fact->type == ZH_FACT_STRING && zh_check_one_of(fact->text, shapers) &&
			zh_check_one_of(zh_check_text(ex, "link.%s.kind", dev), virtual_kinds))
			judge(check, ex, dev, fact->text);
	}
}

const struct zh_check zh_check_virtual_link_qdisc = {
	.rule =
		{
			.id = "virtual-link-qdisc",
			.code = "C12",
			.title = "A virtual link is shaped",
			.summary = "A veth, bridge, macvlan or ifb device has a shaping qdisc.",
			.why = "A bandwidth limit on a pod (tbf on the host's veth and on an ifb) "
			       "with a large burst runs at full speed for a second and then queues "
			       "for the whole latency parameter. Users see stalls of tens of "
			       "milliseconds long before the average reaches the limit.",
			.evidence =
				"RTM_GETQDISC; growth of overlimits (packets delayed) and drops. "
				"A limit that is wanted is not a fault: the finding says what it "
				"costs.",
			.verify = "overlimits and drops stand still during the probe.",
			.cure = "Raise the limit, or lower the burst so that the queue is short.",
			.cost = "The pod may use more of the link.",
			.remedies = ZH_LIST("qdisc"),
			.needs = ZH_LIST("qdisc.*.root", "qdisc.*.*.kind", "qdisc.*.*.parent",
				"qdisc.*.*.drops_pkts", "qdisc.*.*.overlimits",
				"qdisc.*.*.rate_bytes", "qdisc.*.*.burst_ns",
				"qdisc.*.*.limit_bytes", "link.*.kind"),
			.way = ZH_WAY_SHOWN,
		},
	.run = run,
};
