/* SPDX-License-Identifier: BSD-2-Clause */
#include "explain/checks/support.h"

#include <stdio.h>

/* Names overlay devices whose checksums are left to offload. */
static void add_overlays(const struct zh_explain *ex, struct zh_finding *finding)
{
	const struct zh_fact_set *facts = zh_explain_facts(ex);
	const struct zh_fact *fact;
	size_t pos = 0;
	char dev[64];

	while ((fact = zh_fact_next(facts, "link.*.kind", &pos))) {
		if (fact->type != ZH_FACT_STRING || strcmp(fact->text, "vxlan") != 0)
			continue;
		snprintf(dev, sizeof(dev), "%.*s", (int)strcspn(fact->key + 5, "."), fact->key + 5);
		zh_finding_evidence(finding, "%s: vxlan, tx-checksum-ip-generic %llu", dev,
			(unsigned long long)zh_check_number(
				ex, 0, "offload.%s.tx-checksum-ip-generic", dev));
	}
}

static void run(const struct zh_check *check, struct zh_explain *ex)
{
	static const struct zh_check_counter counters[] = {
		{"snmp.Tcp.InCsumErrors", "Tcp InCsumErrors", 1, 10, true},
		{"snmp.Udp.InCsumErrors", "Udp InCsumErrors", 1, 10, true},
		{"snmp.Icmp.InCsumErrors", "Icmp InCsumErrors", 1, 10, true},
		{"netstat.IpExt.InCsumErrors", "IpExt InCsumErrors", 1, 10, true},
		{"snmp6.Udp6InCsumErrors", "Udp6 InCsumErrors", 1, 10, true},
		{"snmp6.Icmp6InCsumErrors", "Icmp6 InCsumErrors", 1, 10, true},
		{"kmsg.udp_checksum.count", "\"UDP: bad checksum\" in the kernel log", 1, 0, false},
		{},
	};
	struct zh_finding *finding =
		zh_check_counters(check, ex, counters, "Packets arrived with wrong checksums");

	if (finding)
		add_overlays(ex, finding);
}

const struct zh_check zh_check_checksum_errors = {
	.rule =
		{
			.id = "checksum-errors",
			.code = "C25",
			.title = "Wrong checksums on virtual links",
			.summary = "Packets were dropped because their checksum was wrong.",
			.why = "On virtual links a checksum is often not computed but left to "
			       "offload. Where translation or an overlay handles that wrongly, the "
			       "receiver drops the packet: connects through a VXLAN service address "
			       "take exactly 1, 3 or 63 s, the SYN retries.",
			.evidence = "Growth of InCsumErrors of Tcp, Udp, Icmp and IpExt. A capture "
				    "on the sender shows \"bad cksum\" for every offloaded packet: "
				    "only the receiver's counters are evidence.",
			.verify = "InCsumErrors stand still.",
			.cure = "`ethtool -K DEV tx-checksum-ip-generic off` on the overlay or "
				"sending device, or a newer kernel.",
			.cost = "Checksums are computed by the CPU.",
			.remedies = ZH_LIST("offload-tx-checksum"),
			.needs = ZH_LIST("snmp.Tcp.*", "snmp.Udp.*", "snmp.Icmp.*", "snmp6.*",
				"netstat.IpExt.*", "link.*.kind", "offload.*.*", "kmsg.*.count"),
		},
	.run = run,
};
