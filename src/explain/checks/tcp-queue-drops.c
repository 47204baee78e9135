/* SPDX-License-Identifier: BSD-2-Clause */
#include "explain/checks/support.h"

static void run(const struct zh_check *check, struct zh_explain *ex)
{
	static const struct zh_check_counter counters[] = {
		{"netstat.TcpExt.TCPBacklogDrop", "TcpExt TCPBacklogDrop", 1, 10, true},
		{"netstat.TcpExt.TCPRcvQDrop", "TcpExt TCPRcvQDrop", 1, 10, true},
		{"netstat.TcpExt.TCPZeroWindowDrop", "TcpExt TCPZeroWindowDrop", 1, 20, false},
		{"netstat.TcpExt.TCPOFODrop", "TcpExt TCPOFODrop", 1, 10, false},
		{},
	};

	zh_check_counters(check, ex, counters, "TCP dropped segments at a socket's own queue");
}

const struct zh_check zh_check_tcp_queue_drops = {
	.rule =
		{
			.id = "tcp-queue-drops",
			.code = "C23",
			.title = "TCP socket queue drops",
			.summary =
				"Segments were dropped at a full receive queue or at the backlog "
				"of a locked socket.",
			.why = "While a process works inside a socket, arriving segments go to its "
			       "backlog; past the buffer they are dropped and must be sent again, "
			       "after at least 200 ms when nothing follows them. A receiver that "
			       "does not read closes its window and drops what still comes.",
			.evidence = "Growth of TcpExt TCPBacklogDrop, TCPRcvQDrop, "
				    "TCPZeroWindowDrop and TCPOFODrop.",
			.verify = "The counters stand still.",
			.cure = "A larger receive buffer (tcp_rmem) and a reader that keeps up.",
			.cost = "Memory.",
			.remedies = ZH_LIST("tcp-rmem"),
			.needs = ZH_LIST("netstat.TcpExt.*"),
		},
	.run = run,
};
