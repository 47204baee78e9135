/* SPDX-License-Identifier: BSD-2-Clause */
#include "explain/checks/support.h"

#define NORMAL_MTU 65536
#define SMALL_MTU 16384
#define IPV6_MIN_MTU 1280

static bool uses_ipv6(const struct zh_explain *ex)
{
	return zh_check_number(ex, 1, "devconf.6.lo.disable_ipv6") == 0 &&
	       zh_check_number(ex, 1, "sysctl.net/ipv6/conf/all/disable_ipv6") == 0;
}

static void run(const struct zh_check *check, struct zh_explain *ex)
{
	uint64_t mtu = zh_check_number(ex, NORMAL_MTU, "link.lo.mtu");
	uint64_t mtu6 = zh_check_number(ex, mtu, "devconf.6.lo.mtu");
	enum zh_severity severity = ZH_SEVERITY_INFO;
	struct zh_finding *finding;

	if (mtu < IPV6_MIN_MTU && uses_ipv6(ex))
		severity = ZH_SEVERITY_WARNING;
	else if (mtu < SMALL_MTU || (mtu6 < mtu && uses_ipv6(ex)))
		severity = ZH_SEVERITY_LOW;
	else if (mtu >= NORMAL_MTU)
		return;
	finding = zh_finding_add(ex, &check->rule, severity, ZH_CONFIDENCE_HIGH,
		"lo has MTU %llu (IPv6 %llu) instead of %d bytes", (unsigned long long)mtu,
		(unsigned long long)mtu6, NORMAL_MTU);
	zh_finding_evidence(finding, "link lo mtu %llu, net.ipv6.conf.lo.mtu %llu",
		(unsigned long long)mtu, (unsigned long long)mtu6);
	if (severity == ZH_SEVERITY_WARNING)
		zh_finding_evidence(
			finding, "below %d bytes the kernel turns IPv6 off on lo", IPV6_MIN_MTU);
}

const struct zh_check zh_check_loopback_mtu = {
	.rule =
		{
			.id = "loopback-mtu",
			.code = "C1",
			.title = "Loopback MTU is small",
			.summary = "The MTU of lo, or its IPv6 MTU, is below the kernel's 65536.",
			.why = "A small MTU on lo cuts bulk transfers into more packets, each with a "
			       "pass through NET_RX, and makes large datagrams with DF fail with "
			       "EMSGSIZE. IPv6 keeps an MTU of its own (net.ipv6.conf.lo.mtu): when "
			       "it is smaller, only ::1 fails, and only above that size. Below 1280 "
			       "IPv6 is switched off on the device.",
			.evidence =
				"RTM_GETLINK mtu of lo against net.ipv6.conf.lo.mtu. Latency of "
				"small messages does not depend on it.",
			.verify = "`ip link show lo` shows mtu 65536; `ping -M do -s 60000 ::1` is "
				  "answered.",
			.cure = "`ip link set lo mtu 65536`, which also resets the IPv6 MTU.",
			.cost = "None.",
			.remedies = ZH_LIST("link-mtu"),
			.needs = ZH_LIST("link.lo.mtu", "devconf.6.*.mtu",
				"devconf.6.*.disable_ipv6",
				"sysctl.net/ipv6/conf/all/disable_ipv6"),
			.way = ZH_WAY_SHOWN | ZH_WAY_LO_ONLY,
		},
	.run = run,
};
