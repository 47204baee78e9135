/* SPDX-License-Identifier: BSD-2-Clause */
#include "explain/loss.h"

static void run(const struct zh_cause *cause, struct zh_explain *ex)
{
	zh_loss_report(ex, cause);
}

const struct zh_cause zh_cause_backlog_overflow = {
	.rule =
		{
			.id = "backlog-overflow",
			.code = "D1",
			.title = "Backlog overflow",
			.summary = "A CPU's backlog queue was full and dropped the probe's "
				   "packet.",
			.why = "Packets of lo, veth and steered packets wait in one queue a "
			       "CPU, of net.core.netdev_max_backlog packets. When it is full "
			       "the packet is dropped; the device's own counters stay silent "
			       "on lo.",
			.evidence = "Drop reason CPU_BACKLOG of our own packet, or the dropped "
				    "column of softnet_stat that moved.",
			.verify = "The dropped column of softnet_stat stops moving.",
			.cure = "Spread the packets (RPS, more queues) first; a larger "
				"net.core.netdev_max_backlog only lengthens the queue.",
			.cost = "A longer queue means more delay.",
			.needs = (const char *const[]){"trace.packets",
				"softnet.cpu.*.dropped_pkts", NULL},
		},
	.run = run,
};
