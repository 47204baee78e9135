/* SPDX-License-Identifier: BSD-2-Clause */
#include "lab/topologies/build.h"

static const struct lab_device devices[] = {
	{LAB_BRIDGE, LAB_HOST, "zhbr", .v4 = "10.77.3.254/24", .v6 = "fd00:77:3::fe/64"},
	{LAB_VETH, LAB_HOST, "zh-client", .named = "client-host", .peer = "eth0",
		.peer_side = LAB_NEAR, .master = "zhbr"},
	{LAB_END, LAB_NEAR, "eth0", .v4 = "10.77.3.1/24", .v6 = "fd00:77:3::1/64"},
	{LAB_VETH, LAB_HOST, "zh-server", .named = "server-host", .peer = "eth0",
		.peer_side = LAB_FAR, .master = "zhbr"},
	{LAB_END, LAB_FAR, "eth0", .v4 = "10.77.3.2/24", .v6 = "fd00:77:3::2/64"},
	{0},
};

static const struct lab_plan plan = {.has_far = true, .has_host = true, .devices = devices};

static int up(struct zh_lab_ns *ret, struct zh_err *err)
{
	return lab_build(&plan, NULL, ret, err);
}

const struct zh_topology zh_topology_bridge = {
	.id = "bridge",
	.summary = "two namespaces with a veth each on one bridge: 10.77.3.1 and 10.77.3.2",
	.address = "10.77.3.2",
	.plan = &plan,
	.up = up,
	.down = lab_unbuild,
};
