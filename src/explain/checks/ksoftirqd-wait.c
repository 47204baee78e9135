/* SPDX-License-Identifier: BSD-2-Clause */
#include "explain/checks/rx-work.h"

#define MIN_RUNS 10
#define NOTABLE_NS (2 * ZH_NSEC_PER_MSEC)

/* Of the CPU that works for the device under watch; true: it was the reason for waits or drops. */
static bool watched(const struct zh_check *check, struct zh_explain *ex)
{
	struct zh_finding *finding;
	struct zh_rx_work work;
	struct zh_rx_hog hog;
	char buf[80];

	if (!zh_rx_work_get(ex, &work) || work.state != ZH_RX_BEHIND)
		return false;
	/* With a free CPU beside it, the mask is to blame (rps-busy-cpu). */
	if (zh_rx_free_cpu(ex, &work) >= 0)
		return true;
	hog = zh_rx_hog_get(ex, &work);
	finding = zh_finding_add(ex, &check->rule,
		work.dropped >= ZH_RX_DROPS_MIN ? ZH_SEVERITY_CRITICAL : ZH_SEVERITY_WARNING,
		ZH_CONFIDENCE_HIGH,
		"ksoftirqd/%s, with receive work from %.20s, waits behind %.60s: %.0f %% of the "
		"time, %.1f ms each (%.0f packets/s dropped)",
		work.cpu, work.dev, zh_rx_hog_text(&hog, buf, sizeof(buf)), 100 * work.wait,
		work.wait_each_ns / 1e6, work.dropped_per_s);
	if (!finding)
		return true;
	finding->weight = ZH_WEIGHT_DEVICE;
	zh_rx_add_use(finding, &work);
	zh_finding_evidence(finding, "%s took %.0f %% of CPU %s", buf, 100 * hog.share, work.cpu);
	zh_rx_add_flows(ex, finding, &work);
	zh_rx_add_drops(ex, finding);
	return true;
}

static void run(const struct zh_check *check, struct zh_explain *ex)
{
	const struct zh_fact_set *facts = zh_explain_facts(ex);
	const struct zh_fact *fact;
	size_t pos = 0;
	char cpu[16];

	if (watched(check, ex))
		return;
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
			.evidence =
				"Mean run delay of ksoftirqd/N in /proc/PID/schedstat over the "
				"window. Whether a slow probe waited for it is for cause L6 to "
				"say. Of a device under watch: on the CPU that works for it, with "
				"the task that used most of that CPU. It is to blame when ksoftirqd "
				"waits 2 ms and more each time, a tenth of the time (meanwhile "
				"softirqs run at ticks only), and tasks have the time that "
				"dropped packets would have needed.",
			.verify = "Run delay an activation falls below a millisecond.",
			.cure = "Move the tasks that keep the CPU, or give ksoftirqd a low "
				"real-time priority (FIFO 1).",
			.cost = "A real-time ksoftirqd can starve user tasks under a packet flood.",
			.remedies = ZH_LIST("ksoftirqd-priority", "task-affinity"),
			.needs = ZH_LIST("ksoftirqd.*.wait_ns", "ksoftirqd.*.runs", ZH_RX_NEEDS,
				"watch.cpu.*.hog.name", "watch.cpu.*.hog.nice"),
		},
	.run = run,
};
