/* SPDX-License-Identifier: BSD-2-Clause */
#include "explain/advice.h"

#include <string.h>

#include "base/util.h"

static const struct zh_advice all[] = {
	{"audit-backlog",
		"auditctl -b N, or --backlog_wait_time 0: the audit daemon's own settings"},
	{"cfs-burst",
		"cpu.max.burst (cgroup v2) or cpu.cfs_burst_us: whoever owns the control group sets it"},
	{"cfs-period",
		"cpu.max (cgroup v2) or cpu.cfs_period_us: whoever owns the control group sets it"},
	{"cfs-quota",
		"cpu.max (cgroup v2), cpu.cfs_quota_us or, in Kubernetes, the limits of the container"},
	{"conntrack-notrack-lo",
		"two rules in the raw tables, 'iif lo notrack' and 'oif lo notrack', with 'iif lo accept' before what asks for the state"},
	{"cpuidle-disable", "cpupower idle-set -D LATENCY: idle states that take longer to leave"},
	{"cpuset", "cpuset.cpus of a control group: whoever owns it sets it"},
	{"irqbalance-stop", "IRQBALANCE_ARGS=--banirq=N in irqbalance's own settings, or stop it"},
	{"ksoftirqd-priority", "chrt -f -p 1 of the ksoftirqd thread"},
	{"link-up", "ip link set DEVICE up"},
	{"macvlan", "a macvlan child in the container instead of a veth"},
	{"macvlan-shim",
		"a macvlan child of the same parent on the host, with routes to the containers"},
	{"neigh-flush", "ip neigh flush"},
	{"nft-accept-lo", "'iif lo accept' as the first rule of the input chain"},
	{"policy-rule", "ip rule: move or narrow the rule that is named"},
	{"qdisc", "tc qdisc: replace the queueing discipline that is named"},
	{"route-quickack", "ip route change ... quickack 1"},
	{"tc-filter", "tc filter: remove or narrow the filter that is named"},
	{"tcp-nodelay", "TCP_NODELAY in the program, or one write a message"},
};

const struct zh_advice *zh_advice_find(const char *id)
{
	for (size_t i = 0; i < ZH_ARRAY_SIZE(all); i++)
		if (!strcmp(all[i].id, id))
			return &all[i];
	return NULL;
}
