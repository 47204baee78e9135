/* SPDX-License-Identifier: BSD-2-Clause */
#include "explain/checks/support.h"

#include <stdio.h>
#include <stdlib.h>

#include "stats/rps-mask.h"

#define FULL_SHARE 0.85    /* of the window in softirqs */
#define DROPPING_SHARE 0.5 /* not full all the time, but dropping */
/* With hogs on it ksoftirqd gets its fair share only, and the CPU is never idle. */
#define SHARED_SHARE 0.2
#define SHARED_IDLE 0.1
#define DROPS_MIN 100
#define DROPS_SHOWN 4

struct full {
	char cpu[16];
	double share;
	uint64_t dropped, packets, flows, top_permille;
};

/* The CPU with most softirq time, when that is enough. */
static bool find_full(const struct zh_explain *ex, double window_ns, struct full *ret)
{
	static const char pattern[] = "watch.cpu.*.softirq_ns";
	const struct zh_fact_set *facts = zh_explain_facts(ex);
	const struct zh_fact *fact;
	uint64_t most = 0, idle_ns;
	double enough = DROPPING_SHARE;
	size_t pos = 0;

	while ((fact = zh_fact_next(facts, pattern, &pos))) {
		if (fact->type != ZH_FACT_NUMBER || fact->number <= most)
			continue;
		most = fact->number;
		zh_fact_part(ret->cpu, sizeof(ret->cpu), fact, pattern, 0);
	}
	ret->share = (double)most / window_ns;
	zh_explain_delta(ex, &ret->dropped, "softnet.cpu.%s.dropped_pkts", ret->cpu);
	zh_explain_delta(ex, &ret->packets, "softnet.cpu.%s.processed_pkts", ret->cpu);
	ret->flows = zh_check_number(ex, 0, "watch.cpu.%s.flows", ret->cpu);
	ret->top_permille = zh_check_number(ex, 0, "watch.cpu.%s.top_flow_permille", ret->cpu);
	if (zh_explain_delta(ex, &idle_ns, "cpu.%s.time.idle_ns", ret->cpu) &&
		(double)idle_ns < SHARED_IDLE * 1e9 * zh_check_window_s(ex))
		enough = SHARED_SHARE;
	return ret->share >= FULL_SHARE || (ret->share >= enough && ret->dropped >= DROPS_MIN);
}

/* The flow with most packets on that CPU: rows are sorted. -1: none. */
static int first_flow(const struct zh_explain *ex, const char *cpu)
{
	uint64_t on;

	for (int i = 0; zh_explain_number(ex, &on, "watch.flow.%d.cpu", i); i++)
		if (on == strtoull(cpu, NULL, 10))
			return i;
	return -1;
}

static struct zh_cpuset cpus_of(const struct zh_explain *ex, const char *key)
{
	struct zh_cpuset set = {};

	zh_parse_cpulist(zh_check_text(ex, "%s", key), &set, NULL);
	return set;
}

static void read_topology(const struct zh_explain *ex, struct zh_rps_topology *ret)
{
	const char *const busy_elsewhere[] = {"isolation.isolated", "isolation.nohz_full"};
	struct zh_cpuset no = {};

	ret->possible = cpus_of(ex, "topology.possible");
	ret->online = cpus_of(ex, "topology.online");
	ret->housekeeping = ret->online;
	for (size_t i = 0; i < ZH_ARRAY_SIZE(busy_elsewhere); i++) {
		no = cpus_of(ex, busy_elsewhere[i]);
		for (size_t k = 0; k < ZH_ARRAY_SIZE(no.bits); k++)
			ret->housekeeping.bits[k] &= ~no.bits[k];
	}
	for (unsigned int cpu = 0; cpu < ZH_CPU_MAX; cpu++) {
		struct zh_cpuset group;

		ret->core[cpu] = ret->llc[cpu] = cpu;
		ret->node[cpu] = (uint32_t)zh_check_number(ex, 0, "cpu.%u.node", cpu);
		if (!zh_cpuset_has(&ret->online, cpu))
			continue;
		/* Groups are named by their lowest CPU. */
		if (!zh_parse_cpulist(zh_check_text(ex, "cpu.%u.siblings", cpu), &group, NULL))
			while (ret->core[cpu] && zh_cpuset_has(&group, ret->core[cpu] - 1))
				ret->core[cpu]--;
		if (!zh_parse_cpulist(zh_check_text(ex, "cpu.%u.llc_cpus", cpu), &group, NULL))
			while (ret->llc[cpu] && zh_cpuset_has(&group, ret->llc[cpu] - 1))
				ret->llc[cpu]--;
	}
}

