/* SPDX-License-Identifier: BSD-2-Clause */
#include "explain/checks/support.h"

static void run(const struct zh_check *check, struct zh_explain *ex)
{
	static const struct zh_check_counter counters[] = {
		{"netstat.TcpExt.TCPMemoryPressures", "TcpExt TCPMemoryPressures", 1, 1, true},
		{"netstat.TcpExt.TCPAbortOnMemory", "TcpExt TCPAbortOnMemory", 1, 1, true},
		{"netstat.TcpExt.PFMemallocDrop", "TcpExt PFMemallocDrop", 1, 1, true},
		{"kmsg.tcp_memory.count", "\"TCP: out of memory\" in the kernel log", 1, 1, true},
		{},
	};
	uint64_t pages = zh_check_number(ex, 0, "sockstat.TCP.mem");
	uint64_t pressure = zh_check_number(ex, 0, "sysctl.net/ipv4/tcp_mem.pressure");
	uint64_t high = zh_check_number(ex, 0, "sysctl.net/ipv4/tcp_mem.high");
	struct zh_finding *finding =
		zh_check_counters(check, ex, counters, "TCP ran into its memory limit");

	if (!finding && pressure && pages >= pressure)
		finding = zh_finding_add(ex, &check->rule, ZH_SEVERITY_WARNING, ZH_CONFIDENCE_HIGH,
			"TCP buffers hold %llu pages, above the pressure mark of %llu",
			(unsigned long long)pages, (unsigned long long)pressure);
	if (finding)
		zh_finding_evidence(finding,
			"sockstat TCP mem %llu pages; tcp_mem pressure %llu, high %llu",
			(unsigned long long)pages, (unsigned long long)pressure,
			(unsigned long long)high);
}

const struct zh_check zh_check_tcp_memory = {
	.rule =
		{
			.id = "tcp-memory",
			.code = "C23",
			.title = "TCP memory pressure",
			.summary = "All TCP sockets together are at or above the pressure mark of "
				   "tcp_mem.",
			.why = "Above the mark the kernel shrinks windows, collapses and prunes "
			       "queues of every connection of the machine; at the limit it drops "
			       "data and kills sockets. One program with large unread buffers slows "
			       "all others, on loopback too.",
			.evidence = "Growth of TcpExt TCPMemoryPressures and TCPAbortOnMemory; TCP "
				    "mem of /proc/net/sockstat against tcp_mem (in pages).",
			.verify = "TCP mem stays below the pressure mark.",
			.cure = "Bound the program that holds the buffers (`ss -tmn`), lower the "
				"maxima of tcp_rmem and tcp_wmem, or raise tcp_mem.",
			.cost = "Kernel memory.",
			.remedies = ZH_LIST("tcp-mem", "tcp-rmem"),
			.needs = ZH_LIST("netstat.TcpExt.*", "sockstat.TCP.mem",
				"sysctl.net/ipv4/tcp_mem.pressure", "sysctl.net/ipv4/tcp_mem.high",
				"kmsg.*.count"),
		},
	.run = run,
};
