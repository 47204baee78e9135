/* SPDX-License-Identifier: BSD-2-Clause */
#include "lab/topologies/build.h"

/* The parent stands for a network card: a veth end whose other end is up and silent. */
static const struct lab_device devices[] = {
	{LAB_VETH, LAB_HOST, "zh-parent", .peer = "zh-cable", .peer_side = LAB_HOST},
	{LAB_END, LAB_HOST, "zh-cable"},
	{LAB_MACVLAN, LAB_NEAR, "eth0", .parent = "zh-parent", .v4 = "10.77.4.1/24",
		.v6 = "fd00:77:4::1/64"},
	{LAB_MACVLAN, LAB_FAR, "eth0", .parent = "zh-parent", .v4 = "10.77.4.2/24",
		.v6 = "fd00:77:4::2/64"},
	{0},
};

static const struct lab_plan plan = {.has_far = true, .has_host = true, .devices = devices};

static int up(struct zh_lab_ns *ret, struct zh_err *err)
{
	return lab_build(&plan, NULL, ret, err);
}

const struct zh_topology zh_topology_macvlan = {
	.id = "macvlan",
	.summary = "two namespaces with a macvlan child each of one parent: 10.77.4.1 and "
		   "10.77.4.2",
	.address = "10.77.4.2",
	.plan = &plan,
	.up = up,
	.down = lab_unbuild,
};
