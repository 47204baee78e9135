/* SPDX-License-Identifier: BSD-2-Clause */
/* Frequency and idle states of CPUs. */
#include <string.h>

#include "base/util.h"
#include "knobs/knob.h"
#include "sys/root.h"

static bool has_idle_driver(char *driver, size_t size)
{
	return zh_sys_read(driver, size, "/sys/devices/system/cpu/cpuidle/current_driver") > 0 &&
	       strcmp(driver, "none") != 0;
}

static const char *no_idle_driver(const struct zh_knob_place *place, const char *canonical)
{
	char driver[64];

	(void)place;
	(void)canonical;
	return has_idle_driver(driver, sizeof(driver))
		       ? NULL
		       : "this kernel has no cpuidle driver: idle CPUs halt, and the value is not "
			 "looked at";
}

static const char *no_haltpoll(const struct zh_knob_place *place, const char *canonical)
{
	char governor[64];

	(void)place;
	(void)canonical;
	return zh_sys_read(governor, sizeof(governor),
		       "/sys/devices/system/cpu/cpuidle/current_governor") > 0 &&
			       !strcmp(governor, "haltpoll")
		       ? NULL
		       : "the idle governor is not haltpoll, which alone looks at it";
}

static const struct zh_knob knobs[] = {
	{.id = "cpu-governor",
		.summary = "how the CPU's frequency is chosen",
		.why = "frequencies rise only after work came",
		.cost = "power",
		.verify = "scaling_cur_freq stays high",
		.target = ZH_KNOB_CPU,
		.type = ZH_KNOB_TEXT,
		.persist = ZH_KNOB_BY_TMPFILES,
		.ops = &zh_knob_file,
		.arg = "/sys/devices/system/cpu/cpu{cpu}/cpufreq/scaling_governor"},
	{.id = "cpu-resume-latency",
		.summary = "longest wake-up time of one CPU: 0 any, n/a no idle state at all",
		.why = "the CPU that receives must not sleep deep",
		.cost = "power of that CPU",
		.verify = "usage of its deeper states stands still",
		.target = ZH_KNOB_CPU,
		.type = ZH_KNOB_TEXT,
		.persist = ZH_KNOB_BY_TMPFILES,
		.ops = &zh_knob_file,
		.placebo = no_idle_driver,
		.arg = "/sys/devices/system/cpu/cpu{cpu}/power/pm_qos_resume_latency_us"},
	{.id = "haltpoll",
		.summary = "time that an idle CPU of a guest looks for work before it halts",
		.why = "halting costs an exit to the hypervisor at each wake-up",
		.cost = "CPU time of the host",
		.verify = "zerohop trial: short gaps get faster",
		.target = ZH_KNOB_HOST,
		.type = ZH_KNOB_NUMBER,
		.max = 1000000000,
		.unit = "ns",
		.persist = ZH_KNOB_BY_TMPFILES,
		.ops = &zh_knob_file,
		.placebo = no_haltpoll,
		.arg = "/sys/module/haltpoll/parameters/guest_halt_poll_ns"},
};

const struct zh_knob_family zh_knob_family_cpu = {knobs, ZH_ARRAY_SIZE(knobs)};
