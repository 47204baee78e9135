/* SPDX-License-Identifier: BSD-2-Clause */
#include "explain/checks/support.h"

#include <stdio.h>

static void run(const struct zh_check *check, struct zh_explain *ex)
{
	const struct zh_fact_set *facts = zh_explain_facts(ex);
	bool loss = zh_explain_lost(ex) && !zh_check_is_loopback(ex);
	const struct zh_fact *fact;
	struct zh_finding *finding;
	size_t pos = 0;
	char dev[64];

	while ((fact = zh_fact_next(facts, "link.*.kind", &pos))) {
		const char *parent;

		if (fact->type != ZH_FACT_STRING ||
			!zh_check_one_of(fact->text, ZH_LIST("macvlan", "ipvlan")))
			continue;
		snprintf(dev, sizeof(dev), "%.*s", (int)strcspn(fact->key + 5, "."), fact->key + 5);
		parent = zh_explain_text(ex, "link.%s.link", dev);
		/* On the host a macvlan beside its parent is the shim that cures this. */
		if (parent && !loss)
			continue;
		finding = zh_finding_add(ex, &check->rule,
			loss ? ZH_SEVERITY_LOW : ZH_SEVERITY_INFO, ZH_CONFIDENCE_LOW,
			"%s is a %s (mode %s): it cannot reach its parent device%s%s, by design",
			dev, fact->text, zh_check_text(ex, "link.%s.macvlan_mode", dev),
			parent ? " " : "", parent ? parent : "");
		zh_finding_evidence(finding, "IFLA_LINK of %s is %llu%s", dev,
			(unsigned long long)zh_check_number(ex, 0, "link.%s.link_ifindex", dev),
			parent ? "" : ", in another namespace");
		zh_check_add_loss(ex, finding);
	}
}

const struct zh_check zh_check_macvlan_parent = {
	.rule =
		{
			.id = "macvlan-parent",
			.code = "C25",
			.title = "macvlan and its parent do not talk",
			.summary =
				"A macvlan or ipvlan child and the host behind its parent device "
				"cannot reach each other.",
			.why = "The driver sends a child's frames to other children or to the wire, "
			       "never up to the parent's own stack, and the other way round. A third "
			       "host reaches both. Where the hypervisor filters MAC addresses, the "
			       "children's own addresses are dropped there.",
			.evidence = "The link's kind and parent; loss only between host and child. "
				    "In any mode but bridge, children do not reach each other "
				    "either.",
			.verify = "The host reaches the pod through its macvlan shim.",
			.cure = "A macvlan device on the host in the same subnet, with the pods' "
				"range routed to it.",
			.cost = "One more address and route on the host.",
			.remedies = ZH_LIST("macvlan-shim"),
			.needs = ZH_LIST("link.*.kind", "link.*.macvlan_mode", "link.*.link",
				"link.*.link_ifindex"),
			.way = ZH_WAY_SHOWN,
		},
	.run = run,
};
