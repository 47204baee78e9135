/* SPDX-License-Identifier: BSD-2-Clause */
#include "explain/checks/support.h"

#define MIN_RUNS 10
#define NOTABLE_NS (2 * ZH_NSEC_PER_MSEC)

static void run(const struct zh_check *check, struct zh_explain *ex)
{
	const struct zh_fact_set *facts = zh_explain_facts(ex);
	const struct zh_fact *fact;
	size_t pos = 0;
	char cpu[16];

	while ((fact = zh_fact_next(facts, "ksoftirqd.*.wait_ns", &pos))) {
		uint64_t wait_ns = 0, runs = 0;
		struct zh_finding *finding;

		zh_fact_part(cpu, sizeof(cpu), fact, "ksoftirqd.*.wait_ns", 0);
		if (!zh_explain_delta(ex, &wait_ns, "ksoftirqd.%s.wait_ns", cpu) ||
			!zh_explain_delta(ex, &runs, "ksoftirqd.%s.runs", cpu) || runs < MIN_RUNS ||
			wait_ns / runs < NOTABLE_NS)
			continue;
		finding = zh_finding_add(ex, &check->rule, ZH_SEVERITY_LOW, ZH_CONFIDENCE_MEDIUM,
			"ksoftirqd/%s waited %.1f ms on average for its CPU, %llu times in %.1f s",
			cpu, (double)wait_ns / (double)runs / 1e6, (unsigned long long)runs,
			zh_check_window_s(ex));
		zh_finding_evidence(finding,
			"/proc/PID/schedstat of ksoftirqd/%s: run_delay +%.1f ms over +%llu runs",
			cpu, (double)wait_ns / 1e6, (unsigned long long)runs);
	}
}

const struct zh_check zh_check_ksoftirqd_wait = {
	.rule =
		{
			.id = "ksoftirqd-wait",
			.code = "C16",
			.title = "ksoftirqd waits for its CPU",
			.summary = "The thread that handles deferred softirqs queues behind other "
				   "tasks for milliseconds.",
			.why = "When softirqs are raised again and again, the kernel leaves them to "
			       "ksoftirqd, an ordinary task. Packets of that CPU then wait in its run "
			       "queue: behind a task with a long slice, behind real-time tasks, or "
			       "behind kernel work that does not give the CPU up (memory.stat of "
			       "dead cgroups).",
			.evidence = "Mean run delay of ksoftirqd/N in /proc/PID/schedstat over the "
				    "window. Whether a slow probe waited for it is for cause L6 to "
				    "say.",
			.verify = "Run delay an activation falls below a millisecond.",
			.cure = "Move the tasks that keep the CPU, or give ksoftirqd a low "
				"real-time priority (FIFO 1).",
			.cost = "A real-time ksoftirqd can starve user tasks under a packet flood.",
			.remedies = ZH_LIST("ksoftirqd-priority", "task-affinity"),
			.needs = ZH_LIST("ksoftirqd.*.wait_ns", "ksoftirqd.*.runs"),
		},
	.run = run,
};
