/* SPDX-License-Identifier: BSD-2-Clause */
#include "explain/checks/support.h"

#define GROWTH_RATIO 2
#define GROWTH_NS (50 * ZH_NSEC_PER_USEC)

static void run(const struct zh_check *check, struct zh_explain *ex)
{
	struct zh_check_sweep sweep;
	struct zh_finding *finding;

	if (zh_check_number(ex, 0, "virt.guest") == 0 ||
		!zh_check_one_of(
			zh_check_text(ex, "cpuidle.driver"), ZH_LIST("none", "haltpoll")) ||
		!zh_check_get_sweep(ex, &sweep) ||
		sweep.far->p50_ns < sweep.near->p50_ns + GROWTH_NS ||
		sweep.far->p50_ns < GROWTH_RATIO * sweep.near->p50_ns)
		return;
	finding = zh_finding_add(ex, &check->rule, ZH_SEVERITY_LOW, ZH_CONFIDENCE_MEDIUM,
		"RTT grows from %.0f to %.0f us with the gap between probes: waking this guest's "
		"idle CPU takes the host",
		(double)sweep.near->p50_ns / 1e3, (double)sweep.far->p50_ns / 1e3);
	zh_finding_evidence(finding, "p50 %.0f us at a gap of %.0f ms, %.0f us at %.0f ms",
		(double)sweep.near->p50_ns / 1e3, (double)sweep.near_gap_ns / 1e6,
		(double)sweep.far->p50_ns / 1e3, (double)sweep.far_gap_ns / 1e6);
	zh_finding_evidence(finding,
		"%s guest with cpuidle driver %s: idle ends in HLT, its depth is the host's choice",
		zh_check_text(ex, "virt.type"), zh_check_text(ex, "cpuidle.driver"));
}

const struct zh_check zh_check_guest_idle = {
	.rule =
		{
			.id = "guest-idle",
			.code = "C21",
			.title = "Waking an idle virtual CPU is slow",
			.summary =
				"In this guest, RTT grows with the time between probes, and there "
				"is no idle state to limit.",
			.why = "A guest without an idle driver of its own executes HLT: the host takes the "
			       "virtual CPU off, may let the physical one sleep or run something "
			       "else, and has to bring both back for the next packet. That costs "
			       "tens of microseconds to milliseconds.",
			.evidence =
				"The gap sweep in a guest whose cpuidle driver is none or haltpoll. PM QoS "
				"(/dev/cpu_dma_latency) does nothing there.",
			.verify = "RTT no longer grows with the gap.",
			.cure = "Put both ends on one CPU, let the guest poll before HLT (haltpoll "
				"driver with guest_halt_poll_ns > 0), or raise kvm.halt_poll_ns and "
				"limit idle states on the host.",
			.cost = "Polling burns the host's CPU time.",
			.remedies = ZH_LIST("task-affinity", "haltpoll"),
			.needs = ZH_LIST("virt.guest", "virt.type", "cpuidle.driver"),
		},
	.run = run,
};
