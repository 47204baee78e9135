/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Every collector on the live machine and on captured trees: what it adds belongs to a schema, has
 * the schema's type, and is what the tree holds; what is missing says why.
 */
#include "facts/facts.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/util.h"

/* Every fact of a snapshot belongs to a pattern of a schema and has its type. */
static void check_schema(const struct zh_fact_set *set)
{
	size_t i;

	for (i = 0; i < set->n; i++) {
		const struct zh_fact *fact = &set->facts[i];
		const struct zh_fact_schema *schema = zh_facts_schema_of(fact->key);

		if (!schema)
			fail_msg("%s is in no schema", fact->key);
		if (fact->type == ZH_FACT_UNAVAILABLE)
			assert_true(fact->text && fact->text[0]);
		else if (fact->type != schema->type)
			fail_msg("%s is of another type than its schema says", fact->key);
	}
}

static void collect_fixture(struct zh_fact_set *set, const char *name)
{
	char path[512];

	snprintf(path, sizeof(path), "%s/%s", getenv("ZH_FIXTURES"), name);
	setenv("ZH_SYSROOT", path, 1);
	assert_int_equal(zh_facts_collect(set, NULL), 0);
	check_schema(set);
}

/* What a tree must yield. A NULL text wants a number; "unavailable" wants a reason. */
struct expect {
	const char *key, *text;
	uint64_t number;
};

static const char unavailable[] = "unavailable";

static void check_values(const struct zh_fact_set *set, const struct expect *expect, size_t n)
{
	size_t i;

	for (i = 0; i < n; i++) {
		const struct zh_fact *fact = zh_fact_find(set, expect[i].key);

		if (!fact)
			fail_msg("%s is missing", expect[i].key);
		if (expect[i].text == unavailable) {
			assert_int_equal(fact->type, ZH_FACT_UNAVAILABLE);
		} else if (expect[i].text) {
			assert_int_equal(fact->type, ZH_FACT_STRING);
			assert_string_equal(fact->text, expect[i].text);
		} else {
			assert_int_equal(fact->type, ZH_FACT_NUMBER);
			if (fact->number != expect[i].number)
				fail_msg("%s is %llu, not %llu", fact->key,
					(unsigned long long)fact->number,
					(unsigned long long)expect[i].number);
		}
	}
}

#define CHECK(set, list) check_values(set, list, ZH_ARRAY_SIZE(list))

static void live(void **state)
{
	struct zh_fact_set set = {0};
	uint64_t number;

	(void)state;
	unsetenv("ZH_SYSROOT");
	assert_int_equal(zh_facts_collect(&set, NULL), 0);
	check_schema(&set);
	assert_true(zh_fact_get(&set, &number, "facts.captured"));
	assert_int_equal(number, 0);
	/* Whatever the machine: it has lo, a kernel, and a CPU that the time went to. */
	assert_true(zh_fact_get(&set, &number, "link.lo.mtu"));
	assert_true(zh_fact_get(&set, &number, "cpu.all.time.user_ns"));
	assert_non_null(zh_fact_text(&set, "kernel.release"));
	zh_fact_set_done(&set);
}

