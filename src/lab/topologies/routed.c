/* SPDX-License-Identifier: BSD-2-Clause */
#include "lab/topologies/build.h"

/* As Calico does it: each pod is alone with its veth, and the host routes. */
static const struct lab_device devices[] = {
	{LAB_VETH, LAB_HOST, "zh-client", .named = "client-host", .peer = "eth0",
		.peer_side = LAB_NEAR, .v4 = "10.77.1.1/24", .v6 = "fd00:77:1::1/64"},
	{LAB_END, LAB_NEAR, "eth0", .v4 = "10.77.1.2/24", .v6 = "fd00:77:1::2/64"},
	{LAB_VETH, LAB_HOST, "zh-server", .named = "server-host", .peer = "eth0",
		.peer_side = LAB_FAR, .v4 = "10.77.2.1/24", .v6 = "fd00:77:2::1/64"},
	{LAB_END, LAB_FAR, "eth0", .v4 = "10.77.2.2/24", .v6 = "fd00:77:2::2/64"},
	{0},
};

static const struct lab_route routes[] = {
	{LAB_NEAR, "10.77.0.0/16", "10.77.1.1", "eth0"},
	{LAB_FAR, "10.77.0.0/16", "10.77.2.1", "eth0"},
	{LAB_NEAR, "fd00:77::/32", "fd00:77:1::1", "eth0"},
	{LAB_FAR, "fd00:77::/32", "fd00:77:2::1", "eth0"},
	{0},
};

static const struct lab_plan plan = {.has_far = true,
	.has_host = true,
	.forwarding = true,
	.devices = devices,
	.routes = routes};

static int up(struct zh_lab_ns *ret, struct zh_err *err)
{
	return lab_build(&plan, NULL, ret, err);
}

const struct zh_topology zh_topology_routed = {
	.id = "routed",
	.summary = "client and server behind a veth each, and a host that routes between them: "
		   "10.77.1.2 and 10.77.2.2",
	.address = "10.77.2.2",
	.plan = &plan,
	.up = up,
	.down = lab_unbuild,
};
