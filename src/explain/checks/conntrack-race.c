/* SPDX-License-Identifier: BSD-2-Clause */
#include "explain/checks/support.h"

static void run(const struct zh_check *check, struct zh_explain *ex)
{
	static const struct zh_check_counter counters[] = {
		{"conntrack.stat.insert_failed", "insert_failed", 1, 30, true},
		{"conntrack.stat.clash_resolve", "clash_resolve", 0, 0, false},
		{"conntrack.stat.chaintoolong", "chaintoolong", 1, 10, true},
		{},
	};

	zh_check_counters(check, ex, counters, "Flows lost a race for their conntrack entry");
}

const struct zh_check zh_check_conntrack_race = {
	.rule =
		{
			.id = "conntrack-race",
			.code = "C8",
			.title = "Conntrack insertion races",
			.summary = "Packets are dropped because a new conntrack entry clashed with "
				   "another one at insertion.",
			.why = "An entry is made at the first hook and inserted at the last one. Two "
			       "packets of one socket (the A and AAAA query of a resolver), or two "
			       "flows that masquerade picked the same port for, can both be on the "
			       "way: the second to arrive is dropped. The sender retries after its "
			       "own timer: 5 s for DNS, 1 s for a SYN.",
			.evidence =
				"Growth of insert_failed in /proc/net/stat/nf_conntrack; "
				"clash_resolve counts races that were healed. Each insert_failed "
				"is one lost packet.",
			.verify = "insert_failed stands still; the 1 s and 5 s modes are gone.",
			.cure = "`--random-fully` on masquerade, single-request-reopen or a local "
				"resolver that is not tracked, notrack for lo.",
			.cost = "Untracked traffic cannot be translated.",
			.remedies = ZH_LIST("conntrack-notrack-lo"),
			.needs = ZH_LIST("conntrack.stat.*"),
		},
	.run = run,
};
