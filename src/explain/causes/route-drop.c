/* SPDX-License-Identifier: BSD-2-Clause */
#include "explain/loss.h"

static void run(const struct zh_cause *cause, struct zh_explain *ex)
{
	zh_loss_report(ex, cause);
}

const struct zh_cause zh_cause_route_drop = {
	.rule =
		{
			.id = "route-drop",
			.code = "D7",
			.title = "Routing drop",
			.summary = "Routing, reverse-path filter, neighbour or MTU stopped the "
				   "probe.",
			.why = "A rule ahead of the local table, a blackhole, a strict "
			       "reverse-path filter, an unresolved neighbour or a device that "
			       "is down: the packet has no way, and send fails or it vanishes "
			       "on the receive side.",
			.evidence = "Errors of send (network unreachable, invalid argument), "
				    "drop reasons IP_*, NEIGH_*, PKT_TOO_BIG, IPReversePathFilter "
				    "that moved, or a look-up that does not end in lo.",
			.verify = "A look-up with the probe's own protocol ends in type local "
				  "on lo.",
			.cure = "Move or narrow the rule; bring the device up; loosen rp_filter "
				"there.",
			.cost = "None known.",
			.needs = (const char *const[]){"trace.packets", "fib.*.*.type",
				"netstat.TcpExt.IPReversePathFilter", NULL},
		},
	.run = run,
};
