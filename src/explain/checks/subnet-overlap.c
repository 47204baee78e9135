/* SPDX-License-Identifier: BSD-2-Clause */
#include "explain/checks/route-facts.h"

#include <stdio.h>

/* The connected routes of main that are looked at: pairs are compared, so the number is bounded. */
#define ROUTES_MAX 128

struct connected {
	const char *prefix, *dev;
	bool is_bridge;
};

static size_t collect(const struct zh_explain *ex, struct connected *routes)
{
	const struct zh_fact_set *facts = zh_explain_facts(ex);
	const struct zh_fact *fact;
	size_t pos = 0, n_routes = 0;
	char n[32];

	while (n_routes < ROUTES_MAX && (fact = zh_fact_next(facts, "route.4.*.scope", &pos))) {
		struct connected *route = &routes[n_routes];

		zh_fact_part(n, sizeof(n), fact, "route.4.*.scope", 0);
		if (fact->type != ZH_FACT_STRING || strcmp(fact->text, "link") != 0 ||
			zh_check_number(ex, 0, "route.4.%s.table", n) != ZH_TABLE_MAIN)
			continue;
		route->prefix = zh_check_text(ex, "route.4.%s.dst", n);
		route->dev = zh_check_text(ex, "route.4.%s.oif", n);
		route->is_bridge =
			strcmp(zh_check_text(ex, "link.%s.kind", route->dev), "bridge") == 0;
		n_routes += strcmp(route->prefix, "default") != 0;
	}
	return n_routes;
}

static void run(const struct zh_check *check, struct zh_explain *ex)
{
	struct connected routes[ROUTES_MAX];
	size_t n = collect(ex, routes), i, k;
	struct zh_finding *finding;

	for (i = 0; i < n; i++) {
		for (k = i + 1; k < n; k++) {
			const struct connected *a = &routes[i], *b = &routes[k];

			if (strcmp(a->dev, b->dev) == 0 || (!a->is_bridge && !b->is_bridge) ||
				!zh_check_prefixes_overlap(a->prefix, b->prefix))
				continue;
			finding = zh_finding_add(ex, &check->rule, ZH_SEVERITY_LOW,
				ZH_CONFIDENCE_HIGH, "%s on %s overlaps %s on %s", a->prefix, a->dev,
				b->prefix, b->dev);
			zh_finding_evidence(finding,
				"both are connected routes of main; the longer prefix, then the "
				"smaller metric, wins for all addresses they share");
			return;
		}
	}
}

const struct zh_check zh_check_subnet_overlap = {
	.rule =
		{
			.id = "subnet-overlap",
			.code = "C2",
			.title = "A bridge's subnet overlaps another device's",
			.summary = "A local bridge owns addresses that another device of this "
				   "namespace is connected to as well.",
			.why = "Container engines pick a bridge subnet from a private range; when "
			       "the LAN, a VPN or a second bridge uses the same range, one of the two "
			       "becomes unreachable from this host and its containers.",
			.evidence = "Two connected routes (scope link) in main with prefixes that "
				    "overlap, at least one on a bridge. Two ordinary interfaces in "
				    "one subnet are common and not reported.",
			.verify = "`ip route show scope link` shows each prefix once.",
			.cure = "Give the bridge another subnet (Docker: default-address-pools).",
			.cost = "Containers on the bridge get new addresses.",
			.needs = ZH_LIST("route.*.*.dst", "route.*.*.scope", "route.*.*.table",
				"route.*.*.oif", "link.*.kind"),
		},
	.run = run,
};
