/* SPDX-License-Identifier: BSD-2-Clause */
#include "explain/checks/support.h"

/* Listeners whose queue is full now, as evidence; or a finding of its own when no counter moved. */
static void add_full(
	const struct zh_check *check, struct zh_explain *ex, struct zh_finding *finding)
{
	uint64_t full = zh_check_number(ex, 0, "listen.full"), n;

	if (full == 0)
		return;
	if (!finding)
		finding = zh_finding_add(ex, &check->rule, ZH_SEVERITY_LOW, ZH_CONFIDENCE_HIGH,
			"%llu listening sockets have a full accept queue",
			(unsigned long long)full);
	for (n = 0; n < full && n < 4; n++)
		zh_finding_evidence(finding, "%s port %llu: %llu connections wait, backlog %llu",
			zh_check_text(ex, "listen.%llu.addr", (unsigned long long)n),
			(unsigned long long)zh_check_number(
				ex, 0, "listen.%llu.port", (unsigned long long)n),
			(unsigned long long)zh_check_number(
				ex, 0, "listen.%llu.queue", (unsigned long long)n),
			(unsigned long long)zh_check_number(
				ex, 0, "listen.%llu.backlog", (unsigned long long)n));
}

static void run(const struct zh_check *check, struct zh_explain *ex)
{
	static const struct zh_check_counter counters[] = {
		{"netstat.TcpExt.ListenOverflows", "TcpExt ListenOverflows", 1, 1, true},
		{"netstat.TcpExt.ListenDrops", "TcpExt ListenDrops", 1, 20, true},
		{"netstat.TcpExt.TCPReqQFullDrop", "TcpExt TCPReqQFullDrop", 1, 1, true},
		{"netstat.TcpExt.TCPReqQFullDoCookies", "TcpExt TCPReqQFullDoCookies", 1, 0, false},
		{"netstat.TcpExt.TCPFastOpenListenOverflow", "TcpExt TCPFastOpenListenOverflow", 1,
			0, false},
		{"kmsg.syn_flood.count", "\"possible SYN flooding\" in the kernel log", 1, 0,
			false},
		{},
	};
	struct zh_finding *finding =
		zh_check_counters(check, ex, counters, "Connection requests met a full queue");

	if (finding)
		zh_finding_evidence(finding, "net.core.somaxconn %llu, tcp_max_syn_backlog %llu",
			(unsigned long long)zh_check_number(ex, 0, "sysctl.net/core/somaxconn"),
			(unsigned long long)zh_check_number(
				ex, 0, "sysctl.net/ipv4/tcp_max_syn_backlog"));
	add_full(check, ex, finding);
}

const struct zh_check zh_check_listen_overflow = {
	.rule =
		{
			.id = "listen-overflow",
			.code = "C22",
			.title = "Accept or SYN queue overflow",
			.summary = "A listener's queue was full and connection requests were "
				   "dropped.",
			.why = "A listener holds at most min(backlog, somaxconn) finished "
			       "connections until accept(). When it is full, the last ACK or the SYN "
			       "is dropped without an answer and the client retries after 1, 3, "
			       "7 s: a local connect that hangs for seconds. On a local port "
			       "\"possible SYN flooding\" is this, not an attack.",
			.evidence = "Growth of TcpExt ListenOverflows, ListenDrops (any reason), "
				    "TCPReqQFullDrop and TCPReqQFullDoCookies; LISTEN sockets with "
				    "Recv-Q above Send-Q in inet_diag.",
			.verify = "The counters stand still under the same load; `ss -lnt` shows "
				  "Recv-Q below Send-Q.",
			.cure = "Make the application accept faster and ask for a larger backlog, "
				"then raise net.core.somaxconn; check its limit of open files.",
			.cost = "More waiting connections in memory; overload shows later.",
			.remedies = ZH_LIST("somaxconn", "tcp-max-syn-backlog"),
			.needs = ZH_LIST("netstat.TcpExt.*", "listen.full", "listen.*.queue",
				"listen.*.backlog", "listen.*.port", "listen.*.addr",
				"sysctl.net/core/somaxconn", "sysctl.net/ipv4/tcp_max_syn_backlog",
				"kmsg.*.count"),
		},
	.run = run,
};
