/* SPDX-License-Identifier: BSD-2-Clause */
#include "explain/checks/support.h"

#define NOTABLE_SHARE 0.01
#define WARNING_SHARE 0.5
/* Counters of /proc/stat advance in ticks of 10 ms: fewer than this are noise. */
#define MIN_STEAL_NS (50 * ZH_NSEC_PER_MSEC)

static void run(const struct zh_check *check, struct zh_explain *ex)
{
	uint64_t steal_ns = 0, cpus = zh_check_number(ex, ex->record->n_cpus, "topology.cpus");
	double seconds = zh_check_window_s(ex), share;
	struct zh_finding *finding;

	if (cpus == 0 || !zh_explain_delta(ex, &steal_ns, "cpu.all.time.steal_ns"))
		return;
	share = (double)steal_ns / 1e9 / seconds / (double)cpus;
	if (share < NOTABLE_SHARE || steal_ns < MIN_STEAL_NS)
		return;
	finding = zh_finding_add(ex, &check->rule,
		share >= WARNING_SHARE ? ZH_SEVERITY_WARNING : ZH_SEVERITY_LOW, ZH_CONFIDENCE_HIGH,
		"The hypervisor took %.1f %% of this machine's CPU time (%.2f s in %.1f s)",
		100 * share, (double)steal_ns / 1e9, seconds);
	zh_finding_evidence(finding, "/proc/stat steal +%.2f s over %llu CPUs",
		(double)steal_ns / 1e9, (unsigned long long)cpus);
	zh_finding_evidence(finding, "virtualisation: %s", zh_check_text(ex, "virt.type"));
}

const struct zh_check zh_check_steal = {
	.rule =
		{
			.id = "steal",
			.code = "C19",
			.title = "The hypervisor takes CPU time away",
			.summary = "Virtual CPUs that wanted to run were not run by the host.",
			.why = "A stolen CPU stands still between two instructions: its packets, "
			       "timers and tasks all wait, for milliseconds at a time, and nothing "
			       "inside the guest shows up as busy. On shared hosts some steal is "
			       "normal.",
			.evidence = "Growth of steal in /proc/stat (10 ms units) over CPU time in "
				    "the window. Some hypervisors do not report it: steal 0 proves "
				    "nothing, see steal-unreported.",
			.verify =
				"Steal falls below 1 % after the guest moved or got its own CPUs.",
			.cure = "Dedicated or pinned virtual CPUs, a less crowded host; nothing "
				"inside the guest cures it.",
			.cost = "Money or capacity on the host.",
			.needs = ZH_LIST("cpu.*.time.steal_ns", "topology.cpus", "virt.type"),
		},
	.run = run,
};
