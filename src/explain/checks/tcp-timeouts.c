/* SPDX-License-Identifier: BSD-2-Clause */
#include "explain/checks/support.h"

static void run(const struct zh_check *check, struct zh_explain *ex)
{
	uint64_t timeouts = zh_check_delta(ex, "netstat.TcpExt.TCPTimeouts");
	uint64_t syns = zh_check_delta(ex, "netstat.TcpExt.TCPSynRetrans");
	uint64_t segments = zh_check_delta(ex, "snmp.Tcp.RetransSegs");
	bool probed = zh_check_probed(ex, ZH_TRANSPORT_TCP);
	struct zh_finding *finding;

	if (timeouts == 0 && syns == 0)
		return;
	finding = zh_finding_add(ex, &check->rule, probed ? ZH_SEVERITY_LOW : ZH_SEVERITY_INFO,
		ZH_CONFIDENCE_LOW,
		"TCP retransmission timers fired %llu times in %.1f s, %llu of them for a SYN",
		(unsigned long long)timeouts, zh_check_window_s(ex), (unsigned long long)syns);
	zh_finding_evidence(finding,
		"TcpExt TCPTimeouts +%llu, TCPSynRetrans +%llu; Tcp RetransSegs +%llu",
		(unsigned long long)timeouts, (unsigned long long)syns,
		(unsigned long long)segments);
	zh_finding_evidence(finding, "the counters include connections to other machines");
	zh_check_add_loss(ex, finding);
}

const struct zh_check zh_check_tcp_timeouts = {
	.rule =
		{
			.id = "tcp-timeouts",
			.code = "C24",
			.title = "TCP waits for retransmission timers",
			.summary = "TCP connections of this namespace waited for a retransmission "
				   "timer.",
			.why = "Without loss, local TCP never needs a timer. A lost segment with "
			       "nothing behind it costs at least 200 ms (RTO_MIN), a lost SYN 1, 3, "
			       "7 s: connect times become bimodal.",
			.evidence =
				"Growth of TcpExt TCPTimeouts and TCPSynRetrans. They count all "
				"connections, remote ones too; `ss -ti` names the socket.",
			.verify = "The counters stand still while only local traffic runs.",
			.cure = "Find what drops (listen-overflow, conntrack-full, firewall-on-lo); "
				"tcp_rto_min_us (6.11) shortens the wait.",
			.cost = "A shorter RTO can send again what was only late.",
			.remedies = ZH_LIST("tcp-rto-min"),
			.needs = ZH_LIST("netstat.TcpExt.*", "snmp.Tcp.*"),
		},
	.run = run,
};
