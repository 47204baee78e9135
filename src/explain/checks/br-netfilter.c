/* SPDX-License-Identifier: BSD-2-Clause */
#include "explain/checks/support.h"

#include <stdio.h>

/* "inet filter FORWARD", the first base chain in forward with policy drop; NULL: none. */
static const char *find_forward_drop(const struct zh_explain *ex, char *buf, size_t size)
{
	const struct zh_fact_set *facts = zh_explain_facts(ex);
	const struct zh_fact *fact;
	size_t pos = 0;
	char n[32];

	while ((fact = zh_fact_next(facts, "nft.chain.*.hook", &pos))) {
		zh_fact_part(n, sizeof(n), fact, "nft.chain.*.hook", 0);
		if (fact->type != ZH_FACT_STRING || strcmp(fact->text, "forward") != 0 ||
			strcmp(zh_check_text(ex, "nft.chain.%s.policy", n), "drop") != 0)
			continue;
		snprintf(buf, size, "%s %s %s", zh_check_text(ex, "nft.chain.%s.family", n),
			zh_check_text(ex, "nft.chain.%s.table", n),
			zh_check_text(ex, "nft.chain.%s.name", n));
		return buf;
	}
	return NULL;
}

static size_t count_bridges(const struct zh_explain *ex)
{
	const struct zh_fact_set *facts = zh_explain_facts(ex);
	const struct zh_fact *fact;
	size_t pos = 0, n = 0;

	/* Only a bridge with two ports forwards frames between local endpoints. */
	while ((fact = zh_fact_next(facts, "bridge.*.ports", &pos)))
		n += fact->type == ZH_FACT_NUMBER && fact->number >= 2;
	return n;
}

static void run(const struct zh_check *check, struct zh_explain *ex)
{
	char buf[160];
	const char *chain = find_forward_drop(ex, buf, sizeof(buf));
	size_t bridges = count_bridges(ex);
	bool loss = zh_explain_lost(ex) && !zh_check_is_loopback(ex);
	struct zh_finding *finding;

	if (zh_check_number(ex, 0, "sysctl.net/bridge/bridge-nf-call-iptables") == 0 || !chain ||
		bridges == 0)
		return;
	finding = zh_finding_add(ex, &check->rule, loss ? ZH_SEVERITY_WARNING : ZH_SEVERITY_INFO,
		loss ? ZH_CONFIDENCE_MEDIUM : ZH_CONFIDENCE_LOW,
		"Frames inside %zu bridge(s) pass iptables, and forward chain %s has policy drop",
		bridges, chain);
	zh_finding_evidence(finding, "net.bridge.bridge-nf-call-iptables is 1");
	zh_finding_evidence(finding, "base chain %s: policy drop", chain);
	zh_check_add_loss(ex, finding);
}

const struct zh_check zh_check_br_netfilter = {
	.rule =
		{
			.id = "br-netfilter",
			.code = "C10",
			.title = "Bridged frames go through iptables",
			.summary = "br_netfilter hands frames between ports of one bridge to "
				   "iptables, where forward drops what is not allowed.",
			.why = "With bridge-nf-call-iptables=1 a frame that is only switched between "
			       "two ports passes PREROUTING, FORWARD and POSTROUTING of IP. Docker "
			       "loads the module and sets FORWARD to DROP: virtual machines and "
			       "other containers on a bridge of their own lose their traffic, "
			       "although MAC addresses are learnt.",
			.evidence =
				"The sysctl, a forward base chain with policy drop and a bridge "
				"with two ports or more. It is normal on a container host: only "
				"lost probes to a non-loopback target make it suspect.",
			.verify = "The probe across the bridge is answered; the drop counter of "
				  "FORWARD stands still.",
			.cure = "Accept the bridge's traffic in FORWARD (DOCKER-USER), or set "
				"bridge-nf-call-iptables=0 where nothing needs it.",
			.cost = "kube-proxy, Docker and most CNI plugins need it to be 1.",
			.remedies = ZH_LIST("bridge-nf-call"),
			.needs = ZH_LIST("sysctl.net/bridge/bridge-nf-call-iptables",
				"nft.chain.*.hook", "nft.chain.*.policy", "bridge.*.ports"),
			.way = ZH_WAY_SHOWN,
		},
	.run = run,
};