/* Two sockets, SMT, isolated CPUs, deep idle states, a busy CPU 3. */
static const struct expect bare_metal_facts[] = {
	{"topology.cpus", NULL, 64},
	{"topology.cores", NULL, 32},
	{"topology.packages", NULL, 2},
	{"topology.nodes", NULL, 2},
	{"topology.smt", "on"},
	{"cpu.35.siblings", "3,35"},
	{"cpu.35.node", NULL, 0},
	{"cpu.20.node", NULL, 1},
	{"cpu.20.package", NULL, 1},
	{"cpu.20.llc_cpus", "16-31,48-63"},
	{"cpu.20.llc_bytes", NULL, 48ull << 20},
	{"node.1.distance", "20 10"},
	{"node.0.numa_foreign", NULL, 81233},
	{"cpuidle.driver", "intel_idle"},
	{"cpuidle.governor", "menu"},
	{"cpuidle.states", NULL, 4},
	{"cpuidle.deepest_exit_ns", NULL, 170000},
	{"cpu.63.idle.C6.exit_ns", NULL, 170000},
	{"cpu.63.idle.C6.residency_ns", NULL, 600000},
	{"cpu.0.idle.C1E.index", NULL, 2},
	{"cpu.0.idle.POLL.disabled", NULL, 0},
	{"cpu.12.idle_limit", "n/a"},
	{"cpufreq.policies", NULL, 64},
	{"cpufreq.policy0.governor", "powersave"},
	{"cpufreq.policy0.epp", "balance_performance"},
	{"cpufreq.policy0.max_hz", NULL, 3200000000},
	{"module.intel_idle.max_cstate", NULL, 9},
	{"isolation.isolated", "8-15,40-47"},
	{"isolation.nohz_full", "8-15,40-47"},
	{"isolation.rcu_nocbs", "8-15,40-47"},
	{"isolation.irqaffinity", "0-7,16-39,48-63"},
	{"isolation.managed_irq", NULL, 1},
	{"isolation.allowed_cpus", NULL, 48},
	{"cpu.8.isolated", NULL, 1},
	{"agent.irqbalance.count", NULL, 1},
	{"agent.kubelet.count", NULL, 0},
	{"ksoftirqd.0.wait_ns", NULL, 812331233},
	{"softnet.cpu.3.squeezed", NULL, 812},
	{"softnet.cpu.63.dropped_pkts", NULL, 0},
	{"softirq.cpu.3.NET_RX", NULL, 99123123},
	{"irq.121.cpu.2", NULL, 99124},
	{"irq.121.affinity", "0-7,16-39,48-63"},
	{"irq.LOC.total", NULL, 64ull * 8812331},
	{"cpu.3.time.softirq_ns", NULL, 96000ull * 10000000},
	{"clock.source", "tsc"},
	{"virt.guest", NULL, 0},
	{"virt.type", "none"},
	{"virt.product", "PowerEdge R750"},
	{"kernel.hz", NULL, 250},
	{"kernel.config.NO_HZ_FULL", "y"},
	{"queue.eno1.rx.count", NULL, 8},
	{"queue.eno1.tx.2.xps_cpus", "2"},
	{"queue.eno1.rx.0.rps_cpus", ""},
	{"link.eno1.kind", "device"},
	{"link.lo.flags.loopback", NULL, 1},
	{"loopback.has_ip6", NULL, 1},
	{"cgroup.version", "2"},
	{"cgroup.own", "/user.slice/user-1000.slice/session-4.scope"},
	{"cgroup./user/slice.relation", "ancestor"},
	{"names.hosts.localhost6", NULL, 1},
	{"names.hosts.hostname", NULL, 1},
	{"thp.enabled", "madvise"},
	{"console.serial", NULL, 0},
	{"nft", unavailable},
	{"rule.4", unavailable},
	{"qdisc", unavailable},
	{"conntrack.count", unavailable},
};

static void bare_metal(void **state)
{
	struct zh_fact_set set = {0};

	(void)state;
	collect_fixture(&set, "bare-metal-64");
	CHECK(&set, bare_metal_facts);
	/* No limit has no key, and an interrupt's zeros are left out. */
	assert_null(zh_fact_find(&set, "cgroup./user/slice.quota_ns"));
	assert_null(zh_fact_find(&set, "irq.121.cpu.3"));
	zh_fact_set_done(&set);
}

