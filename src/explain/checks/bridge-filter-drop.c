/* SPDX-License-Identifier: BSD-2-Clause */
#include "explain/checks/support.h"

#include <stdio.h>

#define WARNING_PKTS 10
#define CHAINS_SHOWN 4

/* Packets of the device, or of its bridge and ports in the same place, that a filter dropped. */
static uint64_t count_dropped(const struct zh_explain *ex, int *ret_first)
{
	uint64_t total = 0, count;

	*ret_first = -1;
	for (int i = 0; zh_explain_number(ex, &count, "watch.drop.%d.count", i); i++) {
		const char *dev = zh_check_text(ex, "watch.drop.%d.dev", i);

		if (strcmp(zh_check_text(ex, "watch.drop.%d.reason", i), "NETFILTER_DROP") ||
			!zh_check_number(ex, 0, "watch.drop.%d.same_place", i) ||
			(!zh_check_number(ex, 0, "watch.drop.%d.ours", i) &&
				!*zh_check_text(ex, "brport.%s.bridge", dev)))
			continue;
		if (*ret_first < 0)
			*ret_first = i;
		total += count;
	}
	return total;
}

/* A bridged frame meets the chains of the bridge family, and with br_netfilter those of IP. */
static bool meets_frames(const struct zh_explain *ex, const char *family, const char *hook)
{
	bool ip = zh_check_number(ex, 0, "sysctl.net/bridge/bridge-nf-call-iptables") ||
		  zh_check_number(ex, 0, "sysctl.net/bridge/bridge-nf-call-ip6tables");

	if (!strcmp(family, "bridge"))
		return true;
	return ip && (!strcmp(family, "ip") || !strcmp(family, "ip6") || !strcmp(family, "inet")) &&
	       (!strcmp(hook, "forward") || !strcmp(hook, "prerouting") ||
		       !strcmp(hook, "postrouting"));
}

struct chain {
	char name[96]; /* "bridge filter forward" */
	char why[64];
	int rank; /* 3: a drop rule counted, 2: its policy is drop, 1: it has rules */
};

/* Packets that counted drop rules of the chain's table took in the window. */
static uint64_t counted_drops(const struct zh_explain *ex, const char *family, const char *table)
{
	static const char pattern[] = "nft.counter.*.pkts";
	const struct zh_fact_set *facts = zh_explain_facts(ex);
	uint64_t total = 0, growth;
	const struct zh_fact *fact;
	char prefix[96], rule[160];
	size_t pos = 0;

	snprintf(prefix, sizeof(prefix), "%s:%s:", family, table);
	while ((fact = zh_fact_next(facts, pattern, &pos))) {
		zh_fact_part(rule, sizeof(rule), fact, pattern, 0);
		if (!strncmp(rule, prefix, strlen(prefix)) &&
			!strcmp(zh_check_text(ex, "nft.counter.%s.verdict", rule), "drop") &&
			zh_explain_delta(ex, &growth, "%s", fact->key))
			total += growth;
	}
	return total;
}

static bool judge_chain(const struct zh_explain *ex, int i, struct chain *ret)
{
	const char *family = zh_check_text(ex, "nft.chain.%d.family", i);
	const char *table = zh_check_text(ex, "nft.chain.%d.table", i);
	uint64_t drops;

	if (!meets_frames(ex, family, zh_check_text(ex, "nft.chain.%d.hook", i)))
		return false;
	*ret = (struct chain){};
	snprintf(ret->name, sizeof(ret->name), "%.12s %.40s %.40s", family, table,
		zh_check_text(ex, "nft.chain.%d.name", i));
	drops = counted_drops(ex, family, table);
	if (drops) {
		ret->rank = 3;
		snprintf(ret->why, sizeof(ret->why), "its drop rules counted %llu packets",
			(unsigned long long)drops);
	} else if (!strcmp(zh_check_text(ex, "nft.chain.%d.policy", i), "drop")) {
		ret->rank = 2;
		snprintf(ret->why, sizeof(ret->why), "its policy is drop");
	} else if (zh_check_number(ex, 0, "nft.chain.%d.reach_rules", i)) {
		ret->rank = 1;
		snprintf(ret->why, sizeof(ret->why), "it has rules, without counters");
	}
	return ret->rank > 0;
}

/* The chain that most likely did it; all that could are evidence. */
static bool find_chain(const struct zh_explain *ex, struct chain *ret)
{
	struct chain chain;

	*ret = (struct chain){};
	for (int i = 0; *zh_check_text(ex, "nft.chain.%d.family", i); i++)
		if (judge_chain(ex, i, &chain) && chain.rank > ret->rank)
			*ret = chain;
	return ret->rank > 0;
}

