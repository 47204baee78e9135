/* SPDX-License-Identifier: BSD-2-Clause */
#include "explain/checks/route-facts.h"

#define SLOW_RST_NS (100 * ZH_NSEC_PER_MSEC)

static void judge(const struct zh_check *check, struct zh_explain *ex, int family)
{
	/* A path run asks once more when its way uses lo. */
	const char *prefix =
		zh_explain_text(ex, "path.lo.closed_port.%d.result", family) ? "path.lo." : "";
	const char *result = zh_explain_text(ex, "%sclosed_port.%d.result", prefix, family);
	uint64_t took_ns = zh_check_number(ex, 0, "%sclosed_port.%d.took_ns", prefix, family);
	bool refused = result && strcmp(result, "refused") == 0;
	struct zh_finding *finding;

	if (!result || !zh_route_is_used(ex, family) || (refused && took_ns < SLOW_RST_NS))
		return;
	finding = zh_finding_add(ex, &check->rule, refused ? ZH_SEVERITY_LOW : ZH_SEVERITY_WARNING,
		refused ? ZH_CONFIDENCE_LOW : ZH_CONFIDENCE_HIGH,
		refused ? "A closed TCP port of %s answered only after %.1f ms (%s)"
			: "A closed TCP port of %s gave no RST within %.1f ms (%s)",
		zh_route_loopback(family), (double)took_ns / 1e6, result);
	zh_finding_evidence(finding,
		"one connect() to a port that was bound and closed just before: %s after %.1f ms; "
		"an intact path answers RST within a millisecond",
		result, (double)took_ns / 1e6);
}

static void run(const struct zh_check *check, struct zh_explain *ex)
{
	judge(check, ex, 4);
	judge(check, ex, 6);
}

const struct zh_check zh_check_closed_port_silent = {
	.rule =
		{
			.id = "closed-port-silent",
			.code = "C3",
			.title = "A closed local port stays silent",
			.summary = "A connection attempt to a closed port of the loopback address "
				   "is not answered with RST.",
			.why = "The kernel answers a SYN to a closed port with RST at once. When it "
			       "does not, something drops the SYN or the RST, or sends them "
			       "elsewhere: clients then hang for the SYN retries (1, 3, 7, ... 131 s) "
			       "where they should fail in microseconds, and `localhost` with ::1 "
			       "first waits before it falls back to IPv4.",
			.evidence = "One non-blocking connect() per family to a port that is known "
				    "to be closed. A late RST on a loaded machine is only noted.",
			.verify = "`nc -vz 127.0.0.1 PORT` on a closed port says refused at once.",
			.cure = "Find the rule with firewall-on-lo or policy-route and accept lo "
				"before it.",
			.cost = "None for local traffic.",
			.remedies = ZH_LIST("nft-accept-lo", "policy-rule"),
			.needs = ZH_LIST("closed_port.*.result", "closed_port.*.took_ns",
				"path.lo.closed_port.*.result", "path.lo.closed_port.*.took_ns",
				"link.lo.flags.up", "loopback.has_ip4", "loopback.has_ip6"),
			.way = ZH_WAY_SHOWN | ZH_WAY_JUDGES | ZH_WAY_LO_ONLY,
		},
	.run = run,
};
