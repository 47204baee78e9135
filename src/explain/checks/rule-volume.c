/* SPDX-License-Identifier: BSD-2-Clause */
#include "explain/checks/support.h"

#define MANY_RULES 1000
#define VERY_MANY_RULES 5000
#define SLOWER_RATIO 1.5
#define SLOWER_NS (10 * ZH_NSEC_PER_USEC)

static uint64_t count_rules(const struct zh_explain *ex)
{
	static const char *const hooks[] = {"output", "postrouting", "prerouting", "input"};
	uint64_t sum = 0;
	size_t i;

	for (i = 0; i < ZH_ARRAY_SIZE(hooks); i++)
		sum += zh_check_number(ex, 0, "nft.hook.%s.rules", hooks[i]);
	return sum;
}

static void run(const struct zh_check *check, struct zh_explain *ex)
{
	uint64_t rules = count_rules(ex);
	enum zh_severity severity = ZH_SEVERITY_INFO;
	const struct zh_rtt *real, *clean;
	struct zh_finding *finding;
	bool compared, slower = false;

	if (rules < MANY_RULES)
		return;
	compared = zh_check_get_clean_room(ex, &real, &clean);
	if (compared)
		slower = real->p50_ns > clean->p50_ns + SLOWER_NS &&
			 (double)real->p50_ns > SLOWER_RATIO * (double)clean->p50_ns;
	if (slower)
		severity = ZH_SEVERITY_WARNING;
	else if (rules >= VERY_MANY_RULES)
		severity = ZH_SEVERITY_LOW;
	finding = zh_finding_add(ex, &check->rule, severity,
		slower ? ZH_CONFIDENCE_MEDIUM : ZH_CONFIDENCE_LOW,
		"Up to %llu firewall rules stand on the way of a local packet",
		(unsigned long long)rules);
	zh_finding_evidence(finding,
		"rules reachable from the base chains: output %llu, postrouting %llu, prerouting "
		"%llu, input %llu",
		(unsigned long long)zh_check_number(ex, 0, "nft.hook.output.rules"),
		(unsigned long long)zh_check_number(ex, 0, "nft.hook.postrouting.rules"),
		(unsigned long long)zh_check_number(ex, 0, "nft.hook.prerouting.rules"),
		(unsigned long long)zh_check_number(ex, 0, "nft.hook.input.rules"));
	if (compared)
		zh_finding_evidence(finding,
			"median RTT here %.1f us, in a namespace without rules %.1f us",
			(double)real->p50_ns / 1e3, (double)clean->p50_ns / 1e3);
}

const struct zh_check zh_check_rule_volume = {
	.rule =
		{
			.id = "rule-volume",
			.code = "C14",
			.title = "Very many firewall rules",
			.summary = "Thousands of rules can be evaluated for each local packet.",
			.why = "Rules of a chain are evaluated one after the other, some tens of ns "
			       "each, at four hooks and in both directions of a loopback exchange. "
			       "20 000 linear rules cost hundreds of microseconds a packet; tools "
			       "that append on every start have reached 160 000.",
			.evidence = "Rules reachable from the base chains of output, postrouting, "
				    "prerouting and input: an upper bound, since jumps and verdict "
				    "maps skip most. The median RTT against the clean room (a "
				    "namespace without rules) tells whether it matters.",
			.verify = "The median RTT approaches that of the clean room.",
			.cure = "Replace linear rules by sets and verdict maps, remove duplicates, "
				"accept lo at the head of each chain.",
			.cost = "A rewrite of the ruleset; traffic on lo is no longer filtered.",
			.remedies = ZH_LIST("nft-accept-lo"),
			.needs = ZH_LIST("nft.hook.*.rules"),
		},
	.run = run,
};
