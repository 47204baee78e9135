/* SPDX-License-Identifier: BSD-2-Clause */
/* Softirqs, scheduling, hypervisor, clock and power: families 16 to 21. */
#include "explain/checks/test-cases.h"

extern const struct zh_check zh_check_softnet_drops, zh_check_softnet_squeezed,
	zh_check_one_cpu_softirq, zh_check_virtual_link_drops, zh_check_rps_on_lo,
	zh_check_irqbalance_conflict, zh_check_ksoftirqd_wait, zh_check_cpu_pressure,
	zh_check_memory_pressure, zh_check_kernel_stalls, zh_check_cfs_throttled,
	zh_check_cfs_quota, zh_check_steal, zh_check_steal_unreported, zh_check_slow_clock,
	zh_check_cpuidle_deep, zh_check_guest_idle, zh_check_haltpoll_inert,
	zh_check_pm_qos_placebo, zh_check_busy_poll_placebo, zh_check_tcp_low_latency_placebo,
	zh_check_cpu_governor, zh_check_timer_coarse, zh_check_numa_balancing;

#define ONE_CPU                                                                                    \
	"topology.cpus 4\nsoftnet.cpu.0.processed_pkts 0 10000\n"                                  \
	"softnet.cpu.1.processed_pkts 0 900000\n"
#define POLICY "cpufreq.policy0.hw_max_hz 3000000000\ncpufreq.policy0.max_hz 3000000000\n"
#define C6                                                                                         \
	"cpuidle.driver =intel_idle\ncpu.0.idle.C6.exit_ns 170000\ncpu.0.idle.C6.disabled 0\n"     \
	"cpu.0.idle.C1.exit_ns 2000\ncpu.0.idle.C1.usage 0 900\ncpu.0.idle.C1.disabled 0\n"

