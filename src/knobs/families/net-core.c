/* SPDX-License-Identifier: BSD-2-Clause */
/* Receive work of the machine: net.core. */
#include "base/util.h"
#include "knobs/knob.h"

static const struct zh_knob knobs[] = {
	{.id = "netdev-max-backlog",
		.summary = "packets that may wait for a CPU before more are dropped",
		.why = "bursts over lo, veth and with RPS are dropped while the CPU is busy: "
		       "softnet_stat counts them",
		.cost = "what waits longer arrives later: a full queue adds its length to the "
			"latency",
		.verify = "the second column of /proc/net/softnet_stat stands still under load",
		.target = ZH_KNOB_HOST,
		.type = ZH_KNOB_NUMBER,
		.min = 1,
		.max = 2147483647,
		.unit = "packets",
		.persist = ZH_KNOB_BY_SYSCTL,
		.ops = &zh_knob_file,
		.arg = "/proc/sys/net/core/netdev_max_backlog"},
	{.id = "rps-sock-flow-entries",
		.summary = "size of the table that sends packets to the CPU of their reader (RFS)",
		.why = "readers that are pinned or stay long on a CPU get their packets there",
		.cost = "memory; packets of a flow may overtake each other when its reader moves",
		.verify = "the tenth column of /proc/net/softnet_stat (received_rps) moves",
		.target = ZH_KNOB_HOST,
		.type = ZH_KNOB_NUMBER,
		.max = 1 << 29,
		.unit = "entries",
		.persist = ZH_KNOB_BY_SYSCTL,
		.ops = &zh_knob_file,
		.expect = zh_knob_expect_power_of_two,
		.arg = "/proc/sys/net/core/rps_sock_flow_entries"},
};

const struct zh_knob_family zh_knob_family_net_core = {knobs, ZH_ARRAY_SIZE(knobs)};