/* Whether RPS is the way out and to which CPUs, or why it is not. */
static void advise(const struct zh_explain *ex, const struct full *full, const char *dev, char *buf,
	size_t size)
{
	static _Thread_local struct zh_rps_topology topology;
	struct zh_rps_queue queue = {.irq_cpu = (int)strtol(full->cpu, NULL, 10),
		.irq_is_busy = true,
		.is_virtual = true,
		.node = -1};
	struct zh_rps_case rps = {.is_loopback = !strcmp(dev, "lo"),
		.has_load = true,
		.has_drops = full->dropped >= DROPS_MIN,
		.active_queues = (unsigned int)zh_check_number(ex, 1, "queue.%s.rx.count", dev),
		.flows = full->flows,
		.top_flow_share = full->flows ? (double)full->top_permille / 1000 : -1};
	struct zh_cpuset usable, mask;
	enum zh_rps_gate gate;
	char text[288];

	topology = (struct zh_rps_topology){};
	read_topology(ex, &topology);
	zh_rps_usable(&topology, &queue, &usable);
	rps.usable_cpus = zh_cpuset_count(&usable);
	zh_rps_mask(&topology, &queue, &mask, NULL);
	gate = zh_rps_gate(&rps);
	if (gate == ZH_RPS_FITS)
		snprintf(buf, size, "RPS mask %.48s on %.20s spreads it",
			zh_rps_format(text, sizeof(text), &mask, zh_rps_cpu_ids(&topology)), dev);
	else
		snprintf(buf, size, "RPS is no cure: %s", zh_rps_gate_text(gate));
}

static void add_drops(const struct zh_explain *ex, struct zh_finding *finding)
{
	const char *own = zh_check_text(ex, "watch.dev");
	bool shows = false;
	int shown = 0;
	uint64_t count;

	for (int i = 0; zh_explain_number(ex, &count, "watch.drop.%d.count", i); i++) {
		const char *dev = zh_check_text(ex, "watch.drop.%d.dev", i);

		if (strcmp(zh_check_text(ex, "watch.drop.%d.reason", i), "CPU_BACKLOG") || !*dev)
			continue;
		shows |= !strcmp(dev, own);
		if (shown++ < DROPS_SHOWN)
			zh_finding_evidence(finding, "CPU_BACKLOG dropped %llu packets of %s in %s",
				(unsigned long long)count, dev,
				zh_check_text(ex, "watch.drop.%d.place", i));
	}
	if (shown && !shows)
		zh_finding_evidence(finding, "none of it shows on %s itself", own);
}

/* Who brings the packets to that CPU. */
static void add_why(
	const struct zh_explain *ex, struct zh_finding *finding, const struct full *full, int flow)
{
	const char *dev = zh_check_text(ex, "watch.flow.%d.dev", flow);
	const char *mask = zh_check_text(ex, "queue.%s.rx.0.rps_cpus", dev);
	bool same = zh_check_number(ex, 0, "watch.flow.%d.same_place", flow);

	if (!same)
		zh_finding_evidence(finding, "settings of %s belong to %s", dev,
			zh_check_text(ex, "watch.flow.%d.place", flow));
	else if (*mask)
		zh_finding_evidence(
			finding, "RPS of %s steers to CPU %s (mask in force)", dev, mask);
	else
		zh_finding_evidence(finding,
			"%s has no RPS mask: packets stay where they are brought in, for a veth "
			"on the CPU of the sender",
			dev);
	zh_finding_evidence(finding, "%llu flows on CPU %s, the largest has %.1f %% of its packets",
		(unsigned long long)full->flows, full->cpu, (double)full->top_permille / 10);
	zh_finding_evidence(finding, "largest: %s (%s) to %s (%s), by %s",
		zh_check_text(ex, "watch.flow.%d.from", flow),
		zh_check_text(ex, "watch.flow.%d.from_place", flow),
		zh_check_text(ex, "watch.flow.%d.to", flow),
		zh_check_text(ex, "watch.flow.%d.to_place", flow), dev);
}

