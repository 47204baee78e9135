/* SPDX-License-Identifier: BSD-2-Clause */
#include "explain/checks/support.h"

#include <stdio.h>

static void run(const struct zh_check *check, struct zh_explain *ex)
{
	const struct zh_fact_set *facts = zh_explain_facts(ex);
	uint64_t failed = zh_check_number(ex, 0, "neigh.6.state.failed") +
			  zh_check_number(ex, 0, "neigh.6.state.incomplete");
	uint64_t unanswered = zh_check_delta(ex, "neigh.ndisc_cache.res_failed");
	const struct zh_fact *fact;
	struct zh_finding *finding;
	size_t pos = 0;
	char dev[64];

	if (failed == 0 || unanswered == 0)
		return;
	while ((fact = zh_fact_next(facts, "bridge.*.multicast_snooping", &pos))) {
		snprintf(dev, sizeof(dev), "%.*s", (int)strcspn(fact->key + 7, "."), fact->key + 7);
		if (fact->type != ZH_FACT_NUMBER || fact->number == 0 ||
			zh_check_number(ex, 1, "bridge.%s.multicast_querier", dev) != 0 ||
			zh_check_number(ex, 0, "bridge.%s.ports", dev) < 2)
			continue;
		finding = zh_finding_add(ex, &check->rule, ZH_SEVERITY_LOW, ZH_CONFIDENCE_LOW,
			"Bridge %s snoops multicast without a querier, and %llu IPv6 neighbours do "
			"not resolve",
			dev, (unsigned long long)failed);
		zh_finding_evidence(finding, "%s: multicast_snooping 1, multicast_querier 0", dev);
		zh_finding_evidence(finding, "ndisc_cache res_failed +%llu in %.1f s",
			(unsigned long long)unanswered, zh_check_window_s(ex));
	}
}

const struct zh_check zh_check_bridge_snooping = {
	.rule =
		{
			.id = "bridge-snooping",
			.code = "C25",
			.title = "Multicast snooping without a querier",
			.summary =
				"A bridge filters multicast by memberships that nobody asks for, "
				"and IPv6 neighbours do not resolve.",
			.why = "IPv6 finds neighbours by multicast. With snooping on and no querier "
			       "on the segment, memberships expire and neighbour solicitations are "
			       "no longer sent to the port: IPv6 works for minutes and then does "
			       "not.",
			.evidence = "The bridge's flags, and growth of res_failed of ndisc_cache. "
				    "Snooping without a querier is the default; only failing "
				    "neighbours make it suspect.",
			.verify = "Neighbours resolve with multicast_snooping 0.",
			.cure = "Turn on the bridge's querier, or snooping off.",
			.cost = "Without snooping multicast goes to every port.",
			.remedies = ZH_LIST("bridge-multicast-snooping"),
			.needs = ZH_LIST("bridge.*.multicast_snooping",
				"bridge.*.multicast_querier", "bridge.*.ports", "neigh.*.state.*",
				"neigh.ndisc_cache.res_failed"),
		},
	.run = run,
};
