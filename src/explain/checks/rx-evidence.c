/* SPDX-License-Identifier: BSD-2-Clause */
/* Who brings packets to a CPU, where they were dropped, and to which CPUs they could go. */
#include "explain/checks/rx-work.h"

#include <stdio.h>
#include <stdlib.h>

#include "stats/rps-mask.h"

#define DROPS_SHOWN 4
#define END_MAX 160

/* "10.77.1.2 (pod shop/redis-0)" */
static const char *end_text(
	const struct zh_explain *ex, int flow, const char *end, char buf[static END_MAX])
{
	const char *place = zh_check_text(ex, "watch.flow.%d.%s_place", flow, end);

	snprintf(buf, END_MAX, *place ? "%.46s (%.100s)" : "%.46s",
		zh_check_text(ex, "watch.flow.%d.%s", flow, end), place);
	return buf;
}

void zh_rx_add_flows(
	const struct zh_explain *ex, struct zh_finding *finding, const struct zh_rx_work *work)
{
	const char *mask = zh_check_text(ex, "queue.%s.rx.0.rps_cpus", work->dev);
	char from[END_MAX], to[END_MAX];
	int flow = work->flow;

	if (flow < 0)
		return;
	if (!work->is_here)
		zh_finding_evidence(finding, "settings of %s belong to %s", work->dev,
			zh_check_text(ex, "watch.flow.%d.place", flow));
	else if (*mask)
		zh_finding_evidence(
			finding, "RPS of %s steers to CPU %s (mask in force)", work->dev, mask);
	else
		zh_finding_evidence(finding,
			"%s has no RPS mask: packets stay where they are brought in, for a veth "
			"on the CPU of the sender",
			work->dev);
	zh_finding_evidence(finding, "%llu flows on CPU %s, the largest has %.1f %% of its packets",
		(unsigned long long)work->flows, work->cpu, (double)work->top_permille / 10);
	zh_finding_evidence(finding, "largest: %s to %s, by %s", end_text(ex, flow, "from", from),
		end_text(ex, flow, "to", to), work->dev);
}

void zh_rx_add_drops(const struct zh_explain *ex, struct zh_finding *finding)
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

static struct zh_cpuset cpus_of(const struct zh_explain *ex, const char *key)
{
	struct zh_cpuset set = {};

	zh_parse_cpulist(zh_check_text(ex, "%s", key), &set, NULL);
	return set;
}

int zh_rx_free_cpu(const struct zh_explain *ex, const struct zh_rx_work *work)
{
	const char *mask = zh_check_text(ex, "queue.%s.rx.0.rps_cpus", work->dev);
	struct zh_cpuset online = cpus_of(ex, "topology.online"), taken;
	double most = work->softirq + ZH_MAX(work->needed, 0.0);
	int best = -1;

	if (!work->is_here || !*mask || zh_parse_cpulist(mask, &taken, NULL) < 0)
		return -1;
	for (unsigned int cpu = 0; cpu < ZH_CPU_MAX; cpu++) {
		uint64_t idle_ns;
		double idle;

		if (!zh_cpuset_has(&online, cpu) || zh_cpuset_has(&taken, cpu) ||
			!zh_explain_delta(ex, &idle_ns, "cpu.%u.time.idle_ns", cpu))
			continue;
		idle = (double)idle_ns / 1e9 / zh_check_window_s(ex);
		if (idle < most)
			continue;
		most = idle;
		best = (int)cpu;
	}
	return best;
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

const char *zh_rx_advise_rps(
	const struct zh_explain *ex, const struct zh_rx_work *work, char *buf, size_t size)
{
	static _Thread_local struct zh_rps_topology topology;
	struct zh_rps_queue queue = {.irq_cpu = (int)strtol(work->cpu, NULL, 10),
		.irq_is_busy = true,
		.is_virtual = true,
		.node = -1};
	struct zh_rps_case rps = {.is_loopback = !strcmp(work->dev, "lo"),
		.has_load = true,
		.has_drops = work->dropped >= ZH_RX_DROPS_MIN,
		.active_queues =
			(unsigned int)zh_check_number(ex, 1, "queue.%s.rx.count", work->dev),
		.flows = work->flows,
		.top_flow_share = work->flows ? (double)work->top_permille / 1000 : -1};
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
			zh_rps_format(text, sizeof(text), &mask, zh_rps_cpu_ids(&topology)),
			work->dev);
	else
		snprintf(buf, size, "RPS is no cure: %s", zh_rps_gate_text(gate));
	return buf;
}
