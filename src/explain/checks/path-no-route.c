/* SPDX-License-Identifier: BSD-2-Clause */
#include "explain/checks/support.h"
#include "explain/path-facts.h"

static void judge(const struct zh_check *check, struct zh_explain *ex, size_t way)
{
	const struct zh_record *r = ex->record;
	const char *error = zh_path_text(r, "path.way.%zu.decision.error", way);
	struct zh_finding *finding;
	char name[300], rule[240];

	/* A flow that alone is refused, or by a rule, is path-diverted's. */
	if (!error || zh_path_is_diverted(r, way) || zh_path_is_refused_by_rule(r, way))
		return;
	zh_path_way_name(r, way, name, sizeof(name));
	finding = zh_finding_add(ex, &check->rule,
		zh_path_is_local(r, way) ? ZH_SEVERITY_CRITICAL : ZH_SEVERITY_WARNING,
		ZH_CONFIDENCE_HIGH, "There is no way to %.80s: %.100s (0 packets can be sent)",
		name, error);
	if (*zh_path_rule(r, way, rule, sizeof(rule)))
		zh_finding_evidence(finding, "%s", rule);
	zh_finding_evidence(
		finding, "RTM_GETROUTE, with and without the flow's protocol: %s", error);
	if (zh_check_number(ex, 1, "link.lo.flags.up") == 0)
		zh_finding_evidence(finding, "lo is down");
}

static void run(const struct zh_check *check, struct zh_explain *ex)
{
	size_t n = zh_path_n_ways(ex->record), way;

	for (way = 0; way < n; way++)
		judge(check, ex, way);
}

const struct zh_check zh_check_path_no_route = {
	.rule =
		{
			.id = "path-no-route",
			.code = "C2",
			.title = "No way to the target",
			.summary = "The kernel has no route to the address, or one that refuses.",
			.why = "A packet without a route is never built: the sender gets an error at "
			       "once (unreachable, prohibited, invalid argument for a blackhole). A "
			       "missing address, a device that is down or a route of type "
			       "unreachable are the usual reasons.",
			.evidence = "RTM_GETROUTE refuses the flow and the plain question alike.",
			.verify = "`ip route get ADDRESS` answers with a device.",
			.cure = "Bring the device up, add the address or the route; for ::1 see "
				"net.ipv6.conf.lo.disable_ipv6.",
			.cost = "None.",
			.needs = ZH_LIST("path.way.*.decision.error",
				"path.way.*.decision.plain.error", "link.*.flags.up"),
			.way = ZH_WAY_SHOWN | ZH_WAY_JUDGES,
			.told_by = ZH_LIST("loopback-down"),
		},
	.run = run,
};
