/* SPDX-License-Identifier: BSD-2-Clause */
#include "explain/checks/support.h"

#define MIN_INVALID 10

static void run(const struct zh_check *check, struct zh_explain *ex)
{
	uint64_t invalid = zh_check_delta(ex, "conntrack.stat.invalid");
	uint64_t resets = zh_check_delta(ex, "snmp.Tcp.EstabResets");
	uint64_t sent_resets = zh_check_delta(ex, "snmp.Tcp.OutRsts");
	struct zh_finding *finding;

	if (invalid < MIN_INVALID ||
		zh_check_number(ex, 0, "sysctl.net/netfilter/nf_conntrack_tcp_be_liberal"))
		return;
	finding = zh_finding_add(ex, &check->rule,
		resets && sent_resets ? ZH_SEVERITY_LOW : ZH_SEVERITY_INFO, ZH_CONFIDENCE_LOW,
		"Conntrack called %llu packets invalid in %.1f s (%llu connections were reset "
		"meanwhile)",
		(unsigned long long)invalid, zh_check_window_s(ex), (unsigned long long)resets);
	zh_finding_evidence(
		finding, "/proc/net/stat/nf_conntrack invalid +%llu", (unsigned long long)invalid);
	zh_finding_evidence(finding, "Tcp EstabResets +%llu, OutRsts +%llu",
		(unsigned long long)resets, (unsigned long long)sent_resets);
	zh_finding_evidence(finding, "nf_conntrack_tcp_be_liberal is 0");
}

const struct zh_check zh_check_conntrack_invalid = {
	.rule =
		{
			.id = "conntrack-invalid",
			.code = "C9",
			.title = "Packets that conntrack calls invalid",
			.summary =
				"Conntrack meets packets it cannot match to a flow; where traffic "
				"is translated, they pass untranslated.",
			.why = "A TCP packet outside the tracked window is INVALID and is not "
			       "translated. It arrives with the wrong address, the stack there knows "
			       "no such connection and answers RST: long transfers end in \"reset by "
			       "peer\".",
			.evidence =
				"Growth of `invalid` in /proc/net/stat/nf_conntrack together "
				"with Tcp EstabResets and OutRsts. Noise from the Internet also "
				"counts as invalid, so alone this is a hint only; a capture with "
				"the untranslated address is proof.",
			.verify = "No more resets; `invalid` may go on growing.",
			.cure = "Drop INVALID in forward, or set nf_conntrack_tcp_be_liberal=1.",
			.cost = "be_liberal weakens the check for blind resets and injections.",
			.remedies = ZH_LIST("conntrack-tcp-be-liberal"),
			.needs = ZH_LIST("conntrack.stat.*", "snmp.Tcp.*",
				"sysctl.net/netfilter/nf_conntrack_tcp_be_liberal"),
		},
	.run = run,
};