static void add_chains(const struct zh_explain *ex, struct zh_finding *finding)
{
	struct chain chain;
	int shown = 0;

	for (int i = 0; *zh_check_text(ex, "nft.chain.%d.family", i); i++)
		if (judge_chain(ex, i, &chain) && shown++ < CHAINS_SHOWN)
			zh_finding_evidence(finding, "chain %s (%s): %s", chain.name,
				zh_check_text(ex, "nft.chain.%d.hook", i), chain.why);
	if (shown)
		return;
	zh_finding_evidence(finding, "%llu functions at the bridge's forward hook, the first %s",
		(unsigned long long)zh_check_number(ex, 0, "nfhook.bridge.forward.count"),
		zh_check_text(ex, "nfhook.bridge.forward.0.function"));
}

static void run(const struct zh_check *check, struct zh_explain *ex)
{
	const char *dev = zh_check_text(ex, "watch.dev");
	const char *bridge = zh_check_text(ex, "brport.%s.bridge", dev);
	struct zh_finding *finding;
	struct chain chain;
	uint64_t dropped;
	int first;

	if (!*bridge && !strcmp(zh_check_text(ex, "link.%s.kind", dev), "bridge"))
		bridge = dev;
	dropped = *dev && *bridge ? count_dropped(ex, &first) : 0;
	if (!dropped)
		return;
	find_chain(ex, &chain);
	finding = zh_finding_add(ex, &check->rule,
		dropped >= WARNING_PKTS ? ZH_SEVERITY_CRITICAL : ZH_SEVERITY_LOW,
		chain.rank ? ZH_CONFIDENCE_HIGH : ZH_CONFIDENCE_MEDIUM,
		"A filter on bridge %.20s drops packets of %.20s: %.0f/s%s%.96s", bridge, dev,
		(double)dropped / zh_check_window_s(ex), chain.rank ? ", in chain " : "",
		chain.name);
	if (!finding)
		return;
	finding->weight = ZH_WEIGHT_DEVICE;
	zh_finding_evidence(finding, "NETFILTER_DROP of %llu packets, most of %s, by %s",
		(unsigned long long)dropped, zh_check_text(ex, "watch.drop.%d.dev", first),
		zh_check_text(ex, "watch.drop.%d.function", first));
	add_chains(ex, finding);
	if (zh_check_number(ex, 0, "sysctl.net/bridge/bridge-nf-call-iptables"))
		zh_finding_evidence(
			finding, "bridge-nf-call-iptables is 1: bridged frames pass the IP chains");
	zh_finding_evidence(finding, "no counter of a device moves for it");
}

const struct zh_check zh_check_bridge_filter_drop = {
	.rule =
		{
			.id = "bridge-filter-drop",
			.code = "C10",
			.title = "A filter drops bridged packets",
			.summary =
				"Packets between ports of the bridge that the device under watch "
				"belongs to are dropped by netfilter.",
			.why = "A frame that is only switched still passes the bridge family's chains "
			       "(nft bridge tables, ebtables), and with br_netfilter those of IP, "
			       "where Docker sets FORWARD to drop. MAC addresses are learnt, ARP "
			       "often passes, and no device counts the loss.",
			.evidence =
				"Drops with reason NETFILTER_DROP at the device, another port or "
				"the bridge itself, and the chains that a bridged frame meets: a "
				"drop rule that counted, a policy of drop, or rules at all.",
			.verify = "The drops end, and the chain's counters stand still.",
			.cure = "Accept the traffic in the chain named; for an IP chain accept "
				"bridged frames there (DOCKER-USER), or set "
				"net.bridge.bridge-nf-call-iptables=0 where nothing needs it.",
			.cost = "What the filter was to keep out passes as well. kube-proxy, Docker "
				"and most CNI plugins need bridge-nf-call-iptables to be 1.",
			.remedies = ZH_LIST("bridge-nf-call"),
			.needs = ZH_LIST("watch.drop.*.reason", "watch.drop.*.same_place",
				"watch.drop.*.ours", "watch.drop.*.dev", "watch.drop.*.function",
				"brport.*.bridge", "nft.chain.*.policy", "nft.chain.*.hook",
				"nft.chain.*.reach_rules", "nft.counter.*.pkts",
				"nft.counter.*.verdict", "nfhook.bridge.forward.count",
				"sysctl.net/bridge/bridge-nf-call-iptables", "watch.dev"),
		},
	.run = run,
};
