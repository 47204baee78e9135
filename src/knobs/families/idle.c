/* SPDX-License-Identifier: BSD-2-Clause */
/* Idle states: how long a CPU takes to wake up. */
#include <string.h>

#include "base/util.h"
#include "knobs/knob.h"
#include "sys/root.h"

static const char *no_idle_driver(const struct zh_knob_place *place, const char *canonical)
{
	char driver[64];

	(void)place;
	(void)canonical;
	if (zh_sys_read(driver, sizeof(driver), "/sys/devices/system/cpu/cpuidle/current_driver") >
			0 &&
		strcmp(driver, "none"))
		return NULL;
	return "this kernel has no cpuidle driver: idle CPUs halt, and the value is not looked at";
}

static const struct zh_knob knobs[] = {
	{.id = "cpu-dma-latency",
		.summary = "longest wake-up time that CPUs may choose when they go idle",
		.why = "deep idle states take 50 to 600 us to leave, and the first packet waits",
		.cost = "power and turbo headroom; 0 makes idle CPUs poll at full power: prefer "
			"the exit latency of C1",
		.verify = "cpuidle/state*/usage of the deeper states stands still",
		.target = ZH_KNOB_HOST,
		.type = ZH_KNOB_NUMBER,
		.max = 2000000000,
		.unit = "us",
		.persist = ZH_KNOB_BY_SERVICE,
		.ops = &zh_knob_dma_latency,
		.placebo = no_idle_driver},
};

const struct zh_knob_family zh_knob_family_idle = {knobs, ZH_ARRAY_SIZE(knobs)};
