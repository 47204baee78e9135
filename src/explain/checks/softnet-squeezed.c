/* SPDX-License-Identifier: BSD-2-Clause */
#include "explain/checks/support.h"

#define NOTABLE_PER_S 5

static void run(const struct zh_check *check, struct zh_explain *ex)
{
	uint64_t squeezed = zh_check_delta(ex, "softnet.cpu.*.squeezed");
	double seconds = zh_check_window_s(ex);
	struct zh_finding *finding;

	if ((double)squeezed < NOTABLE_PER_S * seconds || squeezed < NOTABLE_PER_S)
		return;
	finding = zh_finding_add(ex, &check->rule, ZH_SEVERITY_LOW, ZH_CONFIDENCE_MEDIUM,
		"NET_RX ended with packets left %llu times in %.1f s (%.1f/s)",
		(unsigned long long)squeezed, seconds, (double)squeezed / seconds);
	zh_finding_evidence(finding, "/proc/net/softnet_stat column 3 (time_squeeze) +%llu",
		(unsigned long long)squeezed);
	zh_finding_evidence(finding, "netdev_budget %llu packets, netdev_budget_usecs %llu",
		(unsigned long long)zh_check_number(ex, 0, "sysctl.net/core/netdev_budget"),
		(unsigned long long)zh_check_number(ex, 0, "sysctl.net/core/netdev_budget_usecs"));
}

const struct zh_check zh_check_softnet_squeezed = {
	.rule =
		{
			.id = "softnet-squeezed",
			.code = "C16",
			.title = "NET_RX runs out of budget",
			.summary = "net_rx_action often stops at its budget with packets still "
				   "waiting.",
			.why = "One run of NET_RX handles at most netdev_budget packets in "
			       "netdev_budget_usecs. What is left waits for the next run or for "
			       "ksoftirqd, which has to compete with user tasks for the CPU.",
			.evidence = "Growth of column 3 (time_squeeze) of /proc/net/softnet_stat. "
				    "It happens on any busy machine; whether a slow probe waited "
				    "behind it is for cause L5 to say.",
			.verify = "time_squeeze grows less under the same load, and p99 falls.",
			.cure = "Spread the load over CPUs; then raise net.core.netdev_budget and "
				"netdev_budget_usecs.",
			.cost = "A larger budget lets NET_RX hold the CPU longer: user tasks there "
				"see more jitter.",
			.remedies = ZH_LIST("netdev-budget", "rps-cpus"),
			.needs = ZH_LIST("softnet.cpu.*.squeezed", "sysctl.net/core/netdev_budget",
				"sysctl.net/core/netdev_budget_usecs"),
		},
	.run = run,
};
