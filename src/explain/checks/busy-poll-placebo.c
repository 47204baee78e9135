/* SPDX-License-Identifier: BSD-2-Clause */
#include "explain/checks/support.h"

static void run(const struct zh_check *check, struct zh_explain *ex)
{
	uint64_t read_us = zh_check_number(ex, 0, "sysctl.net/core/busy_read");
	uint64_t poll_us = zh_check_number(ex, 0, "sysctl.net/core/busy_poll");
	uint64_t polled = zh_check_delta(ex, "netstat.TcpExt.BusyPollRxPackets");
	struct zh_finding *finding;

	if ((read_us == 0 && poll_us == 0) || polled)
		return;
	finding = zh_finding_add(ex, &check->rule, ZH_SEVERITY_INFO, ZH_CONFIDENCE_HIGH,
		"Busy polling is on (read %llu us, poll %llu us) but polled 0 packets: lo has no "
		"NAPI to poll",
		(unsigned long long)read_us, (unsigned long long)poll_us);
	zh_finding_evidence(
		finding, "TcpExt BusyPollRxPackets +0 in %.1f s", zh_check_window_s(ex));
}

const struct zh_check zh_check_busy_poll_placebo = {
	.rule =
		{
			.id = "busy-poll-placebo",
			.code = "C21",
			.title = "Busy polling on loopback",
			.summary = "net.core.busy_read or busy_poll is set, which does nothing for "
				   "local traffic.",
			.why = "Busy polling spins on the NAPI instance a packet came from. Packets "
			       "on lo, to own addresses and over a default veth come from the CPU "
			       "backlog and carry no NAPI id, so the socket does not spin at all. "
			       "The settings cost power on physical devices only.",
			.evidence = "The sysctls are not 0 and TcpExt BusyPollRxPackets did not "
				    "grow. A veth with GRO on and a peer with TSO off does have a "
				    "NAPI.",
			.verify = "BusyPollRxPackets grows; SO_INCOMING_NAPI_ID is not 0.",
			.cure = "Do not count on it for local traffic; an application that spins on "
				"epoll itself works on lo.",
			.cost = "None.",
			.remedies = ZH_LIST("busy-read", "busy-poll"),
			.needs = ZH_LIST("sysctl.net/core/busy_read", "sysctl.net/core/busy_poll",
				"netstat.TcpExt.*"),
		},
	.run = run,
};
