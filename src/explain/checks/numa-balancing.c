/* SPDX-License-Identifier: BSD-2-Clause */
#include "explain/checks/support.h"

#define NOTABLE_PAGES_PER_S 100

static void run(const struct zh_check *check, struct zh_explain *ex)
{
	uint64_t nodes = zh_check_number(ex, 1, "topology.nodes");
	uint64_t moved = zh_check_delta(ex, "vmstat.numa_pages_migrated");
	uint64_t foreign = zh_check_delta(ex, "node.*.numa_foreign");
	double seconds = zh_check_window_s(ex);
	struct zh_finding *finding;

	if (nodes < 2 || (double)(moved + foreign) < NOTABLE_PAGES_PER_S * seconds)
		return;
	finding = zh_finding_add(ex, &check->rule, ZH_SEVERITY_LOW, ZH_CONFIDENCE_LOW,
		"Memory crosses NUMA nodes: %llu pages migrated, %llu allocated on another node in "
		"%.1f s",
		(unsigned long long)moved, (unsigned long long)foreign, seconds);
	zh_finding_evidence(finding, "vmstat numa_pages_migrated +%llu, numa_hint_faults +%llu",
		(unsigned long long)moved,
		(unsigned long long)zh_check_delta(ex, "vmstat.numa_hint_faults"));
	zh_finding_evidence(finding, "%llu nodes, kernel.numa_balancing %llu",
		(unsigned long long)nodes,
		(unsigned long long)zh_check_number(ex, 0, "sysctl.kernel/numa_balancing"));
}

const struct zh_check zh_check_numa_balancing = {
	.rule =
		{
			.id = "numa-balancing",
			.code = "C21",
			.title = "Memory crosses NUMA nodes",
			.summary = "Pages are migrated between nodes, or allocated on another node "
				   "than wanted.",
			.why = "NUMA balancing unmaps pages to see who uses them; the faults and "
			       "copies stop a task for tens to hundreds of microseconds. Memory and "
			       "interrupts of another node make every access slower.",
			.evidence = "Growth of numa_pages_migrated and numa_hint_faults of "
				    "/proc/vmstat and numa_foreign of each node.",
			.verify = "The counters stand still for the bound process.",
			.cure = "Bind the process and its memory to one node; "
				"kernel.numa_balancing=0 on machines that are bound by hand.",
			.cost = "Unbound programs are no longer moved near their memory.",
			.remedies = ZH_LIST("numa-balancing", "task-affinity"),
			.needs = ZH_LIST("topology.nodes", "vmstat.*", "node.*.numa_foreign",
				"sysctl.kernel/numa_balancing"),
		},
	.run = run,
};
