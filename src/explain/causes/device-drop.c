/* SPDX-License-Identifier: BSD-2-Clause */
#include "explain/loss.h"

static void run(const struct zh_cause *cause, struct zh_explain *ex)
{
	zh_loss_report(ex, cause);
}

const struct zh_cause zh_cause_device_drop = {
	.rule =
		{
			.id = "device-drop",
			.code = "D6",
			.title = "Device drop",
			.summary = "The device or its peer dropped the probe's packet.",
			.why = "A veth whose peer is down, has no room in its ring, or a bridge "
			       "port that does not forward, drops.",
			.evidence = "Drop reason FULL_RING, DEV_READY or alike, or the device's "
				    "dropped counter that moved.",
			.verify = "The device's dropped counters stop.",
			.cure = "Set the peer up; more or larger queues.",
			.cost = "None known.",
			.needs = (const char *const[]){"trace.packets", "link.*.rx_dropped_pkts",
				NULL},
		},
	.run = run,
};
