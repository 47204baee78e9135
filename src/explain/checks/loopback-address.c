/* SPDX-License-Identifier: BSD-2-Clause */
#include "explain/checks/support.h"

static void judge_ip4(const struct zh_check *check, struct zh_explain *ex)
{
	uint64_t bits = zh_check_number(ex, 8, "loopback.ip4_prefix");
	struct zh_finding *finding;

	if (zh_check_number(ex, 1, "loopback.has_ip4") == 0) {
		finding = zh_finding_add(ex, &check->rule, ZH_SEVERITY_CRITICAL, ZH_CONFIDENCE_HIGH,
			"lo is up but has no 127.0.0.1 (0 of 1 address)");
		zh_finding_evidence(finding, "no address 127.0.0.1 in RTM_GETADDR of lo");
		zh_check_add_loss(ex, finding);
		return;
	}
	if (bits == 8)
		return;
	finding = zh_finding_add(ex, &check->rule, ZH_SEVERITY_LOW, ZH_CONFIDENCE_HIGH,
		"lo has 127.0.0.1/%llu instead of /8: other addresses of 127/8 are not local",
		(unsigned long long)bits);
	zh_finding_evidence(
		finding, "prefix length of 127.0.0.1 on lo is %llu", (unsigned long long)bits);
}

static void run(const struct zh_check *check, struct zh_explain *ex)
{
	struct zh_finding *finding;

	if (zh_check_number(ex, 0, "link.lo.flags.up") == 0)
		return;
	judge_ip4(check, ex);
	if (zh_check_number(ex, 1, "loopback.has_ip6") != 0 ||
		zh_check_number(ex, 1, "devconf.6.lo.disable_ipv6") != 0 ||
		zh_check_number(ex, 1, "sysctl.net/ipv6/conf/all/disable_ipv6") != 0)
		return;
	finding = zh_finding_add(ex, &check->rule, ZH_SEVERITY_LOW, ZH_CONFIDENCE_HIGH,
		"IPv6 is on but lo has no ::1 (0 of 1 address)");
	zh_finding_evidence(finding, "disable_ipv6 is 0 for lo and for all, yet ::1 is missing");
}

const struct zh_check zh_check_loopback_address = {
	.rule =
		{
			.id = "loopback-address",
			.code = "C1",
			.title = "Loopback addresses are incomplete",
			.summary = "lo is up, but 127.0.0.1/8 or ::1 is missing or has another "
				   "prefix length.",
			.why = "The kernel derives the local route for 127/8 from the address on "
			       "lo. With 127.0.0.1/32 only that one address is local and 127.0.0.2 "
			       "is routed like any other; without 127.0.0.1 loopback traffic is "
			       "refused or leaves by the default route. Without ::1, programs that "
			       "try IPv6 first fail or fall back after a delay.",
			.evidence = "RTM_GETADDR of lo. A missing ::1 counts only when "
				    "net.ipv6.conf.{all,lo}.disable_ipv6 are 0.",
			.verify = "`ip addr show lo` lists 127.0.0.1/8 and ::1/128; "
				  "`ip route get 127.0.0.2` answers `local`.",
			.cure = "`ip addr add 127.0.0.1/8 dev lo`, or take lo down and up again: "
				"the kernel then adds both addresses.",
			.cost = "None.",
			.needs = ZH_LIST("loopback.has_ip4", "loopback.ip4_prefix",
				"loopback.has_ip6", "link.lo.flags.up", "devconf.6.*.disable_ipv6",
				"sysctl.net/ipv6/conf/all/disable_ipv6"),
			.way = ZH_WAY_SHOWN | ZH_WAY_LO_ONLY,
		},
	.run = run,
};
