/* SPDX-License-Identifier: BSD-2-Clause */
#include "explain/checks/support.h"

/* CPU times come in ticks of 10 ms: shorter windows say nothing. */
#define MIN_WINDOW_S 1
#define MIN_PKTS_PER_S 20000
#define MIN_SHARE 0.8
#define MIN_BUSY 0.5
#define WARNING_BUSY 0.8
#define WARNING_CPUS 4

/* The CPU that processed most packets in the window. */
static uint64_t busiest(const struct zh_explain *ex, char *ret_cpu, size_t size)
{
	static const char pattern[] = "softnet.cpu.*.processed_pkts";
	const struct zh_fact_set *facts = zh_explain_facts(ex);
	const struct zh_fact *fact;
	uint64_t most = 0, growth;
	size_t pos = 0;

	while ((fact = zh_fact_next(facts, pattern, &pos))) {
		if (!zh_explain_delta(ex, &growth, "%s", fact->key) || growth <= most)
			continue;
		most = growth;
		zh_fact_part(ret_cpu, size, fact, pattern, 0);
	}
	return most;
}

static void run(const struct zh_check *check, struct zh_explain *ex)
{
	uint64_t all = zh_check_delta(ex, "softnet.cpu.*.processed_pkts");
	uint64_t cpus = zh_check_number(ex, ex->record->n_cpus, "topology.cpus");
	double seconds = zh_check_window_s(ex), busy;
	uint64_t softirq_ns = 0, squeezed = 0, dropped = 0, most;
	struct zh_finding *finding;
	char cpu[16] = "";

	most = busiest(ex, cpu, sizeof(cpu));
	if (cpus < 2 || seconds < MIN_WINDOW_S || (double)all < MIN_PKTS_PER_S * seconds ||
		(double)most < MIN_SHARE * (double)all ||
		!zh_explain_delta(ex, &softirq_ns, "cpu.%s.time.softirq_ns", cpu))
		return;
	busy = (double)softirq_ns / 1e9 / seconds;
	if (busy < MIN_BUSY)
		return;
	zh_explain_delta(ex, &squeezed, "softnet.cpu.%s.squeezed", cpu);
	zh_explain_delta(ex, &dropped, "softnet.cpu.%s.dropped_pkts", cpu);
	finding = zh_finding_add(ex, &check->rule,
		cpus >= WARNING_CPUS && busy >= WARNING_BUSY && (squeezed || dropped)
			? ZH_SEVERITY_WARNING
			: ZH_SEVERITY_LOW,
		ZH_CONFIDENCE_MEDIUM,
		"CPU %s handles %.0f %% of all packets (%.0f/s) and spends %.0f %% of its time in "
		"softirqs",
		cpu, 100 * (double)most / (double)all, (double)most / seconds, 100 * busy);
	zh_finding_evidence(finding, "softnet_stat: CPU %s processed +%llu of +%llu packets", cpu,
		(unsigned long long)most, (unsigned long long)all);
	zh_finding_evidence(finding, "CPU %s: time_squeeze +%llu, dropped +%llu", cpu,
		(unsigned long long)squeezed, (unsigned long long)dropped);
	zh_finding_evidence(finding, "softirq time of /proc/stat is sampled at the tick unless "
				     "CONFIG_IRQ_TIME_ACCOUNTING is set");
}

const struct zh_check zh_check_one_cpu_softirq = {
	.rule =
		{
			.id = "one-cpu-softirq",
			.code = "C16",
			.title = "One CPU does all packet work",
			.summary =
				"Nearly all packets are processed by one CPU, which is busy with "
				"softirqs while others are free.",
			.why = "A veth or lo has one receive queue, and netif_rx stays on the CPU of "
			       "the sender: all packets of a pod can meet on one CPU. At full load "
			       "its backlog grows to milliseconds and then drops, at a small total "
			       "CPU use.",
			.evidence =
				"Share of the CPU in softnet_stat column 1 over the window, its "
				"softirq time in /proc/stat, its time_squeeze and dropped. One "
				"flow cannot be spread by RPS: its hash is always the same.",
			.verify =
				"Column 1 grows on several CPUs and the busy one falls below half.",
			.cure = "Set RPS on the busy device (the host-side veth for a pod), give it "
				"more queues, or move the sender; macvlan or SR-IOV leave the host's "
				"stack out.",
			.cost = "RPS costs a hash, an IPI and cache misses a packet; the total CPU "
				"use rises.",
			.remedies = ZH_LIST("rps-cpus", "rps-default-mask", "netdev-max-backlog"),
			.needs = ZH_LIST("softnet.cpu.*.processed_pkts", "softnet.cpu.*.squeezed",
				"softnet.cpu.*.dropped_pkts", "cpu.*.time.softirq_ns",
				"topology.cpus"),
		},
	.run = run,
};