/* A pod behind a veth without RPS: one CPU receives, its backlog drops; full tables; a quota. */
static const struct expect k8s_node_facts[] = {
	{"virt.type", "kvm"},
	{"softnet.cpu.12.dropped_pkts", NULL, 0x1a2b3},
	{"softnet.cpu.0.dropped_pkts", NULL, 0},
	{"link.cali6a1f0c1e8a3.rx_dropped_pkts", NULL, 107187},
	{"link.cali6a1f0c1e8a3.kind", "veth"},
	{"link.docker0.kind", "bridge"},
	{"link.veth1a2b3c.master", "docker0"},
	{"queue.cali6a1f0c1e8a3.rx.0.rps_cpus", ""},
	{"queue.cali91b2c3d4e5f.rx.0.rps_cpus", "0-15"},
	{"bridge.docker0.forward_delay_ns", NULL, 15000000000},
	{"bridge.docker0.ports", NULL, 1},
	{"brport.veth1a2b3c.bridge", "docker0"},
	{"brport.veth1a2b3c.state", "forwarding"},
	{"brport.veth1a2b3c.hairpin", NULL, 0},
	{"conntrack.count", NULL, 61696},
	{"conntrack.max", NULL, 65536},
	{"conntrack.stat.insert_failed", NULL, 16 * 7},
	{"conntrack.stat.drop", NULL, 16 * 2},
	{"conntrack.stat.clash_resolve", NULL, 16 * 3},
	{"neigh.arp_cache.entries", NULL, 980},
	{"neigh.arp_cache.table_fulls", NULL, 16 * 14},
	{"nfqueue.count", NULL, 1},
	{"nfqueue.7.depth_pkts", NULL, 12},
	{"nfqueue.7.dropped_pkts", NULL, 44},
	{"sysctl.net/bridge/bridge-nf-call-iptables", NULL, 1},
	{"sysctl.net/ipv4/ip_local_port_range.max", NULL, 60999},
	{"sysctl.net/ipv4/tcp_rmem.default", NULL, 131072},
	{"sysctl.kernel/sched_rt_runtime_us", "950000"},
	{"sysctl.net/core/rps_default_mask", ""},
	{"devconf.4.eth0.rp_filter_effective", NULL, 1},
	{"snmp.Udp.RcvbufErrors", NULL, 312},
	{"netstat.TcpExt.ListenOverflows", NULL, 41},
	{"snmp6.Udp6RcvbufErrors", NULL, 0},
	{"sockstat.TCP.tw", NULL, 4120},
	{"sockstat.TCP6.inuse", NULL, 88},
	{"psi.cpu.some.avg60_bp", NULL, 12},
	{"psi.cpu.some.total_ns", NULL, 4411200000},
	{"agent.calico-node.count", NULL, 1},
	{"ksoftirqd.12.wait_ns", NULL, 44123312331},
	{"cgroup.own", "/system.slice/ssh.service"},
	{"cgroup.scan.throttled", NULL, 1},
	{"cgroup.scan.limited", NULL, 2},
	{"kmsg.conntrack_full.count", NULL, 2},
	{"kmsg.neigh_overflow.count", NULL, 1},
	{"kmsg.syn_flood.count", NULL, 0},
	{"console.serial", NULL, 1},
	{"thp.enabled", "always"},
	{"vmstat.allocstall_normal", NULL, 41},
	{"load.1m_centi", NULL, 920},
	{"nft.rules", NULL, 22},
	{"nft.hook.input.rules", NULL, 6},
	{"nft.hook.output.rules", NULL, 13},
	{"nft.notable.ip:filter:cali-INPUT:12.what", "invalid-drop"},
	{"nft.notable.ip:filter:cali-INPUT:12.pkts", NULL, 412},
	{"nft.counter.ip:nat:POSTROUTING:40.verdict", "masquerade"},
	{"cpuidle.states", unavailable},
	{"cpufreq.policies", unavailable},
};

static void k8s_node(void **state)
{
	static const char container[] =
		"cgroup./kubepods/slice/kubepods-burstable/slice/"
		"kubepods-burstable-pod6a1f0c1e_8a3b_4c55_9d2e_3f0b7a6c1d42";
	struct zh_fact_set set = {0};
	const struct zh_fact *fact;
	uint64_t quota = 0, throttled = 0;
	size_t pos = 0;

	(void)state;
	collect_fixture(&set, "k8s-node");
	CHECK(&set, k8s_node_facts);
	while ((fact = zh_fact_next(&set, "cgroup.*.nr_throttled", &pos)))
		throttled += fact->number;
	assert_int_equal(throttled, 41233);
	for (pos = 0; (fact = zh_fact_next(&set, "cgroup.*.quota_ns", &pos));)
		if (!strncmp(fact->key, container, sizeof(container) - 1))
			quota += fact->number;
	assert_int_equal(quota, 100000000 + 50000000);
	/* Masquerading is for other devices than lo, so it is none of lo's business. */
	assert_null(zh_fact_find(&set, "nft.notable.ip:nat:POSTROUTING:40.what"));
	zh_fact_set_done(&set);
}

