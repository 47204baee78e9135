/* SPDX-License-Identifier: BSD-2-Clause */
#include "explain/checks/support.h"

static void run(const struct zh_check *check, struct zh_explain *ex)
{
	static const struct zh_check_counter counters[] = {
		{"snmp.Udp.MemErrors", "Udp MemErrors", 1, 1, true},
		{"snmp6.Udp6MemErrors", "Udp6 MemErrors", 1, 1, true},
		{},
	};
	uint64_t pages = zh_check_number(ex, 0, "sockstat.UDP.mem");
	uint64_t high = zh_check_number(ex, 0, "sysctl.net/ipv4/udp_mem.high");
	struct zh_finding *finding = zh_check_counters(
		check, ex, counters, "UDP datagrams were dropped at the limit of udp_mem");

	if (!finding && high && pages * 10 >= high * 9)
		finding = zh_finding_add(ex, &check->rule, ZH_SEVERITY_LOW, ZH_CONFIDENCE_HIGH,
			"UDP buffers hold %llu of at most %llu pages", (unsigned long long)pages,
			(unsigned long long)high);
	if (finding)
		zh_finding_evidence(finding, "sockstat UDP mem %llu pages, udp_mem high %llu",
			(unsigned long long)pages, (unsigned long long)high);
}

const struct zh_check zh_check_udp_memory = {
	.rule =
		{
			.id = "udp-memory",
			.code = "C23",
			.title = "UDP memory limit",
			.summary = "All UDP sockets together reached udp_mem.",
			.why = "udp_mem bounds the memory of all UDP sockets of the machine. One "
			       "socket that nobody reads can use most of it; then every receiver "
			       "drops, whatever its own buffer.",
			.evidence =
				"Growth of Udp MemErrors; UDP mem of /proc/net/sockstat against "
				"udp_mem (both in pages).",
			.verify = "MemErrors stand still.",
			.cure = "Find the sockets with a large Recv-Q (`ss -uan`); raise udp_mem.",
			.cost = "Kernel memory.",
			.remedies = ZH_LIST("udp-mem"),
			.needs = ZH_LIST("snmp.Udp.*", "snmp6.*", "sockstat.UDP.mem",
				"sysctl.net/ipv4/udp_mem.high"),
		},
	.run = run,
};
