/* SPDX-License-Identifier: BSD-2-Clause */
#include "explain/checks/support.h"

#define NOTABLE_PER_S 5
#define DEV_WEIGHT 64 /* the default */

/*
 * One poll of a queue takes up to dev_weight packets, whatever the budget. A budget of no more than
 * that, or of no time, ends every run of NET_RX after the first queue that had a full poll: that is
 * no load, but a setting. With more, running out is what load does.
 */
static bool is_below_a_poll(const struct zh_explain *ex)
{
	uint64_t weight = zh_check_number(ex, DEV_WEIGHT, "sysctl.net/core/dev_weight") *
			  zh_check_number(ex, 1, "sysctl.net/core/dev_weight_rx_bias");

	return zh_check_number(ex, UINT64_MAX, "sysctl.net/core/netdev_budget") <= weight ||
	       zh_check_number(ex, 1, "sysctl.net/core/netdev_budget_usecs") == 0;
}

static void run(const struct zh_check *check, struct zh_explain *ex)
{
	uint64_t squeezed = zh_check_delta(ex, "softnet.cpu.*.squeezed");
	uint64_t budget = zh_check_number(ex, 0, "sysctl.net/core/netdev_budget");
	double seconds = zh_check_window_s(ex);
	bool low = is_below_a_poll(ex);
	struct zh_finding *finding;

	if ((double)squeezed < NOTABLE_PER_S * seconds || squeezed < NOTABLE_PER_S)
		return;
	if (low)
		finding = zh_finding_add(ex, &check->rule, ZH_SEVERITY_WARNING, ZH_CONFIDENCE_HIGH,
			"NET_RX ended for want of budget %.0f times a second: netdev_budget %llu "
			"is no more than one queue's poll takes",
			(double)squeezed / seconds, (unsigned long long)budget);
	else
		finding = zh_finding_add(ex, &check->rule, ZH_SEVERITY_LOW, ZH_CONFIDENCE_MEDIUM,
			"NET_RX ended with packets left %llu times in %.1f s (%.1f/s)",
			(unsigned long long)squeezed, seconds, (double)squeezed / seconds);
	zh_finding_evidence(finding, "/proc/net/softnet_stat column 3 (time_squeeze) +%llu",
		(unsigned long long)squeezed);
	zh_finding_evidence(finding,
		"netdev_budget %llu packets, netdev_budget_usecs %llu, dev_weight %llu",
		(unsigned long long)budget,
		(unsigned long long)zh_check_number(ex, 0, "sysctl.net/core/netdev_budget_usecs"),
		(unsigned long long)zh_check_number(ex, DEV_WEIGHT, "sysctl.net/core/dev_weight"));
	if (low)
		zh_finding_evidence(finding,
			"with one busy queue this costs nothing; each further one (a NIC, a veth "
			"with NAPI, the backlog) waits for a round of its own, and after ten "
			"rounds for ksoftirqd");
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
			.evidence =
				"Growth of column 3 (time_squeeze) of /proc/net/softnet_stat; a "
				"warning only with a budget that one poll uses up (dev_weight). "
				"It happens on any busy machine; whether a slow probe waited "
				"behind it is for cause L5 to say.",
			.verify = "time_squeeze grows less under the same load, and p99 falls.",
			.cure = "A budget below the default (300 packets, two ticks) back to it. Else "
				"spread the load over CPUs, and only then raise "
				"net.core.netdev_budget and netdev_budget_usecs.",
			.cost = "A larger budget lets NET_RX hold the CPU longer: user tasks there "
				"see more jitter.",
			.remedies = ZH_LIST("netdev-budget", "rps-cpus"),
			.needs = ZH_LIST("softnet.cpu.*.squeezed", "sysctl.net/core/netdev_budget",
				"sysctl.net/core/netdev_budget_usecs", "sysctl.net/core/dev_weight",
				"sysctl.net/core/dev_weight_rx_bias"),
		},
	.run = run,
};
