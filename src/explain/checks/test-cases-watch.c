/* SPDX-License-Identifier: BSD-2-Clause */
/* A device under watch. */
#include "explain/checks/test-cases.h"

extern const struct zh_check zh_check_rx_cpu_saturated, zh_check_receiver_overflow,
	zh_check_peer_down, zh_check_rx_one_flow, zh_check_backlog_burst, zh_check_rps_busy_cpu,
	zh_check_ksoftirqd_wait, zh_check_softnet_squeezed, zh_check_bridge_filter_drop;

#define FULL_CPU                                                                                   \
	"watch.window_ns 5000000000\nwatch.dev =cali1\nwatch.cpu.1.softirq_ns 100000000\n"         \
	"topology.possible =0-3\ntopology.online =0-3\nwatch.flow.0.cpu 0\n"                       \
	"watch.flow.0.dev =cali0\nwatch.flow.0.to_place =pod shop/redis-0\n"                       \
	"watch.flow.0.same_place 1\nqueue.cali0.rx.0.rps_cpus =0\nwatch.cpu.0.flows 16\n"          \
	"watch.cpu.0.top_flow_permille 70\n"

/* One flow has nearly all. */
#define ONE_FLOW FULL_CPU "watch.cpu.0.top_flow_permille 990\n"

/* 400 000 packets in 0.6 s of softirqs; `idle` and `user` in seconds of the ten between the facts.
 */
#define WORK(idle, user, dropped)                                                                  \
	FULL_CPU "watch.cpu.0.softirq_ns 600000000\nsoftnet.cpu.0.processed_pkts 0 400000\n"       \
		 "cpu.0.time.idle_ns 0 " idle "000000000\ncpu.0.time.user_ns 0 " user              \
		 "000000000\n"                                                                     \
		 "softnet.cpu.0.dropped_pkts 0 " dropped "\ncpu.1.time.idle_ns 0 4000000000\n"     \
		 "watch.cpu.0.hog.name =crunch\nwatch.cpu.0.hog.pid 4711\n"                        \
		 "watch.cpu.0.hog.run_ns 4000000000\nwatch.cpu.0.hog.nice =0\n"                    \
		 "watch.cpu.0.hog.real_time 0\n"
/* 2 000 000 packets in 3.5 of 5 s, and 90 000 dropped; `idle` in seconds of ten. */
#define BUSY(idle)                                                                                 \
	WORK(idle, "4", "90000")                                                                   \
	"watch.cpu.0.softirq_ns 3500000000\nsoftnet.cpu.0.processed_pkts 0 2000000\n"
#define WAITS "ksoftirqd.0.wait_ns 0 2000000000\nksoftirqd.0.runs 0 200\n"
#define ALL_CPUS "queue.cali0.rx.0.rps_cpus =0-3\n"

