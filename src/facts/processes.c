/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Programs known to bear on the local path (they move interrupts, add rules, look into packets),
 * and how long each CPU's ksoftirqd waited to run. One pass over the names of all processes.
 */
#include <stdio.h>
#include <string.h>

#include "base/util.h"
#include "facts/facts.h"
#include "facts/read.h"
#include "sys/process.h"
#include "sys/root.h"

#define PROCESSES_MAX 8192

/* The kernel cuts names to 15 characters. */
static const char *const agents[] = {"irqbalance", "tuned", "auditd", "kubelet", "kube-proxy",
	"containerd", "dockerd", "docker-proxy", "crio", "cilium-agent", "calico-node", "flanneld",
	"falco", "tailscaled", "firewalld", "envoy", "pilot-agent", "linkerd2-proxy", "stalld",
	"systemd-resolved", "rsyslogd", "slirp4netns", "pasta", "node_exporter", "cadvisor",
	"osqueryd", "dnsmasq", "haproxy", "nginx", "tcpdump", "dumpcap", "ovs-vswitchd",
	"fail2ban-server", "suricata", "falcon-sensor", "bpftune", "thermald",
	"power-profiles-daemon"};

struct walk {
	struct zh_fact_set *set;
	uint64_t n, softirq_threads;
	uint64_t counts[ZH_ARRAY_SIZE(agents)];
};

static void add_ksoftirqd(struct zh_fact_set *set, uint64_t pid, unsigned int cpu)
{
	struct zh_schedstat stat;

	if (zh_process_schedstat((pid_t)pid, &stat) < 0)
		return;
	zh_fact_number(set, stat.run_ns, "ksoftirqd.%u.run_ns", cpu);
	zh_fact_number(set, stat.wait_ns, "ksoftirqd.%u.wait_ns", cpu);
	zh_fact_number(set, stat.turns, "ksoftirqd.%u.runs", cpu);
}

static int add_process(void *arg, const char *name)
{
	struct walk *walk = arg;
	char comm[64];
	unsigned int cpu;
	uint64_t pid;
	size_t i;

	if (!zh_facts_parse(name, 10, &pid))
		return 0;
	if (walk->n++ >= PROCESSES_MAX ||
		zh_sys_read(comm, sizeof(comm), "/proc/%s/comm", name) < 0)
		return 0;
	if (zh_process_is_ksoftirqd(comm, &cpu)) {
		walk->softirq_threads++;
		add_ksoftirqd(walk->set, pid, cpu);
		return 0;
	}
	for (i = 0; i < ZH_ARRAY_SIZE(agents); i++)
		if (!strncmp(comm, agents[i], 15))
			walk->counts[i]++;
	return 0;
}

static void collect(struct zh_fact_set *set)
{
	struct walk walk = {.set = set};
	int r = zh_sys_list(add_process, &walk, "/proc");
	size_t i;

	if (r < 0 || !walk.n) {
		zh_fact_unavailable(set, "no processes in /proc", "agent");
		zh_fact_unavailable(set, "no processes in /proc", "ksoftirqd");
		return;
	}
	zh_fact_number(set, walk.n, "process.count");
	for (i = 0; i < ZH_ARRAY_SIZE(agents); i++)
		zh_fact_number(set, walk.counts[i], "agent.%s.count", agents[i]);
	if (!walk.softirq_threads)
		zh_fact_unavailable(set,
			"no ksoftirqd is visible here: a container with its own processes",
			"ksoftirqd");
	if (walk.n > PROCESSES_MAX)
		zh_facts_truncated(set, "processes", PROCESSES_MAX, walk.n, "processes");
}

static const struct zh_fact_schema schema[] = {
	{"process.count", ZH_FACT_NUMBER, "count", "processes that are visible here"},
	{"agent.*.count", ZH_FACT_NUMBER, "count", "processes of a program that bears on the path"},
	{"agent", ZH_FACT_UNAVAILABLE, "", "why processes could not be listed"},
	{"ksoftirqd.*.run_ns", ZH_FACT_NUMBER, "ns", "time that the CPU's ksoftirqd ran"},
	{"ksoftirqd.*.wait_ns", ZH_FACT_NUMBER, "ns", "time that it waited for its CPU"},
	{"ksoftirqd.*.runs", ZH_FACT_NUMBER, "count", "times that it ran"},
	{"ksoftirqd", ZH_FACT_UNAVAILABLE, "", "why it could not be looked at"},
	{NULL},
};

const struct zh_fact_group zh_fact_group_processes = {
	.id = "processes",
	.summary = "programs that bear on the path, and ksoftirqd",
	.schema = schema,
	.collect = collect,
};
