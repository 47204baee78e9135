/* SPDX-License-Identifier: BSD-2-Clause */
#include "explain/checks/route-facts.h"

#include <stdio.h>

static void judge_loopback(const struct zh_check *check, struct zh_explain *ex, int family)
{
	const char *const *protocol = ZH_LIST("icmp", "udp", "tcp");
	struct zh_finding *finding = NULL;
	char text[128];

	if (!zh_route_is_used(ex, family) || zh_route_is_diverted_by_rule(ex, family))
		return;
	for (; *protocol; protocol++) {
		if (!zh_fib_is_diverted(ex, family, *protocol, text, sizeof(text)))
			continue;
		if (!finding)
			finding = zh_finding_add(ex, &check->rule, ZH_SEVERITY_CRITICAL,
				ZH_CONFIDENCE_HIGH, "The route to %s is not local: %s",
				zh_route_loopback(family), text);
		zh_finding_evidence(finding, "FIB answer for %s %s: %s", *protocol,
			zh_route_loopback(family), text);
	}
	zh_check_add_loss(ex, finding);
}

static void judge_own(const struct zh_check *check, struct zh_explain *ex)
{
	const struct zh_fact_set *facts = zh_explain_facts(ex);
	const struct zh_fact *fact;
	struct zh_finding *finding;
	char n[32];
	size_t pos = 0;

	while ((fact = zh_fact_next(facts, "fib.own.*.ip", &pos))) {
		const char *type, *error;

		zh_fact_part(n, sizeof(n), fact, "fib.own.*.ip", 0);
		type = zh_explain_text(ex, "fib.own.%s.type", n);
		error = zh_explain_text(ex, "fib.own.%s.error", n);
		if (fact->type != ZH_FACT_STRING || (!type && !error) ||
			(!error && strcmp(type, "local") == 0) || !zh_route_is_own(ex, fact->text))
			continue;
		finding = zh_finding_add(ex, &check->rule, ZH_SEVERITY_WARNING, ZH_CONFIDENCE_HIGH,
			"The route to the own address %s is not local: %s%s%s", fact->text,
			error ? error : type, error ? "" : " by ",
			error ? "" : zh_check_text(ex, "fib.own.%s.oif", n));
		zh_finding_evidence(finding, "FIB answer for icmp %s: %s, table %llu", fact->text,
			error ? error : type,
			(unsigned long long)zh_check_number(ex, 0, "fib.own.%s.table", n));
		zh_check_add_loss(ex, finding);
	}
}

static void run(const struct zh_check *check, struct zh_explain *ex)
{
	judge_loopback(check, ex, 4);
	judge_loopback(check, ex, 6);
	if (zh_check_number(ex, 0, "link.lo.flags.up"))
		judge_own(check, ex);
}

const struct zh_check zh_check_local_route = {
	.rule =
		{
			.id = "local-route",
			.code = "C2",
			.title = "Own address without a local route",
			.summary = "The kernel does not route 127.0.0.1, ::1 or an own address to "
				   "itself, although no rule ahead of local explains it.",
			.why = "Entries of the local table (255) are made with the address and can "
			       "be deleted or shadowed like any route. Without one, packets to the "
			       "own address follow main: out of a device, or to `unreachable`.",
			.evidence =
				"RTM_GETROUTE per protocol. Addresses on devices that are down "
				"or in a VRF, and tentative ones, have no local route by design "
				"and are left out.",
			.verify = "`ip route get ADDRESS` answers `local`.",
			.cure = "Put the route back: `ip route add local ADDRESS dev DEVICE table "
				"local`, or remove and add the address.",
			.cost = "None.",
			.needs = ZH_LIST("fib.*.*.type", "fib.*.*.error", "fib.own.*.ip",
				"fib.own.*.type", "addr.*.*.ip", "link.*.flags.up"),
			.way = ZH_WAY_SHOWN | ZH_WAY_LO_ONLY,
			.told_by = ZH_LIST("path-diverted", "path-no-route"),
		},
	.run = run,
};
