/* SPDX-License-Identifier: BSD-2-Clause */
#include "explain/checks/support.h"

#include <string.h>

/* The setting under which this host answers no echo request of the probed family; NULL: none. */
static const char *ignoring(const struct zh_explain *ex)
{
	const struct zh_phase *phase = zh_check_main_phase(ex);
	const char *name;

	if (!phase || !zh_check_probed(ex, ZH_TRANSPORT_ICMP))
		return NULL;
	name = strchr(phase->target, ':') ? "net/ipv6/icmp/echo_ignore_all"
					  : "net/ipv4/icmp_echo_ignore_all";
	return zh_check_number(ex, 0, "sysctl.%s", name) ? name : NULL;
}

/* The kernel drops the requests without a reason that any event or counter would show. */
static void say_ignored(const struct zh_check *check, struct zh_explain *ex, const char *name)
{
	uint64_t lost = zh_explain_lost(ex);
	struct zh_finding *finding;

	finding = zh_finding_add(ex, &check->rule, lost ? ZH_SEVERITY_CRITICAL : ZH_SEVERITY_LOW,
		ZH_CONFIDENCE_HIGH, "This host answers no echo request: %s is set", name);
	if (finding && lost) {
		finding->weight = ZH_WEIGHT_LOSS;
		finding->samples = lost;
	}
	zh_check_add_loss(ex, finding);
}

static void run(const struct zh_check *check, struct zh_explain *ex)
{
	const char *name = ignoring(ex);
	uint64_t limited = zh_check_delta(ex, "snmp.Icmp.OutRateLimitGlobal") +
			   zh_check_delta(ex, "snmp.Icmp.OutRateLimitHost") +
			   zh_check_delta(ex, "snmp6.Icmp6OutRateLimitHost");
	struct zh_finding *finding;

	if (name)
		say_ignored(check, ex, name);
	if (limited == 0)
		return;
	finding = zh_finding_add(ex, &check->rule, ZH_SEVERITY_INFO, ZH_CONFIDENCE_HIGH,
		"ICMP is limited here: %llu messages withheld in %.1f s",
		(unsigned long long)limited, zh_check_window_s(ex));
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
				"sysctl.net/ipv6/icmp/echo_ignore_all",
				"sysctl.net/ipv4/icmp_ratelimit",
				"sysctl.net/ipv4/icmp_msgs_per_sec"),
		},
	.run = run,
};
