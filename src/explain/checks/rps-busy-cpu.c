/* SPDX-License-Identifier: BSD-2-Clause */
#include "explain/checks/rx-work.h"

static void run(const struct zh_check *check, struct zh_explain *ex)
{
	struct zh_finding *finding;
	struct zh_rx_work work;
	struct zh_rx_hog hog;
	int free_cpu;
	char buf[80];

	if (!zh_rx_work_get(ex, &work) || work.state != ZH_RX_BEHIND)
		return;
	hog = zh_rx_hog_get(ex, &work);
	free_cpu = zh_rx_free_cpu(ex, &work);
	if (free_cpu < 0)
		return;
	finding = zh_finding_add(ex, &check->rule,
		work.dropped >= ZH_RX_DROPS_MIN ? ZH_SEVERITY_CRITICAL : ZH_SEVERITY_WARNING,
		ZH_CONFIDENCE_HIGH,
		"RPS of %.20s leads to CPU %s, which %.60s keeps busy (%.0f/s dropped, waits of "
		"%.1f ms), while CPU %d is free",
		work.dev, work.cpu, zh_rx_hog_text(&hog, buf, sizeof(buf)), work.dropped_per_s,
		work.wait_each_ns / 1e6, free_cpu);
	if (!finding)
		return;
	finding->weight = ZH_WEIGHT_DEVICE;
	zh_rx_add_use(finding, &work);
	zh_finding_evidence(finding,
		"ksoftirqd/%s waited %.0f %% of the time for its CPU, %.1f ms each time", work.cpu,
		100 * work.wait, work.wait_each_ns / 1e6);
	zh_rx_add_flows(ex, finding, &work);
	zh_rx_add_drops(ex, finding);
}

const struct zh_check zh_check_rps_busy_cpu = {
	.rule =
		{
			.id = "rps-busy-cpu",
			.code = "C16",
			.title = "RPS leads to a busy CPU",
			.summary =
				"The RPS mask of the device that brings the packets holds only CPUs "
				"where programs compute, while others are free.",
			.why = "Softirqs interrupt a program, but what they do not finish in ten "
			       "rounds or two milliseconds is left to ksoftirqd, an ordinary task: "
			       "it gets its share among the programs, and a turn every few "
			       "milliseconds. Meanwhile packets wait, and more than "
			       "netdev_max_backlog of them are dropped.",
			.evidence =
				"The mask in force; tasks have the time that the work needs "
				"(or ksoftirqd waits 2 ms and more each time, a tenth of the "
				"time); a CPU outside the mask is idle for longer than the work "
				"takes.",
			.verify = "ksoftirqd's wait and the drops end with a mask of other CPUs.",
			.cure = "Take the busy CPU out of the mask and put a free one in (on the "
				"device named), or move the program.",
			.cost = "Packets go to a CPU that may be further from the receiver's cache.",
			.remedies = ZH_LIST("rps-cpus", "task-affinity"),
			.needs = ZH_LIST(ZH_RX_NEEDS, "watch.cpu.*.hog.name",
				"watch.cpu.*.hog.nice", "topology.online"),
		},
	.run = run,
};
