/* SPDX-License-Identifier: BSD-2-Clause */
#include "explain/checks/support.h"

#include <stdio.h>

static void report(const struct zh_check *check, struct zh_explain *ex, const char *left,
	uint64_t left_mtu, const char *right, uint64_t right_mtu, const char *relation)
{
	struct zh_finding *finding = zh_finding_add(ex, &check->rule, ZH_SEVERITY_LOW,
		ZH_CONFIDENCE_MEDIUM, "%s has MTU %llu but %s %s has %llu", left,
		(unsigned long long)left_mtu, relation, right, (unsigned long long)right_mtu);

	zh_finding_evidence(finding,
		"ip link: mtu %llu and %llu; larger packets towards the smaller one are dropped "
		"without ICMP",
		(unsigned long long)left_mtu, (unsigned long long)right_mtu);
	zh_check_add_loss(ex, finding);
}

/* A veth against its peer in this namespace, a bridge port against its bridge. */
static void judge_links(const struct zh_check *check, struct zh_explain *ex)
{
	const struct zh_fact_set *facts = zh_explain_facts(ex);
	const struct zh_fact *fact;
	size_t pos = 0;
	char dev[64];

	while ((fact = zh_fact_next(facts, "link.*.mtu", &pos))) {
		const char *peer, *bridge;
		uint64_t mtu = fact->number, other;

		if (fact->type != ZH_FACT_NUMBER)
			continue;
		snprintf(dev, sizeof(dev), "%.*s", (int)strcspn(fact->key + 5, "."), fact->key + 5);
		peer = zh_check_text(ex, "link.%s.link", dev);
		if (strcmp(zh_check_text(ex, "link.%s.kind", dev), "veth") == 0 && *peer &&
			strcmp(dev, peer) < 0 &&
			zh_explain_number(ex, &other, "link.%s.mtu", peer) && other != mtu)
			report(check, ex, dev, mtu, peer, other, "its peer");
		bridge = zh_check_text(ex, "brport.%s.bridge", dev);
		if (*bridge && zh_explain_number(ex, &other, "link.%s.mtu", bridge) && other > mtu)
			report(check, ex, dev, mtu, bridge, other, "its bridge");
	}
}

static void run(const struct zh_check *check, struct zh_explain *ex)
{
	static const struct zh_check_counter counters[] = {
		{"snmp.Ip.FragFails", "Ip FragFails", 1, 0, true},
		{"snmp.Ip.ReasmFails", "Ip ReasmFails", 1, 0, true},
		{"snmp6.Ip6InTooBigErrors", "Ip6 InTooBigErrors", 1, 0, true},
		{"snmp6.Ip6FragFails", "Ip6 FragFails", 1, 0, true},
		{"snmp6.Ip6ReasmFails", "Ip6 ReasmFails", 1, 0, true},
		{},
	};

	judge_links(check, ex);
	zh_check_counters(check, ex, counters, "Packets did not fit and could not be fragmented");
}

const struct zh_check zh_check_mtu_mismatch = {
	.rule =
		{
			.id = "mtu-mismatch",
			.code = "C25",
			.title = "MTUs of a virtual link differ",
			.summary = "Two ends of a veth, or a bridge and its port, have different "
				   "MTUs, or packets failed to be fragmented.",
			.why = "At layer 2 nobody sends \"packet too big\": a frame larger than the "
			       "receiving end's MTU is dropped. Small requests work, the first large "
			       "reply hangs.",
			.evidence =
				"IFLA_MTU of both ends where both are in this namespace; growth "
				"of Ip FragFails and ReasmFails and their IPv6 twins.",
			.verify = "A ping of the larger size with DF is answered.",
			.cure = "Set the same MTU on both ends (and on the bridge the smallest).",
			.cost = "None, or smaller packets.",
			.remedies = ZH_LIST("link-mtu"),
			.needs = ZH_LIST("link.*.mtu", "link.*.kind", "link.*.link",
				"brport.*.bridge", "snmp.Ip.*", "snmp6.*"),
			.way = ZH_WAY_SHOWN,
		},
	.run = run,
};
