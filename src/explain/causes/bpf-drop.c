/* SPDX-License-Identifier: BSD-2-Clause */
#include "explain/loss.h"

static void run(const struct zh_cause *cause, struct zh_explain *ex)
{
	zh_loss_report(ex, cause);
}

const struct zh_cause zh_cause_bpf_drop = {
	.rule =
		{
			.id = "bpf-drop",
			.code = "D4b",
			.title = "BPF program drop",
			.summary = "A BPF program (tc, XDP, cgroup, socket filter) dropped the "
				   "probe's packet.",
			.why = "Drops in clsact do not show in the device's counters: on lo "
			       "nothing moves but the filter's own statistics.",
			.evidence =
				"Drop reason TC_INGRESS, TC_EGRESS, XDP, BPF_CGROUP_EGRESS "
				"or SOCKET_FILTER of our own packet, or a clsact or filter drop "
				"counter that moved.",
			.verify = "The counters named stop moving.",
			.cure = "Detach the program, or correct its verdict.",
			.cost = "What it filtered passes.",
			.needs = (const char *const[]){"trace.packets", "filter.*.*.drops_pkts",
				NULL},
		},
	.run = run,
};
