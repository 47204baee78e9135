/* SPDX-License-Identifier: BSD-2-Clause */
#include "explain/checks/support.h"

static void run(const struct zh_check *check, struct zh_explain *ex)
{
	static const struct zh_check_counter counters[] = {
		{"kmsg.rcu_stall.count", "RCU stall", 1, 1, true},
		{"kmsg.soft_lockup.count", "soft lockup", 1, 1, true},
		{"kmsg.hung_task.count", "hung task", 1, 0, false},
		{"kmsg.rt_throttled.count", "RT throttling activated", 1, 1, true},
		{},
	};

	zh_check_counters(check, ex, counters, "The kernel log reports stalls");
}

const struct zh_check zh_check_kernel_stalls = {
	.rule =
		{
			.id = "kernel-stalls",
			.code = "C17",
			.title = "The kernel reports stalls",
			.summary =
				"RCU stalls, soft lockups or real-time throttling were logged in "
				"the window.",
			.why = "A CPU that does not schedule for seconds handles no packet for its "
			       "tasks. Real-time throttling stops all real-time tasks for 50 ms of "
			       "each second once they used 950 ms (kernel.sched_rt_runtime_us).",
			.evidence = "New lines of these kinds in the kernel log between the two "
				    "snapshots.",
			.verify = "No new lines.",
			.cure = "Follow the stack in the log; in a guest, look at the host first. "
				"For real-time throttling, make the real-time task sleep.",
			.cost = "None.",
			.remedies = ZH_LIST("sched-rt-runtime"),
			.needs = ZH_LIST("kmsg.*.count"),
		},
	.run = run,
};
