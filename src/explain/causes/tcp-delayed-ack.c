/* SPDX-License-Identifier: BSD-2-Clause */
#include <inttypes.h>
#include <stdio.h>

#include "base/units.h"
#include "explain/claims.h"
#include "explain/tcp-modes.h"

static void run(const struct zh_cause *cause, struct zh_explain *ex)
{
	struct zh_claims claims;
	struct zh_finding *finding;
	struct zh_tcp_modes modes = zh_tcp_modes_find(ex);
	uint64_t moved;

	finding = zh_cause_report(ex, cause, ZH_POLICY_FAULT, ZH_CONFIDENCE_HIGH, &claims);
	if (!finding)
		return;
	if (modes.ack40)
		zh_finding_evidence(finding,
			"%" PRIu64 " of %" PRIu64 " round trips took 38 to 60 ms: a delayed ACK",
			modes.ack40, modes.n);
	if (modes.rto200)
		zh_finding_evidence(finding,
			"%" PRIu64 " of %" PRIu64
			" round trips took 200 to 260 ms: a retransmission",
			modes.rto200, modes.n);
	if (claims.stage_ns[ZH_STAGE_HELD])
		zh_finding_evidence(finding,
			"%s between the return of send and the queueing at the device",
			ZH_NS_TEXT(claims.stage_ns[ZH_STAGE_HELD]));
	if (zh_explain_delta(ex, &moved, "netstat.TcpExt.DelayedACKs"))
		zh_finding_evidence(finding, "DelayedACKs moved by %" PRIu64, moved);
	if (zh_explain_delta(ex, &moved, "snmp.Tcp.RetransSegs") && moved)
		zh_finding_evidence(finding, "RetransSegs moved by %" PRIu64, moved);
	if (!modes.ack40 && !modes.rto200)
		finding->confidence = ZH_CONFIDENCE_MEDIUM;
}

const struct zh_cause zh_cause_tcp_delayed_ack = {
	.rule =
		{
			.id = "tcp-delayed-ack",
			.code = "L18",
			.title = "TCP waiting: Nagle, delayed ACK, retransmission",
			.summary = "TCP held data back although both ends and the path were "
				   "free.",
			.why = "Nagle's algorithm keeps a second small write until the first is "
			       "acknowledged; the receiver delays that acknowledgement by "
			       "about 40 ms, hoping to send it with data. Lost segments wait "
			       "for the retransmission timer: 200 ms at least, a lost SYN 1 s.",
			.evidence = "Data was queued at the device only after the send call had "
				    "returned, or the receiver slept 20 ms and more between two "
				    "parts of a message; round trips gather at 40 ms or 200 ms; "
				    "DelayedACKs or retransmissions moved.",
			.verify = "With TCP_NODELAY, or one write a message, the 40 ms mode "
				  "vanishes.",
			.cure = "Set TCP_NODELAY on the socket, or write each message with one "
				"call.",
			.cost = "More small packets.",
			.needs = (const char *const[]){"trace.packets",
				"netstat.TcpExt.DelayedACKs", NULL},
		},
	.run = run,
};
