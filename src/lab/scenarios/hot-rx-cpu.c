/* SPDX-License-Identifier: BSD-2-Clause */
#include "lab/scenario.h"

static const struct zh_step steps[] = {
	{"before", "all receive work on one CPU", .steer = ZH_STEER_ONE},
	{"rps", "packet steering (RPS) to all CPUs", .steer = ZH_STEER_ALL,
		.caveat = "RPS costs an interrupt to another CPU a burst: below saturation it "
			  "lowers packets/s. It spreads flows: a single one stays on one CPU."},
	{0},
};

const struct zh_scenario zh_scenario_hot_rx_cpu = {
	.id = "hot-rx-cpu",
	.summary = "frames as fast as they can be injected, all for one CPU's receive work; then "
		   "steered to all CPUs",
	.topology = &zh_topology_routed,
	.engine = ZH_LOAD_XDP,
	.burst = 262144, /* a call costs some 20 ms beside its frames */
	.flows = 64,
	.steps = steps,
};
