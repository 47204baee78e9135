/* SPDX-License-Identifier: BSD-2-Clause */
#include "explain/checks/support.h"

#include <stdio.h>

static void run(const struct zh_check *check, struct zh_explain *ex)
{
	static const char *const waiting[] = {"listening", "learning", NULL};
	const struct zh_fact_set *facts = zh_explain_facts(ex);
	const struct zh_fact *fact;
	size_t pos = 0;
	char port[64];

	while ((fact = zh_fact_next(facts, "brport.*.state", &pos))) {
		const char *bridge;
		struct zh_finding *finding;
		bool is_waiting;

		if (fact->type != ZH_FACT_STRING)
			continue;
		is_waiting = zh_check_one_of(fact->text, waiting);
		if (!is_waiting && strcmp(fact->text, "blocking") != 0)
			continue;
		snprintf(port, sizeof(port), "%.*s", (int)strcspn(fact->key + 7, "."),
			fact->key + 7);
		bridge = zh_check_text(ex, "brport.%s.bridge", port);
		finding = zh_finding_add(ex, &check->rule,
			is_waiting ? ZH_SEVERITY_WARNING : ZH_SEVERITY_LOW, ZH_CONFIDENCE_HIGH,
			"Port %s of bridge %s is %s and passes no traffic (forward delay %.0f s)",
			port, bridge, fact->text,
			(double)zh_check_number(ex, 0, "bridge.%s.forward_delay_ns", bridge) / 1e9);
		zh_finding_evidence(finding, "brport/state of %s: %s; stp_state of %s: %llu", port,
			fact->text, bridge,
			(unsigned long long)zh_check_number(ex, 0, "bridge.%s.stp_state", bridge));
		zh_check_add_loss(ex, finding);
	}
}

const struct zh_check zh_check_bridge_stp = {
	.rule =
		{
			.id = "bridge-stp",
			.code = "C25",
			.title = "A bridge port is not forwarding",
			.summary = "Spanning tree keeps a bridge port in listening, learning or "
				   "blocking.",
			.why = "With STP on, a new port listens and learns for forward_delay (15 s) "
			       "each before it forwards: a container started behind it is "
			       "unreachable for up to 30 s.",
			.evidence =
				"brport/state in sysfs. With STP off ports forward at once, "
				"whatever forward_delay says; blocking is how STP breaks a loop.",
			.verify = "The port's state is forwarding.",
			.cure = "Turn STP off on bridges that cannot form a loop, or lower "
				"forward_delay.",
			.cost = "Without STP a loop floods the bridge.",
			.remedies = ZH_LIST("bridge-stp", "bridge-forward-delay"),
			.needs = ZH_LIST("brport.*.state", "brport.*.bridge", "bridge.*.stp_state",
				"bridge.*.forward_delay_ns"),
		},
	.run = run,
};
