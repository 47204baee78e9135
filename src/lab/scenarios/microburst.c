/* SPDX-License-Identifier: BSD-2-Clause */
#include "lab/scenario.h"

static const struct zh_step steps[] = {
	{"before", "netdev_max_backlog 1000", .steer = ZH_STEER_ONE, .backlog = 1000},
	{"backlog", "netdev_max_backlog 10000", .steer = ZH_STEER_ONE, .backlog = 10000,
		.caveat = "A longer queue holds a burst; under lasting overload it only adds "
			  "waiting."},
	{0},
};

/* On average the CPU could do eight times as much. */
const struct zh_scenario zh_scenario_microburst = {
	.id = "microburst",
	.summary = "bursts of 8192 frames at a low mean rate overflow the backlog of a CPU that is "
		   "mostly idle; then a longer backlog",
	.topology = &zh_topology_routed,
	.engine = ZH_LOAD_XDP,
	.rate = 150000,
	.burst = 8192,
	.flows = 64,
	.steps = steps,
};
