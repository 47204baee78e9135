/* SPDX-License-Identifier: BSD-2-Clause */
/* Sockets, memory and ports: families 6 and 22 to 24. */
#include "explain/checks/test-cases.h"

#include <errno.h>

extern const struct zh_check zh_check_delayed_ack, zh_check_listen_overflow, zh_check_file_limit,
	zh_check_udp_rcvbuf, zh_check_udp_memory, zh_check_unix_dgram_qlen, zh_check_tcp_memory,
	zh_check_tcp_collapse, zh_check_tcp_queue_drops, zh_check_tcp_timeouts,
	zh_check_port_exhaustion, zh_check_icmp_ratelimit;

const struct zh_case zh_cases_queues[] = {
	{&zh_check_delayed_ack, "40 ms and DelayedACKs", ZH_SEVERITY_WARNING,
		"netstat.TcpExt.DelayedACKs 5 27",
		{.transport = ZH_TRANSPORT_TCP, .marked = 20, .marked_rtt_ms = 44}},
	{&zh_check_delayed_ack, "40 ms without them", SILENT, "netstat.TcpExt.DelayedACKs 5 6",
		{.transport = ZH_TRANSPORT_TCP, .marked = 20, .marked_rtt_ms = 44}},
	{&zh_check_delayed_ack, "DelayedACKs of others", SILENT, "netstat.TcpExt.DelayedACKs 5 900",
		{.transport = ZH_TRANSPORT_TCP}},
	{&zh_check_delayed_ack, "another transport", SILENT, "netstat.TcpExt.DelayedACKs 5 900",
		{.marked = 20, .marked_rtt_ms = 44}},

	{&zh_check_listen_overflow, "overflows", ZH_SEVERITY_WARNING,
		"netstat.TcpExt.ListenOverflows 10 16\nnetstat.TcpExt.ListenDrops 10 16\n"
		"listen.full 1\nlisten.0.port 80\nlisten.0.queue 2\nlisten.0.backlog 1",
		{}},
	{&zh_check_listen_overflow, "full, nobody came", ZH_SEVERITY_LOW,
		"netstat.TcpExt.ListenOverflows 10\nlisten.full 1\nlisten.0.port 80\n"
		"listen.0.queue 2\nlisten.0.backlog 1",
		{}},
	{&zh_check_listen_overflow, "old ones", SILENT,
		"netstat.TcpExt.ListenOverflows 10\nnetstat.TcpExt.ListenDrops 16\nlisten.full 0",
		{}},

	{&zh_check_file_limit, "97 %", ZH_SEVERITY_WARNING,
		"sysctl.fs/file-nr.open 970\nsysctl.fs/file-nr.max 1000", {}},
	{&zh_check_file_limit, "a few", SILENT,
		"sysctl.fs/file-nr.open 2000\nsysctl.fs/file-nr.max 9223372036854775807", {}},

	{&zh_check_udp_rcvbuf, "44 of 50", ZH_SEVERITY_WARNING, "snmp.Udp.RcvbufErrors 0 44", {}},
	{&zh_check_udp_rcvbuf, "IPv6 and loss", ZH_SEVERITY_WARNING, "snmp6.Udp6RcvbufErrors 0 2",
		{.transport = ZH_TRANSPORT_UDP, .lost = 2}},
	{&zh_check_udp_rcvbuf, "one", ZH_SEVERITY_LOW, "snmp.Udp.RcvbufErrors 7 8", {}},
	{&zh_check_udp_rcvbuf, "old ones", SILENT, "snmp.Udp.RcvbufErrors 4400", {}},

	{&zh_check_udp_memory, "drops", ZH_SEVERITY_WARNING, "snmp.Udp.MemErrors 0 1", {}},
	{&zh_check_udp_memory, "near", ZH_SEVERITY_LOW,
		"sockstat.UDP.mem 95\nsysctl.net/ipv4/udp_mem.high 100", {}},
	{&zh_check_udp_memory, "far", SILENT,
		"sockstat.UDP.mem 5\nsysctl.net/ipv4/udp_mem.high 100\nsnmp.Udp.MemErrors 3", {}},

	{&zh_check_unix_dgram_qlen, "EAGAIN", ZH_SEVERITY_WARNING,
		"sysctl.net/unix/max_dgram_qlen 10",
		{.transport = ZH_TRANSPORT_UNIX_DGRAM,
			.marked = 5,
			.marked_flags = ZH_SAMPLE_SEND_FAILED,
			.marked_errno = EAGAIN}},
	{&zh_check_unix_dgram_qlen, "probed", ZH_SEVERITY_INFO, "sysctl.net/unix/max_dgram_qlen 10",
		{.transport = ZH_TRANSPORT_UNIX_DGRAM}},
	{&zh_check_unix_dgram_qlen, "not probed", SILENT, "sysctl.net/unix/max_dgram_qlen 10", {}},
	{&zh_check_unix_dgram_qlen, "raised", SILENT, "sysctl.net/unix/max_dgram_qlen 512",
		{.transport = ZH_TRANSPORT_UNIX_DGRAM}},

	{&zh_check_tcp_memory, "pressure entered", ZH_SEVERITY_WARNING,
		"netstat.TcpExt.TCPMemoryPressures 0 1", {}},
	{&zh_check_tcp_memory, "above the mark", ZH_SEVERITY_WARNING,
		"sockstat.TCP.mem 90\nsysctl.net/ipv4/tcp_mem.pressure 80\n"
		"sysctl.net/ipv4/tcp_mem.high 100",
		{}},
	{&zh_check_tcp_memory, "below", SILENT,
		"sockstat.TCP.mem 9\nsysctl.net/ipv4/tcp_mem.pressure 80\n"
		"netstat.TcpExt.TCPMemoryPressures 12",
		{}},

	{&zh_check_tcp_collapse, "pruned", ZH_SEVERITY_WARNING, "netstat.TcpExt.RcvPruned 0 30",
		{}},
	{&zh_check_tcp_collapse, "collapsed", ZH_SEVERITY_LOW,
		"netstat.TcpExt.TCPRcvCollapsed 0 3000", {}},
	{&zh_check_tcp_collapse, "a little", SILENT, "netstat.TcpExt.TCPRcvCollapsed 100 130", {}},

	{&zh_check_tcp_queue_drops, "backlog", ZH_SEVERITY_WARNING,
		"netstat.TcpExt.TCPBacklogDrop 0 11", {}},
	{&zh_check_tcp_queue_drops, "one", ZH_SEVERITY_LOW, "netstat.TcpExt.TCPRcvQDrop 4 5", {}},
	{&zh_check_tcp_queue_drops, "old ones", SILENT, "netstat.TcpExt.TCPBacklogDrop 11", {}},

	{&zh_check_tcp_timeouts, "tcp probe", ZH_SEVERITY_LOW,
		"netstat.TcpExt.TCPTimeouts 5 8\nnetstat.TcpExt.TCPSynRetrans 0 2",
		{.transport = ZH_TRANSPORT_TCP}},
	{&zh_check_tcp_timeouts, "of others", ZH_SEVERITY_INFO, "netstat.TcpExt.TCPTimeouts 5 8",
		{}},
	{&zh_check_tcp_timeouts, "none", SILENT, "netstat.TcpExt.TCPTimeouts 5", {}},

	{&zh_check_port_exhaustion, "refused", ZH_SEVERITY_WARNING,
		"sysctl.net/ipv4/ip_local_port_range.min 32768\n"
		"sysctl.net/ipv4/ip_local_port_range.max 60999\nsockstat.TCP.tw 28000",
		{.transport = ZH_TRANSPORT_TCP,
			.marked = 5,
			.marked_flags = ZH_SAMPLE_SEND_FAILED,
			.marked_errno = EADDRNOTAVAIL}},
	{&zh_check_port_exhaustion, "ten ports", ZH_SEVERITY_LOW,
		"sysctl.net/ipv4/ip_local_port_range.min 40000\n"
		"sysctl.net/ipv4/ip_local_port_range.max 40009\nsockstat.TCP.tw 0",
		{}},
	{&zh_check_port_exhaustion, "default", SILENT,
		"sysctl.net/ipv4/ip_local_port_range.min 32768\n"
		"sysctl.net/ipv4/ip_local_port_range.max 60999\nsockstat.TCP.tw 900\n"
		"sockstat.TCP.inuse 300",
		{}},

	{&zh_check_icmp_ratelimit, "echo ignored", ZH_SEVERITY_CRITICAL,
		"sysctl.net/ipv4/icmp_echo_ignore_all 1", {.lost = 100}},
	{&zh_check_icmp_ratelimit, "errors withheld", ZH_SEVERITY_INFO,
		"snmp.Icmp.OutRateLimitHost 0 9", {}},
	{&zh_check_icmp_ratelimit, "none", SILENT,
		"snmp.Icmp.OutRateLimitHost 9\nsysctl.net/ipv4/icmp_echo_ignore_all 0", {}},
	{},
};
