/* SPDX-License-Identifier: BSD-2-Clause */
/* Settings of one thread. */
#include "base/util.h"
#include "knobs/knob.h"

static const struct zh_knob knobs[] = {
	{.id = "task-affinity",
		.summary = "CPUs that a thread may run on",
		.why = "both ends of a local path on one CPU, or in one cache, wake each other "
		       "several times faster",
		.cost = "it waits when these CPUs are busy, though others are free",
		.verify = "zerohop ping --cpu and --peer-cpu show what the placement is worth",
		.target = ZH_KNOB_TASK,
		.type = ZH_KNOB_CPU_LIST,
		.ops = &zh_knob_affinity},
};

const struct zh_knob_family zh_knob_family_task = {knobs, ZH_ARRAY_SIZE(knobs)};
