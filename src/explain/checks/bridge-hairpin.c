/* SPDX-License-Identifier: BSD-2-Clause */
#include "explain/checks/support.h"

static void run(const struct zh_check *check, struct zh_explain *ex)
{
	const struct zh_fact_set *facts = zh_explain_facts(ex);
	const struct zh_fact *fact;
	struct zh_finding *finding;
	uint64_t off = 0;
	size_t pos = 0;

	while ((fact = zh_fact_next(facts, "brport.*.hairpin", &pos)))
		off += fact->type == ZH_FACT_NUMBER && fact->number == 0;
	/* Off is the default: only a probe through translation that got lost makes it suspect. */
	if (off == 0 || zh_explain_lost(ex) == 0 || zh_check_is_loopback(ex) ||
		zh_check_number(ex, 0, "sysctl.net/bridge/bridge-nf-call-iptables") == 0 ||
		(zh_check_number(ex, 0, "nft.ct") == 0 &&
			zh_check_number(ex, 0, "xtables.4.count") == 0))
		return;
	finding = zh_finding_add(ex, &check->rule, ZH_SEVERITY_LOW, ZH_CONFIDENCE_LOW,
		"%llu bridge port(s) do not send frames back where they came from (hairpin off)",
		(unsigned long long)off);
	zh_finding_evidence(
		finding, "brport/hairpin_mode is 0 on %llu ports", (unsigned long long)off);
	zh_check_add_loss(ex, finding);
}

const struct zh_check zh_check_bridge_hairpin = {
	.rule =
		{
			.id = "bridge-hairpin",
			.code = "C25",
			.title = "Bridge ports without hairpin",
			.summary =
				"A container that reaches itself through a translated address is "
				"cut off by its bridge port.",
			.why = "A bridge never sends a frame out of the port it came in by. A pod "
			       "that connects to its own service is translated back to itself: the "
			       "frame must return by the same port and is dropped unless hairpin "
			       "mode is on.",
			.evidence =
				"brport/hairpin_mode 0, br_netfilter with translation on, and "
				"lost probes to a non-loopback target. Off is the default and no "
				"fault by itself.",
			.verify = "The pod reaches itself through the service.",
			.cure = "`bridge link set dev PORT hairpin on` (hairpinMode of the bridge "
				"CNI plugin), or the bridge in promiscuous mode.",
			.cost = "Broadcasts come back to their sender: duplicate address detection "
				"of IPv6 can fail.",
			.remedies = ZH_LIST("bridge-hairpin"),
			.needs = ZH_LIST("brport.*.hairpin", "nft.ct", "xtables.*.count",
				"sysctl.net/bridge/bridge-nf-call-iptables"),
			.way = ZH_WAY_SHOWN,
		},
	.run = run,
};
