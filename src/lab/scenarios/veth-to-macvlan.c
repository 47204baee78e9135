/* SPDX-License-Identifier: BSD-2-Clause */
#include "lab/scenario.h"

static const struct zh_step steps[] = {
	{"before", "veth, routing and 1000 firewall rules", .steer = ZH_STEER_ONE},
	{"macvlan", "macvlan, on the same CPU, at the same rate", .topology = &zh_topology_macvlan,
		.steer = ZH_STEER_ONE,
		.caveat = "Past the host's routing and firewall: what they did for the pod is "
			  "gone as well, and the host does not reach the pod."},
	{0},
};

const struct zh_scenario zh_scenario_veth_to_macvlan = {
	.id = "veth-to-macvlan",
	.summary =
		"1.5 times what one CPU can route and filter; then the same by macvlan, past both",
	.topology = &zh_topology_routed,
	.rules = 1000,
	.engine = ZH_LOAD_SOCKET,
	.saturation = 1.5,
	.flows = 64,
	.steps = steps,
};
