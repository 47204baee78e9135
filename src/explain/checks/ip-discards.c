/* SPDX-License-Identifier: BSD-2-Clause */
#include "explain/checks/support.h"

static void run(const struct zh_check *check, struct zh_explain *ex)
{
	static const struct zh_check_counter counters[] = {
		{"snmp.Ip.OutNoRoutes", "Ip OutNoRoutes", 5, 0, true},
		{"snmp.Ip.OutDiscards", "Ip OutDiscards", 1, 0, true},
		{"snmp.Ip.InDiscards", "Ip InDiscards", 1, 0, true},
		{"snmp.Ip.InAddrErrors", "Ip InAddrErrors", 20, 0, true},
		{"snmp.Ip.InHdrErrors", "Ip InHdrErrors", 1, 0, true},
		{"netstat.IpExt.InNoRoutes", "IpExt InNoRoutes", 20, 0, true},
		{"snmp6.Ip6OutNoRoutes", "Ip6 OutNoRoutes", 0, 0, false},
		{"snmp6.Ip6OutDiscards", "Ip6 OutDiscards", 5, 0, false},
		{"snmp6.Ip6InDiscards", "Ip6 InDiscards", 5, 0, false},
		{},
	};

	zh_check_counters(check, ex, counters, "The IP layer discarded packets");
}

const struct zh_check zh_check_ip_discards = {
	.rule =
		{
			.id = "ip-discards",
			.code = "C2",
			.title = "The IP layer discards packets",
			.summary = "Packets had no route, a wrong address or header, or were "
				   "discarded by IP.",
			.why = "IP drops what it cannot route or deliver and only counts it: "
			       "OutNoRoutes for local senders, InAddrErrors for addresses that are "
			       "not its own, OutDiscards for netfilter and neighbour failures of "
			       "output.",
			.evidence =
				"Growth of these counters of /proc/net/snmp and netstat in this "
				"namespace. IPv6 counts much harmless background: it needs more "
				"to be named.",
			.verify = "The counters stand still while the probe runs.",
			.cure = "Follow the target: `zerohop path`, policy-route, local-route.",
			.cost = "None.",
			.needs = ZH_LIST("snmp.Ip.*", "netstat.IpExt.*", "snmp6.*"),
		},
	.run = run,
};
