/* SPDX-License-Identifier: BSD-2-Clause */
#include "explain/checks/support.h"

/*
 * The backlog is shared by all namespaces, so the drops may be somebody else's. The device that a
 * dropped packet came in by counts it too (enqueue_to_backlog): only when one of this namespace
 * did is it a warning: with lost probes, or from this share of all packets on.
 */
#define WARNING_SHARE 1e-4
#define WARNING_PKTS 10

static void run(const struct zh_check *check, struct zh_explain *ex)
{
	static const char pattern[] = "softnet.cpu.*.dropped_pkts";
	const struct zh_fact_set *facts = zh_explain_facts(ex);
	uint64_t dropped = zh_check_delta(ex, pattern);
	uint64_t limited = zh_check_delta(ex, "softnet.cpu.*.flow_limited_pkts");
	uint64_t processed = zh_check_delta(ex, "softnet.cpu.*.processed_pkts");
	uint64_t own = zh_check_delta(ex, "link.*.rx_dropped_pkts");
	bool many = dropped + limited >= WARNING_PKTS &&
		    (double)(dropped + limited) >= WARNING_SHARE * (double)processed;
	bool warning = own && (many || zh_explain_lost(ex));
	struct zh_finding *finding;
	const struct zh_fact *fact;
	size_t pos = 0;
	char cpu[16];

	if (dropped + limited == 0)
		return;
	finding = zh_finding_add(ex, &check->rule, warning ? ZH_SEVERITY_WARNING : ZH_SEVERITY_LOW,
		ZH_CONFIDENCE_HIGH, "A full CPU backlog dropped %llu of %llu packets in %.1f s",
		(unsigned long long)(dropped + limited), (unsigned long long)processed,
		zh_check_window_s(ex));
	while ((fact = zh_fact_next(facts, pattern, &pos))) {
		uint64_t growth;

		if (!zh_explain_delta(ex, &growth, "%s", fact->key) || growth == 0)
			continue;
		zh_finding_evidence(finding, "CPU %s: /proc/net/softnet_stat column 2 +%llu",
			zh_fact_part(cpu, sizeof(cpu), fact, pattern, 0),
			(unsigned long long)growth);
	}
	if (limited)
		zh_finding_evidence(finding, "flow limit (column 11) dropped %llu of them",
			(unsigned long long)limited);
	zh_finding_evidence(finding, "devices of this namespace counted %llu packets as rx dropped",
		(unsigned long long)own);
	zh_finding_evidence(finding, "net.core.netdev_max_backlog is %llu packets",
		(unsigned long long)zh_check_number(ex, 0, "sysctl.net/core/netdev_max_backlog"));
	zh_check_add_loss(ex, finding);
}

const struct zh_check zh_check_softnet_drops = {
	.rule =
		{
			.id = "softnet-drops",
			.code = "C16",
			.title = "CPU backlog overflow",
			.summary = "netif_rx found a CPU's backlog queue full and dropped packets.",
			.why = "lo, veth and macvlan have no hardware queues: netif_rx puts each "
			       "packet into the backlog of one CPU, at most netdev_max_backlog of "
			       "them. When NET_RX of that CPU cannot keep up, further packets are "
			       "dropped without a log line.",
			.evidence = "Growth of column 2 (dropped) and 11 (flow limit) of "
				    "/proc/net/softnet_stat per CPU. Kernel-wide: the packets may "
				    "belong to any namespace. kfree_skb gives the reason "
				    "CPU_BACKLOG; rx dropped of a device tells whose they were.",
			.verify = "Column 2 stands still under the same load.",
			.cure = "Spread the load (RPS on the device, more queues, another CPU for "
				"the sender) and raise net.core.netdev_max_backlog.",
			.cost = "A longer queue means more delay before anything is dropped; RPS "
				"costs an IPI and cache misses a packet.",
			.remedies = ZH_LIST("netdev-max-backlog", "rps-cpus"),
			.needs = ZH_LIST("softnet.cpu.*.dropped_pkts", "link.*.rx_dropped_pkts",
				"softnet.cpu.*.processed_pkts", "softnet.cpu.*.flow_limited_pkts",
				"sysctl.net/core/netdev_max_backlog"),
		},
	.run = run,
};
