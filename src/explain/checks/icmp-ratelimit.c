/* SPDX-License-Identifier: BSD-2-Clause */
#include "explain/checks/support.h"

static void run(const struct zh_check *check, struct zh_explain *ex)
{
	uint64_t ignored = zh_check_number(ex, 0, "sysctl.net/ipv4/icmp_echo_ignore_all");
	uint64_t limited = zh_check_delta(ex, "snmp.Icmp.OutRateLimitGlobal") +
			   zh_check_delta(ex, "snmp.Icmp.OutRateLimitHost") +
			   zh_check_delta(ex, "snmp6.Icmp6OutRateLimitHost");
	bool probed = zh_check_probed(ex, ZH_TRANSPORT_ICMP);
	struct zh_finding *finding;

	if (limited == 0 && !(ignored && probed))
		return;
	finding = zh_finding_add(ex, &check->rule,
		ignored && probed ? ZH_SEVERITY_LOW : ZH_SEVERITY_INFO, ZH_CONFIDENCE_HIGH,
		"ICMP is limited here: %llu messages withheld in %.1f s, icmp_echo_ignore_all %llu",
		(unsigned long long)limited, zh_check_window_s(ex), (unsigned long long)ignored);
	zh_finding_evidence(finding, "icmp_ratelimit %llu ms, icmp_msgs_per_sec %llu",
		(unsigned long long)zh_check_number(ex, 0, "sysctl.net/ipv4/icmp_ratelimit"),
		(unsigned long long)zh_check_number(ex, 0, "sysctl.net/ipv4/icmp_msgs_per_sec"));
	zh_check_add_loss(ex, finding);
}

const struct zh_check zh_check_icmp_ratelimit = {
	.rule =
		{
			.id = "icmp-ratelimit",
			.code = "C23",
			.title = "ICMP limits look like loss",
			.summary = "The kernel withholds ICMP messages, or ignores echo requests.",
			.why = "Linux limits ICMP errors (port unreachable, time exceeded), not echo "
			       "replies: probes that count on errors see \"loss\" that no data "
			       "packet has. With icmp_echo_ignore_all no ping is answered at all.",
			.evidence =
				"Growth of Icmp OutRateLimitGlobal and OutRateLimitHost (6.1 and "
				"later); the sysctls.",
			.verify = "udp: and tcp: probes to the same address lose nothing.",
			.cure = "Probe with udp: or tcp:; or set icmp_echo_ignore_all=0.",
			.cost = "None.",
			.remedies = ZH_LIST("icmp-echo-ignore-all"),
			.needs = ZH_LIST("snmp.Icmp.*", "snmp6.*",
				"sysctl.net/ipv4/icmp_echo_ignore_all",
				"sysctl.net/ipv4/icmp_ratelimit",
				"sysctl.net/ipv4/icmp_msgs_per_sec"),
		},
	.run = run,
};
