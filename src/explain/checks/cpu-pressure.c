/* SPDX-License-Identifier: BSD-2-Clause */
#include "explain/checks/support.h"

#define NOTABLE_SHARE 0.25

static void run(const struct zh_check *check, struct zh_explain *ex)
{
	uint64_t stalled_ns = zh_check_delta(ex, "psi.cpu.some.total_ns");
	double seconds = zh_check_window_s(ex);
	double share = (double)stalled_ns / 1e9 / seconds;
	struct zh_finding *finding;

	if (share < NOTABLE_SHARE)
		return;
	finding = zh_finding_add(ex, &check->rule, ZH_SEVERITY_LOW, ZH_CONFIDENCE_MEDIUM,
		"Some task waited for a CPU during %.0f %% of the run", 100 * ZH_MIN(share, 1.0));
	zh_finding_evidence(finding, "/proc/pressure/cpu some total +%.0f ms in %.1f s",
		(double)stalled_ns / 1e6, seconds);
	zh_finding_evidence(finding, "load average (1 min) %.2f on %llu CPUs",
		(double)zh_check_number(ex, 0, "load.1m_centi") / 100,
		(unsigned long long)zh_check_number(ex, ex->record->n_cpus, "topology.cpus"));
}

const struct zh_check zh_check_cpu_pressure = {
	.rule =
		{
			.id = "cpu-pressure",
			.code = "C17",
			.title = "CPUs are oversubscribed",
			.summary =
				"For a large part of the run some task was ready but had no CPU.",
			.why = "A packet can be delivered in microseconds and its receiver still "
			       "wait for a time slice of milliseconds. Under CPU pressure that wait, "
			       "not the network, makes the tail of local RTTs.",
			.evidence = "Growth of `some total` of /proc/pressure/cpu over the window "
				    "(it includes throttled groups). Which task was in the way of "
				    "which probe is for the cause run-queue-wait to say.",
			.verify = "The pressure falls, and p99 with it.",
			.cure = "Move or limit the tasks that keep the CPUs, pin the latency-bound "
				"processes to CPUs of their own.",
			.cost = "Other work gets less CPU time.",
			.remedies = ZH_LIST("task-affinity", "cpuset"),
			.needs = ZH_LIST("psi.*.*.total_ns", "load.1m_centi", "topology.cpus"),
		},
	.run = run,
};
