/* SPDX-License-Identifier: BSD-2-Clause */
#include "lab/topologies/build.h"

static const struct lab_device devices[] = {
	{LAB_VETH, LAB_NEAR, "zh0", .peer = "zh1", .peer_side = LAB_FAR, .v4 = "10.77.0.1/24",
		.v6 = "fd00:77::1/64"},
	{LAB_END, LAB_FAR, "zh1", .v4 = "10.77.0.2/24", .v6 = "fd00:77::2/64"},
	{0},
};

static const struct lab_plan plan = {.has_far = true, .devices = devices};

static int up(struct zh_lab_ns *ret, struct zh_err *err)
{
	return lab_build(&plan, NULL, ret, err);
}

const struct zh_topology zh_topology_veth = {
	.id = "veth",
	.summary = "two network namespaces joined by a veth pair, 10.77.0.1 and 10.77.0.2",
	.address = "10.77.0.2",
	.plan = &plan,
	.up = up,
	.down = lab_unbuild,
};
