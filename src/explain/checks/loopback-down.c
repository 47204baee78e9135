/* SPDX-License-Identifier: BSD-2-Clause */
#include "explain/checks/support.h"

static void run(const struct zh_check *check, struct zh_explain *ex)
{
	struct zh_finding *finding;

	if (zh_check_number(ex, 1, "link.lo.flags.up") != 0)
		return;
	finding = zh_finding_add(ex, &check->rule, ZH_SEVERITY_CRITICAL, ZH_CONFIDENCE_HIGH,
		"lo is down: 127.0.0.1, ::1 and all %llu addresses of this namespace are unreachable "
		"from inside it",
		(unsigned long long)zh_check_number(ex, 0, "addr.count"));
	zh_finding_evidence(finding, "link lo: IFF_UP is not set, operstate %s",
		zh_check_text(ex, "link.lo.operstate"));
	zh_check_add_loss(ex, finding);
}

const struct zh_check zh_check_loopback_down = {
	.rule =
		{
			.id = "loopback-down",
			.code = "C1",
			.title = "Loopback device is down",
			.summary = "The lo device of this network namespace is not up.",
			.why = "Everything addressed to the machine itself leaves by lo, its own "
			       "non-loopback addresses included: with lo down, 127.0.0.1 and ::1 "
			       "lose their routes and a pod cannot reach its own IP either. A new "
			       "network namespace starts with lo down; container runtimes must set "
			       "it up, and some did not.",
			.evidence =
				"IFF_UP missing in RTM_GETLINK of lo (`ip link show lo`: state "
				"DOWN, qdisc noop). operstate UNKNOWN is normal for lo and means "
				"nothing.",
			.verify = "`ip link show lo` shows LOOPBACK,UP,LOWER_UP and the probe is "
				  "answered.",
			.cure = "Set lo up in the namespace: `ip link set lo up`; then mend the "
				"runtime that left it down.",
			.cost = "None.",
			.remedies = ZH_LIST("link-up"),
			.needs = ZH_LIST("link.lo.flags.up", "link.lo.operstate", "addr.count"),
			.way = ZH_WAY_SHOWN | ZH_WAY_JUDGES | ZH_WAY_LO_ONLY,
		},
	.run = run,
};
