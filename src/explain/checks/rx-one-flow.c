/* SPDX-License-Identifier: BSD-2-Clause */
#include "explain/checks/rx-work.h"

static void run(const struct zh_check *check, struct zh_explain *ex)
{
	struct zh_finding *finding;
	struct zh_rx_work work;

	if (!zh_rx_work_get(ex, &work) || work.state != ZH_RX_ONE_FLOW)
		return;
	finding = zh_finding_add(ex, &check->rule,
		work.dropped >= ZH_RX_DROPS_MIN ? ZH_SEVERITY_CRITICAL : ZH_SEVERITY_WARNING,
		ZH_CONFIDENCE_HIGH,
		"One flow, %.40s to %.40s by %.20s, fills CPU %s (%.1f %% of its packets; %.0f/s "
		"dropped): RPS cannot spread it",
		zh_check_text(ex, "watch.flow.%d.from", work.flow),
		zh_check_text(ex, "watch.flow.%d.to", work.flow), work.dev, work.cpu,
		(double)work.top_permille / 10, work.dropped_per_s);
	if (!finding)
		return;
	finding->weight = ZH_WEIGHT_DEVICE;
	zh_rx_add_use(finding, &work);
	zh_rx_add_flows(ex, finding, &work);
	zh_rx_add_drops(ex, finding);
}

const struct zh_check zh_check_rx_one_flow = {
	.rule =
		{
			.id = "rx-one-flow",
			.code = "C16",
			.title = "One flow fills a CPU",
			.summary = "The CPU that receives for the device under watch is full, and "
				   "one flow makes up most of its packets.",
			.why = "Steering (RPS, RFS, queues of a device) chooses the CPU by a hash of "
			       "addresses and ports, so that packets of a flow stay in order. One "
			       "flow is always one CPU's, whatever the mask. A tunnel is often one "
			       "flow for everything in it.",
			.evidence =
				"The CPU is full as in rx-cpu-saturated, and one flow has 80 % or "
				"more of its packets (sampled). That is the limit from which "
				"spreading the others would leave the CPU full.",
			.verify = "The same bytes in several flows go to several CPUs, and drops "
				  "stop.",
			.cure = "Make it cheaper or make it many: larger packets, GRO/GSO or UDP "
				"segmentation for the flow, fewer firewall rules on its way, "
				"several connections or tunnel source ports; or take the host's "
				"stack out of its way (macvlan, SR-IOV). Not RPS.",
			.cost = "Several flows may arrive out of order among each other; macvlan and "
				"SR-IOV bypass the host's network policy.",
			.remedies = ZH_LIST("gro", "macvlan"),
			.needs = ZH_LIST(ZH_RX_NEEDS, "watch.cpu.*.top_flow_permille"),
		},
	.run = run,
};
