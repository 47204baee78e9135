/* SPDX-License-Identifier: BSD-2-Clause */
#include "lab/scenario.h"

static const struct zh_step steps[] = {
	{"before", "all receive work on one CPU", .steer = ZH_STEER_ONE},
	{"backlog", "netdev_max_backlog 10000", .steer = ZH_STEER_ONE, .backlog = 10000,
		.caveat = "A longer queue helps bursts; under lasting overload every packet only "
			  "waits longer in it."},
	{"rps", "packet steering (RPS) to all CPUs", .steer = ZH_STEER_ALL,
		.caveat = "Steering needs CPUs with time to spare, and more than one flow."},
	{"threaded-napi", "threaded NAPI, the threads on that CPU", .steer = ZH_STEER_NONE,
		.gro = true, .threaded = true, .no_tso = true,
		.caveat = "Only with the pods' TSO off: UDP goes past NAPI otherwise. The work is "
			  "a kernel thread's system time then, not softirq time, and still one "
			  "CPU's."},
	{"gro", "receive offload (GRO) on the host's veths", .steer = ZH_STEER_ONE, .gro = true,
		.caveat = "Separate UDP datagrams are not merged unless the sender or "
			  "rx-udp-gro-forwarding allows it."},
	{"macvlan", "macvlan instead of veth and routing", .topology = &zh_topology_macvlan,
		.steer = ZH_STEER_ONE,
		.caveat = "Past the host's routing and firewall: what they did for the pod is "
			  "gone as well, and the host does not reach the pod."},
	{0},
};

const struct zh_scenario zh_scenario_veth_saturation = {
	.id = "veth-saturation",
	.summary = "a pod behind a veth and 1000 firewall rules gets twice what one CPU can "
		   "receive; then every remedy by itself",
	.topology = &zh_topology_routed,
	.rules = 1000,
	.engine = ZH_LOAD_SOCKET,
	.saturation = 2.0, /* so much that a queue of 10000 is full after half a second */
	.flows = 64,
	.steps = steps,
};