const struct zh_case zh_cases_cpu[] = {
	{&zh_check_softnet_drops, "many", ZH_SEVERITY_WARNING,
		"softnet.cpu.0.dropped_pkts 5 25\nsoftnet.cpu.0.processed_pkts 0 10000\n"
		"link.veth0.rx_dropped_pkts 5 25",
		{}},
	{&zh_check_softnet_drops, "many, of another namespace", ZH_SEVERITY_LOW,
		"softnet.cpu.0.dropped_pkts 5 25\nsoftnet.cpu.0.processed_pkts 0 10000\n"
		"link.veth0.rx_dropped_pkts 5",
		{}},
	{&zh_check_softnet_drops, "with loss", ZH_SEVERITY_WARNING,
		"softnet.cpu.0.dropped_pkts 5 6\nsoftnet.cpu.0.processed_pkts 0 1000000\n"
		"link.lo.rx_dropped_pkts 0 1",
		{.lost = 1}},
	{&zh_check_softnet_drops, "a few of a million", ZH_SEVERITY_LOW,
		"softnet.cpu.0.dropped_pkts 5 8\nsoftnet.cpu.0.processed_pkts 0 1000000", {}},
	{&zh_check_softnet_drops, "old ones", SILENT,
		"softnet.cpu.0.dropped_pkts 500\nsoftnet.cpu.0.processed_pkts 0 10000", {}},

	{&zh_check_softnet_squeezed, "often", ZH_SEVERITY_LOW, "softnet.cpu.1.squeezed 100 200",
		{}},
	{&zh_check_softnet_squeezed, "now and then", SILENT, "softnet.cpu.1.squeezed 100 103", {}},

	{&zh_check_one_cpu_softirq, "full and squeezed", ZH_SEVERITY_WARNING,
		ONE_CPU "cpu.1.time.softirq_ns 0 9000000000\nsoftnet.cpu.1.squeezed 0 40", {}},
	{&zh_check_one_cpu_softirq, "busy", ZH_SEVERITY_LOW,
		ONE_CPU "cpu.1.time.softirq_ns 0 6000000000", {}},
	{&zh_check_one_cpu_softirq, "one sender", SILENT,
		ONE_CPU "cpu.1.time.softirq_ns 0 900000000", {}},
	{&zh_check_one_cpu_softirq, "few packets", SILENT,
		"topology.cpus 4\nsoftnet.cpu.1.processed_pkts 0 9000\n"
		"cpu.1.time.softirq_ns 0 9000000000",
		{}},

	{&zh_check_virtual_link_drops, "host side of a pod", ZH_SEVERITY_WARNING,
		"link.cali1.kind =veth\nlink.cali1.rx_dropped_pkts 100 5000\n"
		"link.cali1.rx_pkts 0 400000\nqueue.cali1.rx.count 1\n"
		"queue.cali1.rx.0.rps_cpus =",
		{}},
	{&zh_check_virtual_link_drops, "two frames", ZH_SEVERITY_LOW,
		"link.cali1.kind =veth\nlink.cali1.rx_dropped_pkts 100 102\n"
		"link.cali1.rx_pkts 0 400000",
		{}},
	{&zh_check_virtual_link_drops, "a NIC's", SILENT,
		"link.eth0.kind =device\nlink.eth0.rx_dropped_pkts 100 5000", {}},
	{&zh_check_virtual_link_drops, "old ones", SILENT,
		"link.cali1.kind =veth\nlink.cali1.rx_dropped_pkts 5000", {}},

	{&zh_check_rps_on_lo, "set", ZH_SEVERITY_LOW,
		"queue.lo.rx.0.rps_cpus =0-1\nsoftnet.cpu.1.received_rps 0 500", {}},
	{&zh_check_rps_on_lo, "off", SILENT,
		"queue.lo.rx.0.rps_cpus =\nqueue.veth0.rx.0.rps_cpus =0-1", {}},

	{&zh_check_irqbalance_conflict, "moved", ZH_SEVERITY_LOW,
		"<irq.24.affinity =0\n>irq.24.affinity =3\nirq.24.name =virtio0-input.0\n"
		"agent.irqbalance.count 1",
		{}},
	{&zh_check_irqbalance_conflict, "beside RPS", ZH_SEVERITY_INFO,
		"agent.irqbalance.count 1\nqueue.veth0.rx.0.rps_cpus =0-1", {}},
	{&zh_check_irqbalance_conflict, "alone", SILENT,
		"agent.irqbalance.count 1\nirq.24.affinity =0-3\nqueue.veth0.rx.0.rps_cpus =", {}},

	{&zh_check_ksoftirqd_wait, "5 ms", ZH_SEVERITY_LOW,
		"ksoftirqd.1.wait_ns 0 500000000\nksoftirqd.1.runs 0 100", {}},
	{&zh_check_ksoftirqd_wait, "50 us", SILENT,
		"ksoftirqd.1.wait_ns 0 5000000\nksoftirqd.1.runs 0 100", {}},

	{&zh_check_cpu_pressure, "60 %", ZH_SEVERITY_LOW, "psi.cpu.some.total_ns 0 6000000000", {}},
	{&zh_check_cpu_pressure, "5 %", SILENT, "psi.cpu.some.total_ns 9000000000 9500000000", {}},

	{&zh_check_memory_pressure, "30 %", ZH_SEVERITY_WARNING,
		"psi.memory.some.total_ns 0 3000000000\nvmstat.pgscan_direct 0 9000", {}},
	{&zh_check_memory_pressure, "own limit", ZH_SEVERITY_LOW,
		"cgroup./kube/slice/pod.relation =own\ncgroup./kube/slice/pod.memory_events.max 1 4",
		{}},
	{&zh_check_memory_pressure, "none", SILENT,
		"psi.memory.some.total_ns 5000000000 5000100000\ncgroup./a.relation =own\n"
		"cgroup./a.memory_failcnt 50\ncgroup./b.relation =other\n"
		"cgroup./b.memory_failcnt 0 9",
		{}},

	{&zh_check_kernel_stalls, "soft lockup", ZH_SEVERITY_WARNING, "kmsg.soft_lockup.count 0 1",
		{}},
	{&zh_check_kernel_stalls, "an old one", SILENT, "kmsg.soft_lockup.count 1", {}},

	{&zh_check_cfs_throttled, "own group", ZH_SEVERITY_WARNING,
		"cgroup./pod.relation =ancestor\ncgroup./pod.nr_throttled 5 15\n"
		"cgroup./pod.nr_periods 50 150\ncgroup./pod.throttled_ns 0 800000000\n"
		"cgroup./pod.quota_ns 10000000\ncgroup./pod.period_ns 100000000",
		{}},
	{&zh_check_cfs_throttled, "another group", ZH_SEVERITY_LOW,
		"cgroup./pod.relation =other\ncgroup./pod.nr_throttled 5 15", {}},
	{&zh_check_cfs_throttled, "long ago", SILENT,
		"cgroup./pod.relation =own\ncgroup./pod.nr_throttled 500", {}},

	{&zh_check_cfs_quota, "set", ZH_SEVERITY_INFO,
		"cgroup./pod.relation =own\ncgroup./pod.quota_ns 50000000\n"
		"cgroup./pod.period_ns 100000000\ncgroup./pod.nr_throttled 3",
		{}},
	{&zh_check_cfs_quota, "of another group", SILENT,
		"cgroup./pod.relation =other\ncgroup./pod.quota_ns 50000000\n"
		"cgroup./pod.period_ns 100000000",
		{}},

	{&zh_check_steal, "most of it", ZH_SEVERITY_WARNING,
		"cpu.all.time.steal_ns 0 35600000000\ntopology.cpus 4\nvirt.type =kvm", {}},
	{&zh_check_steal, "a shared host", ZH_SEVERITY_LOW,
		"cpu.all.time.steal_ns 0 4000000000\ntopology.cpus 4\nvirt.type =kvm", {}},
	{&zh_check_steal, "three ticks", SILENT,
		"cpu.all.time.steal_ns 900000000 930000000\ntopology.cpus 1", {}},

	{&zh_check_steal_unreported, "spikes", ZH_SEVERITY_INFO,
		"virt.guest 1\nvirt.type =vmware\nvirt.steal_clock =never moved", {.spikes = 4}},
	{&zh_check_steal_unreported, "no spikes", SILENT,
		"virt.guest 1\nvirt.type =vmware\nvirt.steal_clock =never moved", {}},
	{&zh_check_steal_unreported, "bare metal", SILENT,
		"virt.guest 0\nvirt.steal_clock =never moved", {.spikes = 4}},

	{&zh_check_slow_clock, "hpet", ZH_SEVERITY_WARNING,
		"clock.source =hpet\nclock.gettime_ns 1400\nclock.available =hpet acpi_pm", {}},
	{&zh_check_slow_clock, "without vDSO", ZH_SEVERITY_LOW,
		"clock.source =xen\nclock.gettime_ns 420", {}},
	{&zh_check_slow_clock, "kvm-clock", SILENT, "clock.source =kvm-clock\nclock.gettime_ns 45",
		{}},

	{&zh_check_cpuidle_deep, "spikes of milliseconds", ZH_SEVERITY_WARNING,
		C6 "cpu.0.idle.C6.usage 100 900",
		{.near_us = 60, .far_us = 900, .far_p99_us = 15000}},
	{&zh_check_cpuidle_deep, "an ordinary laptop", ZH_SEVERITY_LOW,
		C6 "cpu.0.idle.C6.usage 100 900",
		{.near_us = 30, .far_us = 150, .far_p99_us = 400}},
	{&zh_check_cpuidle_deep, "entered, RTT flat", ZH_SEVERITY_INFO,
		C6 "cpu.0.idle.C6.usage 100 900", {.near_us = 30, .far_us = 40, .far_p99_us = 90}},
	{&zh_check_cpuidle_deep, "not entered", SILENT, C6 "cpu.0.idle.C6.usage 900",
		{.near_us = 60, .far_us = 900, .far_p99_us = 15000}},

	{&zh_check_guest_idle, "grows", ZH_SEVERITY_LOW,
		"virt.guest 1\nvirt.type =kvm\ncpuidle.driver =none",
		{.near_us = 20, .far_us = 140, .far_p99_us = 3000}},
	{&zh_check_guest_idle, "flat", SILENT, "virt.guest 1\ncpuidle.driver =none",
		{.near_us = 20, .far_us = 30}},
	{&zh_check_guest_idle, "bare metal", SILENT, "virt.guest 0\ncpuidle.driver =none",
		{.near_us = 20, .far_us = 140}},

	{&zh_check_haltpoll_inert, "asked for, no driver", ZH_SEVERITY_INFO,
		"cpuidle.driver =none\nmodule.cpuidle_haltpoll.force =Y\n"
		"module.haltpoll.guest_halt_poll_ns 0",
		{}},
	{&zh_check_haltpoll_inert, "active", SILENT,
		"cpuidle.driver =haltpoll\nmodule.cpuidle_haltpoll.force =Y\n"
		"module.haltpoll.guest_halt_poll_ns 200000",
		{}},

	{&zh_check_pm_qos_placebo, "held in a guest", ZH_SEVERITY_INFO,
		"cpuidle.driver =none\ncpuidle.dma_latency_us 0", {}},
	{&zh_check_pm_qos_placebo, "held on metal", SILENT,
		"cpuidle.driver =intel_idle\ncpuidle.dma_latency_us 3", {}},
	{&zh_check_pm_qos_placebo, "not held", SILENT,
		"cpuidle.driver =none\ncpuidle.dma_latency_us 2000000000", {}},

	{&zh_check_busy_poll_placebo, "set", ZH_SEVERITY_INFO,
		"sysctl.net/core/busy_read 50\nsysctl.net/core/busy_poll 50\n"
		"netstat.TcpExt.BusyPollRxPackets 7",
		{}},
	{&zh_check_busy_poll_placebo, "polling something", SILENT,
		"sysctl.net/core/busy_read 50\nnetstat.TcpExt.BusyPollRxPackets 7 90", {}},

	{&zh_check_tcp_low_latency_placebo, "set", ZH_SEVERITY_INFO,
		"sysctl.net/ipv4/tcp_low_latency 1", {}},
	{&zh_check_tcp_low_latency_placebo, "default", SILENT, "sysctl.net/ipv4/tcp_low_latency 0",
		{}},

	{&zh_check_cpu_governor, "ondemand", ZH_SEVERITY_LOW,
		POLICY "cpufreq.policy0.governor =ondemand\n"
		       "cpufreq.policy0.driver =acpi-cpufreq",
		{}},
	{&zh_check_cpu_governor, "capped", ZH_SEVERITY_LOW,
		"cpufreq.policy0.hw_max_hz 3000000000\ncpufreq.policy0.max_hz 1200000000\n"
		"cpufreq.policy0.governor =performance\ncpufreq.policy0.driver =intel_pstate",
		{}},
	{&zh_check_cpu_governor, "powersave of intel_pstate", SILENT,
		POLICY "cpufreq.policy0.governor =powersave\n"
		       "cpufreq.policy0.driver =intel_pstate",
		{}},
	{&zh_check_cpu_governor, "schedutil", SILENT,
		POLICY "cpufreq.policy0.governor =schedutil\n"
		       "cpufreq.policy0.driver =acpi-cpufreq",
		{}},

	{&zh_check_timer_coarse, "no high resolution", ZH_SEVERITY_LOW,
		"clock.timer_slack_ns 50000\nclock.timer_resolution_ns 4000000", {}},
	{&zh_check_timer_coarse, "some slack", ZH_SEVERITY_INFO,
		"clock.timer_slack_ns 100000\nclock.timer_resolution_ns 1", {}},
	{&zh_check_timer_coarse, "default", SILENT,
		"clock.timer_slack_ns 50000\nclock.timer_resolution_ns 1", {}},

	{&zh_check_numa_balancing, "migrations", ZH_SEVERITY_LOW,
		"topology.nodes 2\nvmstat.numa_pages_migrated 0 9000\n"
		"sysctl.kernel/numa_balancing 1",
		{}},
	{&zh_check_numa_balancing, "one node", SILENT,
		"topology.nodes 1\nvmstat.numa_pages_migrated 0 9000", {}},
	{},
};
