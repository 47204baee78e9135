/* SPDX-License-Identifier: BSD-2-Clause */
#include "explain/checks/support.h"

static void run(const struct zh_check *check, struct zh_explain *ex)
{
	static const struct zh_check_counter counters[] = {
		{"netstat.TcpExt.TCPRcvCollapsed", "TcpExt TCPRcvCollapsed", 100, 0, false},
		{"netstat.TcpExt.PruneCalled", "TcpExt PruneCalled", 20, 0, false},
		{"netstat.TcpExt.RcvPruned", "TcpExt RcvPruned", 1, 10, false},
		{"netstat.TcpExt.OfoPruned", "TcpExt OfoPruned", 1, 10, false},
		{},
	};
	struct zh_finding *finding = zh_check_counters(
		check, ex, counters, "TCP receive queues were collapsed or pruned");

	if (finding)
		zh_finding_evidence(finding, "tcp_rmem max %llu bytes",
			(unsigned long long)zh_check_number(ex, 0, "sysctl.net/ipv4/tcp_rmem.max"));
}

const struct zh_check zh_check_tcp_collapse = {
	.rule =
		{
			.id = "tcp-collapse",
			.code = "C23",
			.title = "TCP collapses receive queues",
			.summary = "Receive queues over their limit were compacted or cut by the "
				   "kernel.",
			.why = "A receiver that is over its buffer makes tcp_collapse copy the queue "
			       "into fewer buffers, in softirq and with the socket locked. With a "
			       "tcp_rmem maximum of many megabytes one run takes milliseconds, and "
			       "all other packets of that CPU wait.",
			.evidence = "Growth of TcpExt TCPRcvCollapsed and PruneCalled (work), "
				    "RcvPruned and OfoPruned (data thrown away).",
			.verify = "The counters stand still; NET_RX shows no long runs.",
			.cure = "Lower the maximum of tcp_rmem to a few megabytes; let the reader "
				"read faster.",
			.cost = "Less throughput on long, fast paths.",
			.remedies = ZH_LIST("tcp-rmem"),
			.needs = ZH_LIST("netstat.TcpExt.*", "sysctl.net/ipv4/tcp_rmem.max"),
		},
	.run = run,
};
