/* SPDX-License-Identifier: BSD-2-Clause */
#include "explain/checks/support.h"

#include <stdio.h>

#define WARNING_SHARE 1e-4
#define WARNING_PKTS 10

static const char *const virtual_kinds[] = {
	"veth", "macvlan", "ipvlan", "bridge", "vxlan", "loopback", NULL};

static uint64_t growth_of(const struct zh_explain *ex, const char *dev, const char *counter)
{
	uint64_t growth;

	return zh_explain_delta(ex, &growth, "link.%s.%s", dev, counter) ? growth : 0;
}

static void judge(
	const struct zh_check *check, struct zh_explain *ex, const char *dev, const char *kind)
{
	uint64_t rx = growth_of(ex, dev, "rx_dropped_pkts");
	uint64_t tx = growth_of(ex, dev, "tx_dropped_pkts");
	uint64_t errors =
		growth_of(ex, dev, "rx_errors_pkts") + growth_of(ex, dev, "tx_errors_pkts");
	uint64_t packets = growth_of(ex, dev, "rx_pkts") + growth_of(ex, dev, "tx_pkts");
	uint64_t lost = rx + tx + errors;
	uint64_t queues = zh_check_number(ex, 0, "queue.%s.rx.count", dev);
	struct zh_finding *finding;
	bool warning;

	if (lost == 0)
		return;
	warning = lost >= WARNING_PKTS && (double)lost >= WARNING_SHARE * (double)packets;
	finding = zh_finding_add(ex, &check->rule,
		warning || zh_explain_lost(ex) ? ZH_SEVERITY_WARNING : ZH_SEVERITY_LOW,
		ZH_CONFIDENCE_HIGH, "%s (%s) dropped %llu packets while %llu passed in %.1f s", dev,
		kind, (unsigned long long)lost, (unsigned long long)packets, zh_check_window_s(ex));
	zh_finding_evidence(finding,
		"ip -s link %s: rx dropped +%llu, tx dropped +%llu, errors "
		"+%llu",
		dev, (unsigned long long)rx, (unsigned long long)tx, (unsigned long long)errors);
	if (queues)
		zh_finding_evidence(finding,
			"%s has %llu receive queue(s), rps_cpus of the first: "
			"\"%s\"",
			dev, (unsigned long long)queues,
			zh_check_text(ex, "queue.%s.rx.0.rps_cpus", dev));
	zh_check_add_loss(ex, finding);
}

static void run(const struct zh_check *check, struct zh_explain *ex)
{
	const struct zh_fact_set *facts = zh_explain_facts(ex);
	const struct zh_fact *fact;
	size_t pos = 0;
	char dev[64];

	while ((fact = zh_fact_next(facts, "link.*.kind", &pos))) {
		snprintf(dev, sizeof(dev), "%.*s", (int)strcspn(fact->key + 5, "."), fact->key + 5);
		if (fact->type == ZH_FACT_STRING && zh_check_one_of(fact->text, virtual_kinds))
			judge(check, ex, dev, fact->text);
	}
}

const struct zh_check zh_check_virtual_link_drops = {
	.rule =
		{
			.id = "virtual-link-drops",
			.code = "C16",
			.title = "A virtual link drops packets",
			.summary = "The drop or error counters of a veth, bridge, macvlan or lo "
				   "device grew in the window.",
			.why = "A packet for a veth goes into the receiving CPU's backlog, or with "
			       "GRO on into a ring of 256. When that is full, the receiving end "
			       "counts rx dropped and the sending end tx dropped (also when the peer "
			       "is down). With one queue by default, one CPU takes all packets of a "
			       "pod, and the drops appear on the host-side veth.",
			.evidence = "Growth of rx/tx dropped and errors in IFLA_STATS64 against "
				    "packets passed. rx dropped also counts frames of unknown "
				    "protocols. Drops in tc or in netfilter do not appear here.",
			.verify = "The counters stand still under the same load.",
			.cure = "RPS on the host-side veth and a larger netdev_max_backlog; more "
				"veth queues; or macvlan/SR-IOV for that pod.",
			.cost = "RPS costs CPU time a packet; macvlan needs a way from the host to "
				"the pod.",
			.remedies = ZH_LIST("rps-cpus", "netdev-max-backlog", "rps-default-mask"),
			.needs = ZH_LIST("link.*.kind", "link.*.rx_dropped_pkts",
				"link.*.tx_dropped_pkts", "link.*.rx_errors_pkts",
				"link.*.tx_errors_pkts", "link.*.rx_pkts", "link.*.tx_pkts",
				"queue.*.rx.count", "queue.*.rx.*.rps_cpus"),
		},
	.run = run,
};
