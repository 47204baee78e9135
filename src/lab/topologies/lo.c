/* SPDX-License-Identifier: BSD-2-Clause */
#include "lab/topologies/build.h"

static const struct lab_device devices[] = {{0}};
static const struct lab_plan plan = {.devices = devices};

static int up(struct zh_lab_ns *ret, struct zh_err *err)
{
	return lab_build(&plan, NULL, ret, err);
}

const struct zh_topology zh_topology_lo = {
	.id = "lo",
	.summary = "a network namespace with nothing but lo",
	.address = "127.0.0.1",
	.plan = &plan,
	.up = up,
	.down = lab_unbuild,
};
