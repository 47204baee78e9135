/* SPDX-License-Identifier: BSD-2-Clause */
#include "base/buf.h"
#include "explain/checks/support.h"

#define STRICT 1

/* Names of the devices on which the strict mode is in force. */
static void list_strict(const struct zh_explain *ex, struct zh_buf *ret)
{
	static const char pattern[] = "devconf.4.*.rp_filter_effective";
	const struct zh_fact_set *facts = zh_explain_facts(ex);
	const struct zh_fact *fact;
	size_t pos = 0;
	char dev[64];

	while ((fact = zh_fact_next(facts, pattern, &pos)))
		if (fact->type == ZH_FACT_NUMBER && fact->number == STRICT && ret->len < 120)
			zh_buf_addf(ret, "%s%s", ret->len ? " " : "",
				zh_fact_part(dev, sizeof(dev), fact, pattern, 0));
}

static void run(const struct zh_check *check, struct zh_explain *ex)
{
	static const struct zh_check_counter counters[] = {
		{"netstat.TcpExt.IPReversePathFilter", "TcpExt IPReversePathFilter", 1, 100, true},
		{"kmsg.martian.count", "martian lines in the kernel log", 1, 0, false},
		{},
	};
	zh_autobuf strict = {};
	struct zh_finding *finding;

	finding = zh_check_counters(
		check, ex, counters, "The reverse-path filter dropped packets that had arrived");
	if (!finding)
		return;
	list_strict(ex, &strict);
	zh_finding_evidence(finding, "strict mode (the larger of all and the device is 1) on: %s",
		strict.len ? strict.text : "no device; a loose or nft fib rule dropped them");
}

const struct zh_check zh_check_rp_filter = {
	.rule =
		{
			.id = "rp-filter",
			.code = "C11",
			.title = "Reverse-path filter drops packets",
			.summary = "Packets are dropped on arrival because their source would be "
				   "routed out of another device.",
			.why = "With rp_filter 1 the kernel accepts a packet only on the device it "
			       "would use for the reply. Asymmetric or equal-cost routes, policy "
			       "rules and addresses moved between bridges break that: the reply is "
			       "seen by a capture and then vanishes. The device's drop counter stays "
			       "0 and log_martians prints only some cases (127/8 from outside).",
			.evidence =
				"Growth of TcpExt IPReversePathFilter (per namespace). The mode "
				"in force is the larger of conf.all and conf.DEV.",
			.verify = "IPReversePathFilter stands still and the probe is answered.",
			.cure = "Mend the routes, or set rp_filter to 2 (loose) or 0 on the arriving "
				"device and on all.",
			.cost = "Less protection against spoofed sources on that device.",
			.remedies = ZH_LIST("rp-filter"),
			.needs = ZH_LIST("netstat.TcpExt.*", "devconf.4.*.rp_filter_effective",
				"kmsg.*.count"),
			.way = ZH_WAY_SHOWN,
			.told_by = ZH_LIST("path-dropped"),
		},
	.run = run,
};
