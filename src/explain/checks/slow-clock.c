/* SPDX-License-Identifier: BSD-2-Clause */
#include "explain/checks/support.h"

#define NOTABLE_NS 300

/* Sources that are read from a device: each read is a bus access, in a guest a VM exit. */
static const char *const slow_sources[] = {
	"hpet", "acpi_pm", "pit", "jiffies", "refined-jiffies", NULL};

static void run(const struct zh_check *check, struct zh_explain *ex)
{
	const char *source = zh_check_text(ex, "clock.source");
	uint64_t cost_ns = zh_check_number(ex, 0, "clock.gettime_ns");
	bool slow = zh_check_one_of(source, slow_sources);
	struct zh_finding *finding;

	if (!slow && cost_ns < NOTABLE_NS)
		return;
	finding = zh_finding_add(ex, &check->rule, slow ? ZH_SEVERITY_WARNING : ZH_SEVERITY_LOW,
		slow ? ZH_CONFIDENCE_HIGH : ZH_CONFIDENCE_MEDIUM,
		"The clock source is %s: one clock_gettime() takes %llu ns", source,
		(unsigned long long)cost_ns);
	zh_finding_evidence(finding, "current_clocksource %s, available: %s", source,
		zh_check_text(ex, "clock.available"));
	if (zh_check_number(ex, 0, "kmsg.clock_unstable.count"))
		zh_finding_evidence(
			finding, "kernel log: %s", zh_check_text(ex, "kmsg.clock_unstable.last"));
}

const struct zh_check zh_check_slow_clock = {
	.rule =
		{
			.id = "slow-clock",
			.code = "C20",
			.title = "Reading the time is slow",
			.summary =
				"The clock source is a device register, or reading the time is a "
				"system call.",
			.why = "Timers, the scheduler, packet stamps and most servers read the time "
			       "several times a request. From the TSC it takes 20-40 ns without a "
			       "system call; from HPET or the ACPI timer about a microsecond, in a "
			       "guest a VM exit each. Kernels fall back to them when they find the "
			       "TSC unstable.",
			.evidence =
				"current_clocksource, the measured cost of clock_gettime(), and "
				"\"clocksource ... unstable\" in the kernel log.",
			.verify =
				"current_clocksource is tsc (or kvm-clock, hyperv_clocksource) and "
				"clock_gettime() below 100 ns.",
			.cure = "Use tsc or the hypervisor's clock (`tsc=reliable` where the "
				"hardware warrants it), or another host.",
			.cost = "An unstable TSC forced as reliable makes time jump.",
			.remedies = ZH_LIST("clocksource"),
			.needs = ZH_LIST("clock.source", "clock.available", "clock.gettime_ns",
				"kmsg.*.count", "kmsg.*.last"),
		},
	.run = run,
};
