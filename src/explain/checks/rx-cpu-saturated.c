/* SPDX-License-Identifier: BSD-2-Clause */
#include "explain/checks/rx-work.h"

static void run(const struct zh_check *check, struct zh_explain *ex)
{
	struct zh_finding *finding;
	struct zh_rx_work work;
	struct zh_rx_hog hog;
	char buf[160];

	if (!zh_rx_work_get(ex, &work) || work.state != ZH_RX_FULL)
		return;
	finding = zh_finding_add(ex, &check->rule,
		work.dropped >= ZH_RX_DROPS_MIN ? ZH_SEVERITY_CRITICAL : ZH_SEVERITY_WARNING,
		ZH_CONFIDENCE_HIGH,
		"CPU %s is full of receive work, most of it from %.20s (to %.40s), and drops "
		"%.0f packets/s: %.120s",
		work.cpu, work.dev, zh_check_text(ex, "watch.flow.%d.to_place", work.flow),
		work.dropped_per_s, zh_rx_advise_rps(ex, &work, buf, sizeof(buf)));
	if (!finding)
		return;
	finding->weight = ZH_WEIGHT_DEVICE;
	zh_rx_add_use(finding, &work);
	zh_rx_add_flows(ex, finding, &work);
	zh_rx_add_drops(ex, finding);
	hog = zh_rx_hog_get(ex, &work);
	if (*hog.name)
		zh_finding_evidence(finding, "besides, %s took %.0f %% of that CPU",
			zh_rx_hog_text(&hog, buf, sizeof(buf)), 100 * hog.share);
}

const struct zh_check zh_check_rx_cpu_saturated = {
	.rule =
		{
			.id = "rx-cpu-saturated",
			.code = "C16",
			.title = "A CPU is full of a device's receive work",
			.summary = "The packets of the device under watch meet on one CPU, which "
				   "cannot receive more.",
			.why = "netif_rx of a veth puts a packet into the backlog of the sender's "
			       "CPU, or of the one that RPS or an interrupt chose. That CPU does "
			       "all further work: filtering, routing, the socket. Above what it "
			       "can do the backlog stays full, everything behind it waits, and "
			       "the rest is dropped.",
			.evidence = "Softirq time by entry and exit (the tick's %soft cannot see "
				    "it), softnet_stat column 2, drops by reason and device, the "
				    "flows on that CPU. One flow cannot be spread by RPS.",
			.verify = "Drops stop, and no CPU is above 85 % in softirqs, at the same "
				  "offered load.",
			.cure = "Spread the receive work: an RPS mask on the device that brings "
				"the packets in (on the host's end of a pod's veth), or RFS where "
				"receivers are pinned. A longer backlog helps bursts only; GRO and "
				"threaded NAPI move the work but keep one CPU; macvlan or SR-IOV "
				"leave the host's filtering out.",
			.cost = "RPS costs an interrupt to another CPU per burst and more CPU time "
				"in all; below saturation it makes packets slower. macvlan bypasses "
				"the host's network policy.",
			.remedies = ZH_LIST("rps-cpus", "rps-default-mask", "netdev-max-backlog"),
			.needs = ZH_LIST(ZH_RX_NEEDS),
		},
	.run = run,
};