/* An old kernel (softnet_stat without CPU numbers), control groups of version 1, lo down. */
static const struct expect vm_small_facts[] = {
	{"virt.guest", NULL, 1},
	{"virt.steal_clock", "reported"},
	{"cpuidle.driver", "none"},
	{"module.haltpoll.guest_halt_poll_ns", NULL, 200000},
	{"cpuidle.states", unavailable},
	{"softnet.cpu.1.dropped_pkts", NULL, 4},
	{"link.lo.flags.up", NULL, 0},
	{"link.lo.operstate", "DOWN"},
	{"addr.eth0.1.tentative", NULL, 1},
	{"addr.eth0.1.ip", "fe80::ff:fe00:1"},
	{"cgroup.version", "1"},
	{"cgroup.own", "/limited/job.1"},
	{"cgroup./limited/job/1.quota_ns", NULL, 50000000},
	{"cgroup./limited/job/1.nr_throttled", NULL, 412},
	{"cgroup./limited/job/1.throttled_ns", NULL, 412ull * 50000000},
	{"cgroup./limited/job/1.relation", "own"},
	{"cgroup./other.relation", "other"},
	{"cgroup./.cpuset", "0-1"},
	{"names.hosts.localhost6", NULL, 0},
	{"kernel.config.PREEMPT_NONE", "y"},
	{"console.active", "ttyS0"},
	{"irq.24.effective", "1"},
};

static void vm_small(void **state)
{
	struct zh_fact_set set = {0};

	(void)state;
	collect_fixture(&set, "vm-small");
	CHECK(&set, vm_small_facts);
	assert_null(zh_fact_find(&set, "cgroup./.memory_limit_bytes"));
	assert_null(zh_fact_find(&set, "softnet.cpu.1.backlog_pkts"));
	zh_fact_set_done(&set);
}

/* With nothing there each collector says so, and none reports a value that it cannot know. */
static void nothing(void **state)
{
	const struct zh_fact_group *const *group;
	char path[512];

	(void)state;
	snprintf(path, sizeof(path), "%s/empty", getenv("ZH_FIXTURES"));
	setenv("ZH_SYSROOT", path, 1);
	for (group = zh_fact_group_registry; *group; group++) {
		struct zh_fact_set set = {0};
		size_t i, reasons = 0;

		(*group)->collect(&set);
		zh_fact_set_sort(&set);
		check_schema(&set);
		for (i = 0; i < set.n; i++)
			reasons += set.facts[i].type == ZH_FACT_UNAVAILABLE;
		if (!reasons)
			fail_msg("%s says nothing about what is missing", (*group)->id);
		zh_fact_set_done(&set);
	}
}

static void schemas_are_documented(void **state)
{
	const struct zh_fact_group *const *group;
	const struct zh_fact_schema *row;

	(void)state;
	for (group = zh_fact_group_registry; *group; group++) {
		assert_true((*group)->id[0] && (*group)->summary[0] && (*group)->collect);
		for (row = (*group)->schema; row->pattern; row++) {
			assert_true(row->pattern[0] && row->unit && row->help && row->help[0]);
			if (zh_facts_schema_of(row->pattern) != row)
				fail_msg("%s is in two schemas", row->pattern);
		}
	}
	assert_null(zh_facts_schema_of("link.lo"));
	assert_null(zh_facts_schema_of("link.lo.mtu.more"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(schemas_are_documented),
		cmocka_unit_test(live),
		cmocka_unit_test(bare_metal),
		cmocka_unit_test(k8s_node),
		cmocka_unit_test(vm_small),
		cmocka_unit_test(nothing),
	};

	return cmocka_run_group_tests_name("facts", tests, NULL, NULL);
}
