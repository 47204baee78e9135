/* SPDX-License-Identifier: BSD-2-Clause */
#include "explain/checks/support.h"

static void run(const struct zh_check *check, struct zh_explain *ex)
{
	static const struct zh_check_counter counters[] = {
		{"snmp.Udp.RcvbufErrors", "Udp RcvbufErrors", 1, 10, true},
		{"snmp6.Udp6RcvbufErrors", "Udp6 RcvbufErrors", 1, 10, true},
		{"snmp.UdpLite.RcvbufErrors", "UdpLite RcvbufErrors", 1, 10, true},
		{"snmp.Udp.SndbufErrors", "Udp SndbufErrors", 1, 0, false},
		{"snmp6.Udp6SndbufErrors", "Udp6 SndbufErrors", 1, 0, false},
		{},
	};
	struct zh_finding *finding = zh_check_counters(
		check, ex, counters, "UDP datagrams were dropped at a full socket buffer");

	if (finding)
		zh_finding_evidence(finding, "net.core.rmem_default %llu, rmem_max %llu bytes",
			(unsigned long long)zh_check_number(ex, 0, "sysctl.net/core/rmem_default"),
			(unsigned long long)zh_check_number(ex, 0, "sysctl.net/core/rmem_max"));
}

const struct zh_check zh_check_udp_rcvbuf = {
	.rule =
		{
			.id = "udp-rcvbuf",
			.code = "C23",
			.title = "UDP socket buffer full",
			.summary = "Datagrams that had arrived were dropped because the receiving "
				   "socket's buffer was full.",
			.why = "UDP has no flow control: a reader that pauses for as long as its "
			       "buffer lasts loses what comes next. The buffer is charged by "
			       "truesize, so small datagrams cost 768 bytes and more each: 212 992 "
			       "bytes hold fewer than 300 of them.",
			.evidence = "Growth of RcvbufErrors (IPv4 and IPv6 count apart), per "
				    "namespace; `ss -uanm` shows Recv-Q and the drops (d) of each "
				    "socket. The loss does not show on lo.",
			.verify = "RcvbufErrors stand still under the same load.",
			.cure = "Read faster (recvmmsg, a thread of its own), ask for a larger "
				"SO_RCVBUF and raise net.core.rmem_max; close sockets nobody reads.",
			.cost = "Memory; a longer queue is more delay.",
			.remedies = ZH_LIST("rmem-max", "rmem-default"),
			.needs = ZH_LIST("snmp.Udp.*", "snmp.UdpLite.*", "snmp6.*",
				"sysctl.net/core/rmem_default", "sysctl.net/core/rmem_max"),
		},
	.run = run,
};