#define FILTERED                                                                                   \
	"watch.dev =vnet1\nbrport.vnet1.bridge =br0\nwatch.drop.0.count 900\n"                     \
	"watch.drop.0.reason =NETFILTER_DROP\nwatch.drop.0.function =nft_do_chain\n"               \
	"watch.drop.0.dev =vnet1\nwatch.drop.0.same_place 1\nwatch.drop.0.ours 1\n"

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
	{&zh_check_rx_cpu_saturated, "one flow is another finding", SILENT,
		ONE_FLOW "watch.cpu.0.softirq_ns 4900000000\nsoftnet.cpu.0.dropped_pkts 7 90000",
		{}},
	{&zh_check_rx_one_flow, "one flow, dropping", ZH_SEVERITY_CRITICAL,
		ONE_FLOW "watch.cpu.0.softirq_ns 4900000000\nsoftnet.cpu.0.dropped_pkts 7 90000",
		{}},
	{&zh_check_rx_one_flow, "one flow, full", ZH_SEVERITY_WARNING,
		ONE_FLOW "watch.cpu.0.softirq_ns 4900000000", {}},
	{&zh_check_rx_one_flow, "one flow, room left", SILENT,
		ONE_FLOW "watch.cpu.0.softirq_ns 2400000000", {}},
	{&zh_check_rx_one_flow, "many flows", SILENT,
		FULL_CPU "watch.cpu.0.softirq_ns 4900000000\nsoftnet.cpu.0.dropped_pkts 7 90000",
		{}},

	{&zh_check_backlog_burst, "time enough for what was dropped", ZH_SEVERITY_CRITICAL,
		WORK("4", "0", "90000"), {}},
	{&zh_check_backlog_burst, "time that softirqs take from a program", ZH_SEVERITY_CRITICAL,
		WORK("0", "4", "90000"), {}},
	{&zh_check_backlog_burst, "busy, with idle time for what was dropped", ZH_SEVERITY_CRITICAL,
		BUSY("2"), {}},
	{&zh_check_backlog_burst, "the rest of a busy CPU is tasks", SILENT, BUSY("0"), {}},
	{&zh_check_rx_cpu_saturated, "busy beside tasks", ZH_SEVERITY_CRITICAL, BUSY("0"), {}},
	{&zh_check_backlog_burst, "more dropped than there is time for", SILENT,
		WORK("1", "0", "900000"), {}},
	{&zh_check_backlog_burst, "a few drops", SILENT, WORK("4", "0", "90"), {}},
	{&zh_check_backlog_burst, "ksoftirqd waited meanwhile", SILENT,
		WORK("3", "1", "90000") WAITS, {}},
	{&zh_check_backlog_burst, "no idle time known", SILENT,
		FULL_CPU "watch.cpu.0.softirq_ns 600000000\nsoftnet.cpu.0.dropped_pkts 7 90000\n"
			 "softnet.cpu.0.processed_pkts 0 400000",
		{}},

	{&zh_check_rps_busy_cpu, "a program has the time that is missing", ZH_SEVERITY_CRITICAL,
		WORK("0", "4", "90000") WAITS, {}},
	{&zh_check_rps_busy_cpu, "ksoftirqd waits, nothing dropped", ZH_SEVERITY_WARNING,
		WORK("0", "4", "0") WAITS, {}},
	{&zh_check_rps_busy_cpu, "busy, but nobody waits", SILENT, WORK("0", "4", "0"), {}},
	{&zh_check_rps_busy_cpu, "the mask holds all CPUs", SILENT,
		WORK("0", "4", "90000") ALL_CPUS WAITS, {}},
	{&zh_check_rps_busy_cpu, "no CPU is free", SILENT,
		WORK("0", "4", "90000") WAITS "cpu.1.time.idle_ns 0 100000000", {}},
	{&zh_check_rps_busy_cpu, "more than the CPU could do alone", SILENT,
		WORK("0", "4", "9000000") WAITS, {}},

	{&zh_check_ksoftirqd_wait, "watched, steered everywhere", ZH_SEVERITY_CRITICAL,
		WORK("0", "4", "90000") ALL_CPUS WAITS, {}},
	{&zh_check_ksoftirqd_wait, "watched, waits", ZH_SEVERITY_WARNING,
		WORK("0", "4", "0") ALL_CPUS WAITS, {}},
	{&zh_check_ksoftirqd_wait, "watched, the mask is to blame", SILENT,
		WORK("0", "4", "90000") WAITS, {}},
	{&zh_check_ksoftirqd_wait, "watched, short waits", SILENT,
		WORK("0", "4", "0") ALL_CPUS
		"ksoftirqd.0.wait_ns 0 2000000000\nksoftirqd.0.runs 0 20000",
		{}},

	{&zh_check_softnet_squeezed, "a budget below one poll", ZH_SEVERITY_WARNING,
		"softnet.cpu.1.squeezed 100 900\nsysctl.net/core/netdev_budget 48\n"
		"sysctl.net/core/netdev_budget_usecs 8000\nsysctl.net/core/dev_weight 64",
		{}},
	{&zh_check_softnet_squeezed, "the default budget", ZH_SEVERITY_LOW,
		"softnet.cpu.1.squeezed 100 900\nsysctl.net/core/netdev_budget 300\n"
		"sysctl.net/core/netdev_budget_usecs 8000\nsysctl.net/core/dev_weight 64",
		{}},
	{&zh_check_softnet_squeezed, "a small budget that is never used up", SILENT,
		"softnet.cpu.1.squeezed 100\nsysctl.net/core/netdev_budget 8", {}},

	{&zh_check_bridge_filter_drop, "a rule that counts", ZH_SEVERITY_CRITICAL,
		FILTERED
		"nft.chain.0.family =bridge\nnft.chain.0.table =fw\nnft.chain.0.name =fwd\n"
		"nft.chain.0.hook =forward\nnft.chain.0.policy =accept\n"
		"nft.chain.0.reach_rules 3\nnft.counter.bridge:fw:fwd:7.pkts 5 905\n"
		"nft.counter.bridge:fw:fwd:7.verdict =drop",
		{}},
	{&zh_check_bridge_filter_drop, "by way of IP", ZH_SEVERITY_CRITICAL,
		FILTERED "sysctl.net/bridge/bridge-nf-call-iptables 1\nnft.chain.0.family =ip\n"
			 "nft.chain.0.table =filter\nnft.chain.0.name =FORWARD\n"
			 "nft.chain.0.hook =forward\nnft.chain.0.policy =drop",
		{}},
	{&zh_check_bridge_filter_drop, "no port of a bridge", SILENT,
		"watch.dev =vnet1\nwatch.drop.0.count 900\nwatch.drop.0.reason =NETFILTER_DROP\n"
		"watch.drop.0.dev =vnet1\nwatch.drop.0.same_place 1\nwatch.drop.0.ours 1",
		{}},
	{&zh_check_bridge_filter_drop, "another namespace's", SILENT,
		FILTERED "watch.drop.0.same_place 0", {}},
	{&zh_check_bridge_filter_drop, "another reason", SILENT,
		FILTERED "watch.drop.0.reason =SOCKET_RCVBUFF", {}},

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