static void run(const struct zh_check *check, struct zh_explain *ex)
{
	double window_ns = (double)zh_check_number(ex, 0, "watch.window_ns");
	struct zh_finding *finding;
	struct full full = {};
	char advice[160];
	const char *dev;
	int flow;

	if (window_ns <= 0 || !find_full(ex, window_ns, &full))
		return;
	flow = first_flow(ex, full.cpu);
	dev = flow < 0 ? "" : zh_check_text(ex, "watch.flow.%d.dev", flow);
	if (!*dev)
		dev = zh_check_text(ex, "watch.dev");
	advise(ex, &full, dev, advice, sizeof(advice));
	finding = zh_finding_add(ex, &check->rule,
		full.dropped >= DROPS_MIN ? ZH_SEVERITY_CRITICAL : ZH_SEVERITY_WARNING,
		ZH_CONFIDENCE_HIGH,
		"CPU %s is full of receive work, most of it from %.20s (to %.40s), and drops "
		"%.0f packets/s: %.120s",
		full.cpu, dev, zh_check_text(ex, "watch.flow.%d.to_place", flow),
		(double)full.dropped * 1e9 / window_ns, advice);
	if (!finding)
		return;
	finding->weight = ZH_WEIGHT_DEVICE;
	zh_finding_evidence(finding,
		"CPU %s: %.0f %% of the time in softirqs (entry to exit), of "
		"it %.0f %% in ksoftirqd",
		full.cpu, 100 * full.share,
		100 * (double)zh_check_number(ex, 0, "watch.cpu.%s.ksoftirqd_ns", full.cpu) /
			(full.share * window_ns));
	if (flow >= 0)
		add_why(ex, finding, &full, flow);
	add_drops(ex, finding);
	zh_finding_evidence(finding, "besides, %s took %.0f ms on that CPU",
		zh_check_text(ex, "watch.cpu.%s.hog.name", full.cpu),
		(double)zh_check_number(ex, 0, "watch.cpu.%s.hog.run_ns", full.cpu) / 1e6);
}

const struct zh_check zh_check_rx_cpu_saturated = {
	.rule =
		{
			.id = "rx-cpu-saturated",
			.code = "C16",
			.title = "A CPU is full of a device's receive work",
			.summary = "The packets of the device under watch meet on one CPU, which "
				   "cannot receive more.",
			.why = "netif_rx of a veth puts a packet into the backlog of the sender's "
			       "CPU, or of the one that RPS or an interrupt chose. That CPU does "
			       "all further work: filtering, routing, the socket. Above what it "
			       "can do the backlog stays full, everything behind it waits, and "
			       "the rest is dropped.",
			.evidence = "Softirq time by entry and exit (the tick's %soft cannot see "
				    "it), softnet_stat column 2, drops by reason and device, the "
				    "flows on that CPU. One flow cannot be spread by RPS.",
			.verify = "Drops stop, and no CPU is above 85 % in softirqs, at the same "
				  "offered load.",
			.cure = "Spread the receive work: an RPS mask on the device that brings "
				"the packets in (on the host's end of a pod's veth), or RFS where "
				"receivers are pinned. A longer backlog helps bursts only; GRO and "
				"threaded NAPI move the work but keep one CPU; macvlan or SR-IOV "
				"leave the host's filtering out.",
			.cost = "RPS costs an interrupt to another CPU per burst and more CPU time "
				"in all; below saturation it makes packets slower. macvlan bypasses "
				"the host's network policy.",
			.remedies = ZH_LIST("rps-cpus", "rps-default-mask", "netdev-max-backlog"),
			.needs = ZH_LIST("watch.cpu.*.softirq_ns", "watch.cpu.*.flows",
				"watch.flow.*.dev", "watch.drop.*.reason", "watch.window_ns",
				"softnet.cpu.*.dropped_pkts", "cpu.*.time.idle_ns",
				"queue.*.rx.*.rps_cpus"),
		},
	.run = run,
};
