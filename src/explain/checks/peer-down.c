/* SPDX-License-Identifier: BSD-2-Clause */
#include "explain/checks/support.h"

static void run(const struct zh_check *check, struct zh_explain *ex)
{
	const char *dev = zh_check_text(ex, "watch.dev");
	uint64_t up = zh_check_number(ex, 1, "watch.peer.link.flags.up"), dropped = 0;
	struct zh_finding *finding;

	if (up || !*dev)
		return;
	zh_explain_delta(ex, &dropped, "link.%s.tx_dropped_pkts", dev);
	finding = zh_finding_add(ex, &check->rule, ZH_SEVERITY_CRITICAL, ZH_CONFIDENCE_HIGH,
		"%.20s leads nowhere: its other end %.20s in %.60s is down (%llu packets dropped)",
		dev, zh_check_text(ex, "watch.peer.dev"), zh_check_text(ex, "watch.peer.place"),
		(unsigned long long)dropped);
	if (finding)
		finding->weight = ZH_WEIGHT_DEVICE;
	zh_finding_evidence(finding, "flags of the other end lack IFF_UP");
}

const struct zh_check zh_check_peer_down = {
	.rule =
		{
			.id = "peer-down",
			.code = "C16",
			.title = "The other end of the veth is down",
			.summary = "The device's peer is switched off, so nothing passes.",
			.why = "A veth hands each packet to its peer. While that is down there is "
			       "no carrier, and what is sent is dropped.",
			.evidence = "The peer's flags, read in its own namespace.",
			.verify = "The device has a carrier, and packets pass.",
			.cure = "Switch the other end on, in its namespace: ip link set DEV up.",
			.cost = "None.",
			.remedies = ZH_LIST("link-up"),
			.needs = ZH_LIST("watch.peer.link.*.*", "watch.peer.dev",
				"watch.peer.place", "watch.dev", "link.*.tx_dropped_pkts"),
		},
	.run = run,
};
