/* SPDX-License-Identifier: BSD-2-Clause */
#include "explain/checks/route-facts.h"

static void add_fib(const struct zh_explain *ex, int family, struct zh_finding *finding)
{
	const char *const *protocol = ZH_LIST("icmp", "udp", "tcp");
	char text[128];

	for (; *protocol; protocol++)
		if (zh_fib_is_diverted(ex, family, *protocol, text, sizeof(text)))
			zh_finding_evidence(finding, "FIB answer for %s %s: %s", *protocol,
				zh_route_loopback(family), text);
}

static void judge_rule(
	const struct zh_check *check, struct zh_explain *ex, int family, uint64_t n, bool whole)
{
	unsigned long long i = n;
	bool refuses = zh_rule_refuses(ex, family, n);
	struct zh_finding *finding;

	finding =
		zh_finding_add(ex, &check->rule, whole ? ZH_SEVERITY_CRITICAL : ZH_SEVERITY_WARNING,
			whole ? ZH_CONFIDENCE_HIGH : ZH_CONFIDENCE_MEDIUM,
			"IPv%d rule %llu stands ahead of the local table and %s %s %s", family,
			(unsigned long long)zh_check_number(ex, 0, "rule.%d.%llu.pref", family, i),
			refuses ? "refuses" : "diverts",
			whole ? "traffic to" : "part of the traffic to", zh_route_loopback(family));
	zh_finding_evidence(
		finding, "ip rule: %s", zh_check_text(ex, "rule.%d.%llu.text", family, i));
	if (!refuses)
		zh_finding_evidence(finding, "table %llu has a route that contains %s",
			(unsigned long long)zh_check_number(ex, 0, "rule.%d.%llu.table", family, i),
			zh_route_loopback(family));
	add_fib(ex, family, finding);
	zh_check_add_loss(ex, finding);
}

static void judge_family(const struct zh_check *check, struct zh_explain *ex, int family)
{
	uint64_t ahead = zh_check_number(ex, 0, "rule.%d.ahead_of_local", family);
	struct zh_finding *finding;
	uint64_t n, harmless = 0;

	if (!zh_route_is_used(ex, family))
		return;
	if (zh_check_number(ex, 1, "rule.%d.has_local", family) == 0) {
		finding = zh_finding_add(ex, &check->rule, ZH_SEVERITY_CRITICAL, ZH_CONFIDENCE_HIGH,
			"None of the %llu IPv%d rules looks the local table up",
			(unsigned long long)zh_check_number(ex, 0, "rule.%d.count", family),
			family);
		add_fib(ex, family, finding);
		zh_check_add_loss(ex, finding);
		return;
	}
	for (n = 0; n < ahead; n++) {
		enum zh_rule_reach reach = zh_rule_reach(ex, family, n);

		if (reach == ZH_REACH_NONE)
			harmless++;
		/* A mark alone is how overlay networks work, and lo carries none: said below. */
		else if (reach == ZH_REACH_SOME && zh_check_number(ex, 0, "rule.%d.%llu.fwmark",
							   family, (unsigned long long)n))
			harmless++;
		else
			judge_rule(check, ex, family, n, reach == ZH_REACH_ALL);
	}
	if (harmless == 0)
		return;
	finding = zh_finding_add(ex, &check->rule, ZH_SEVERITY_INFO, ZH_CONFIDENCE_HIGH,
		"%llu IPv%d rules stand ahead of the local table; none takes unmarked traffic to %s",
		(unsigned long long)harmless, family, zh_route_loopback(family));
	zh_finding_evidence(
		finding, "the first one: %s", zh_check_text(ex, "rule.%d.0.text", family));
}

static void run(const struct zh_check *check, struct zh_explain *ex)
{
	judge_family(check, ex, 4);
	judge_family(check, ex, 6);
}

const struct zh_check zh_check_policy_route = {
	.rule =
		{
			.id = "policy-route",
			.code = "C2",
			.title = "Policy rule ahead of the local table",
			.summary =
				"A routing rule that is evaluated before `lookup local` takes or "
				"refuses traffic to this machine's own addresses.",
			.why = "The rule `0: from all lookup local` is what keeps local traffic on "
			       "lo. A rule with a smaller preference (or a local rule moved behind "
			       "others) lets another table answer first: packets to 127.0.0.1 leave "
			       "by a real or virtual device, or meet blackhole, unreachable or "
			       "prohibit. Connections hang rather than being refused, and no drop "
			       "counter moves.",
			.evidence =
				"RTM_GETRULE in order, the routes of the tables ahead of local, "
				"and RTM_GETROUTE asked with the flow's own protocol. `ip route "
				"get` without ipproto can print `local` although the probe's "
				"protocol is diverted. Rules with a mark, another iif/oif or a "
				"foreign prefix are counted, not blamed.",
			.verify = "`ip route get 127.0.0.1 ipproto icmp` (and udp, tcp) answers "
				  "`local 127.0.0.1 dev lo`; the probe is answered.",
			.cure = "Give the rule a preference behind the local rule, or a selector "
				"(`iif`, `to`, `fwmark`) that leaves local destinations out.",
			.cost = "Traffic that relied on the rule for local destinations takes lo "
				"again.",
			.remedies = ZH_LIST("policy-rule"),
			.needs = ZH_LIST("rule.*.ahead_of_local", "rule.*.has_local",
				"rule.*.*.text", "rule.*.*.pref", "rule.*.*.action",
				"rule.*.*.table", "route.*.*.dst", "route.*.*.table",
				"fib.*.*.type", "fib.*.*.error"),
			.way = ZH_WAY_SHOWN | ZH_WAY_LO_ONLY,
			.told_by = ZH_LIST("path-diverted", "path-no-route"),
		},
	.run = run,
};
