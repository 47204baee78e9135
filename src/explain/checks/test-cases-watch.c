/* SPDX-License-Identifier: BSD-2-Clause */
/* A device under watch. */
#include "explain/checks/test-cases.h"

extern const struct zh_check zh_check_rx_cpu_saturated, zh_check_receiver_overflow,
	zh_check_peer_down;

#define FULL_CPU                                                                                   \
	"watch.window_ns 5000000000\nwatch.dev =cali1\nwatch.cpu.1.softirq_ns 100000000\n"         \
	"topology.possible =0-3\ntopology.online =0-3\nwatch.flow.0.cpu 0\n"                       \
	"watch.flow.0.dev =cali0\nwatch.flow.0.to_place =pod shop/redis-0\n"                       \
	"watch.flow.0.same_place 1\nqueue.cali0.rx.0.rps_cpus =0\nwatch.cpu.0.flows 16\n"          \
	"watch.cpu.0.top_flow_permille 70\n"

const struct zh_case zh_cases_watch[] = {
	{&zh_check_rx_cpu_saturated, "full and dropping", ZH_SEVERITY_CRITICAL,
		FULL_CPU "watch.cpu.0.softirq_ns 4900000000\nsoftnet.cpu.0.dropped_pkts 7 90000\n"
			 "watch.drop.0.count 90000\nwatch.drop.0.reason =CPU_BACKLOG\n"
			 "watch.drop.0.dev =cali0\nwatch.drop.0.place =this namespace",
		{}},
	{&zh_check_rx_cpu_saturated, "full", ZH_SEVERITY_WARNING,
		FULL_CPU "watch.cpu.0.softirq_ns 4900000000\nsoftnet.cpu.0.dropped_pkts 7", {}},
	{&zh_check_rx_cpu_saturated, "a hog has the other half", ZH_SEVERITY_CRITICAL,
		FULL_CPU "watch.cpu.0.softirq_ns 2600000000\nsoftnet.cpu.0.dropped_pkts 7 90000",
		{}},
	{&zh_check_rx_cpu_saturated, "two hogs have most of it", ZH_SEVERITY_CRITICAL,
		FULL_CPU "watch.cpu.0.softirq_ns 1600000000\nsoftnet.cpu.0.dropped_pkts 7 90000\n"
			 "cpu.0.time.idle_ns 500 90000",
		{}},
	{&zh_check_rx_cpu_saturated, "bursts, else idle", SILENT,
		FULL_CPU "watch.cpu.0.softirq_ns 1600000000\nsoftnet.cpu.0.dropped_pkts 7 90000\n"
			 "cpu.0.time.idle_ns 500 5000000000",
		{}},
	{&zh_check_rx_cpu_saturated, "busy, nothing dropped", SILENT,
		FULL_CPU "watch.cpu.0.softirq_ns 2600000000\nsoftnet.cpu.0.dropped_pkts 7", {}},
	{&zh_check_rx_cpu_saturated, "bursts overflow an idle CPU", SILENT,
		FULL_CPU "watch.cpu.0.softirq_ns 600000000\nsoftnet.cpu.0.dropped_pkts 7 90000",
		{}},
	{&zh_check_receiver_overflow, "full socket", ZH_SEVERITY_WARNING,
		"watch.dev =cali1\nwatch.peer.place =pod a/b\nwatch.peer.snmp.Udp.RcvbufErrors 3 90",
		{}},
	{&zh_check_receiver_overflow, "once", ZH_SEVERITY_LOW,
		"watch.dev =cali1\nwatch.peer.place =pod a/b\nwatch.peer.snmp.Udp.RcvbufErrors 3 4",
		{}},
	{&zh_check_receiver_overflow, "old ones", SILENT,
		"watch.dev =cali1\nwatch.peer.snmp.Udp.RcvbufErrors 90", {}},
	{&zh_check_peer_down, "down", ZH_SEVERITY_CRITICAL,
		"watch.dev =cali1\nwatch.peer.dev =eth0\nwatch.peer.link.flags.up 0\n"
		"link.cali1.tx_dropped_pkts 4 9",
		{}},
	{&zh_check_peer_down, "up", SILENT,
		"watch.dev =cali1\nwatch.peer.dev =eth0\nwatch.peer.link.flags.up 1", {}},
	{},
};
