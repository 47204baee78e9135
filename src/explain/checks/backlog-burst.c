/* SPDX-License-Identifier: BSD-2-Clause */
#include "explain/checks/rx-work.h"

static void run(const struct zh_check *check, struct zh_explain *ex)
{
	struct zh_finding *finding;
	struct zh_rx_work work;

	if (!zh_rx_work_get(ex, &work) || work.state != ZH_RX_BURSTS)
		return;
	finding = zh_finding_add(ex, &check->rule, ZH_SEVERITY_CRITICAL, ZH_CONFIDENCE_HIGH,
		"Bursts from %.20s overflow the backlog of CPU %s (%llu packets): %.0f/s dropped, "
		"although it is in softirqs for %.0f %% of the time only: a longer backlog holds "
		"them",
		work.dev, work.cpu,
		(unsigned long long)zh_check_number(ex, 0, "sysctl.net/core/netdev_max_backlog"),
		work.dropped_per_s, 100 * work.softirq);
	if (!finding)
		return;
	finding->weight = ZH_WEIGHT_DEVICE;
	zh_rx_add_use(finding, &work);
	zh_rx_add_flows(ex, finding, &work);
	zh_rx_add_drops(ex, finding);
}

const struct zh_check zh_check_backlog_burst = {
	.rule =
		{
			.id = "backlog-burst",
			.code = "C16",
			.title = "The backlog is too small for the bursts",
			.summary =
				"A CPU's backlog overflows although the CPU has enough idle time "
				"for all of the work.",
			.why = "netif_rx puts packets into the backlog of a CPU, which holds "
			       "netdev_max_backlog of them (1000). A sender that hands over more in "
			       "less time than they take to receive loses the rest, however idle "
			       "the CPU is before and after.",
			.evidence =
				"Growth of softnet_stat column 2 on a CPU whose idle time in the "
				"window is more than what the dropped packets would have needed "
				"(softirq time per packet received, two passes each). Under "
				"lasting overload there is no such time, and a longer backlog "
				"only adds waiting.",
			.verify = "Column 2 stands still under the same load.",
			.cure = "Raise net.core.netdev_max_backlog above the longest burst, or let "
				"the sender pace (fq, SO_MAX_PACING_RATE).",
			.cost = "The last packet of a burst waits for all before it. The limit is the "
				"machine's: every CPU and namespace gets it.",
			.remedies = ZH_LIST("netdev-max-backlog"),
			.needs = ZH_LIST(ZH_RX_NEEDS, "sysctl.net/core/netdev_max_backlog"),
		},
	.run = run,
};
