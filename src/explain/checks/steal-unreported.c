/* SPDX-License-Identifier: BSD-2-Clause */
#include "explain/checks/support.h"

static void run(const struct zh_check *check, struct zh_explain *ex)
{
	struct zh_finding *finding;

	if (zh_check_number(ex, 0, "virt.guest") == 0 || ex->out->spikes.count == 0 ||
		strcmp(zh_check_text(ex, "virt.steal_clock"), "never moved") != 0)
		return;
	finding = zh_finding_add(ex, &check->rule, ZH_SEVERITY_INFO, ZH_CONFIDENCE_LOW,
		"%llu spikes in a %s guest whose steal time has never moved: the host cannot be "
		"ruled out",
		(unsigned long long)ex->out->spikes.count, zh_check_text(ex, "virt.type"));
	zh_finding_evidence(finding, "/proc/stat steal is 0 since boot on all CPUs");
}

const struct zh_check zh_check_steal_unreported = {
	.rule =
		{
			.id = "steal-unreported",
			.code = "C19",
			.title = "The hypervisor reports no steal time",
			.summary = "This is a virtual machine, spikes were seen, and its steal "
				   "counter has never moved.",
			.why = "Steal time is given by the host, and several do not (VMware without "
			       "stealclock.enable, nested guests). Steal 0 then does not mean that "
			       "the CPU was always there.",
			.evidence = "steal of /proc/stat is 0 since boot in a guest. Cause L15 "
				    "looks for stretches in which all of a CPU's "
				    "events and ticks are missing.",
			.verify = "After the host reports steal, the counter moves under load.",
			.cure = "Turn steal reporting on at the host (VMware: stealclock.enable).",
			.cost = "None.",
			.needs = ZH_LIST("virt.guest", "virt.type", "virt.steal_clock"),
		},
	.run = run,
};
