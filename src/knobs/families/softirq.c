/* SPDX-License-Identifier: BSD-2-Clause */
/* Receive work: how much in one run, and who looks for packets himself. */
#include <string.h>

#include "base/util.h"
#include "knobs/knob.h"
#include "sys/root.h"

static int is_hardware(void *arg, const char *name)
{
	(void)arg;
	return zh_sys_exists("/sys/class/net/%s/device", name);
}

/* Packets have a NAPI id only when a driver's poll received them: never on lo; elsewhere where
 * there is a driver. */
static const char *only_napi(const struct zh_knob_place *place, const char *canonical)
{
	if (!strcmp(canonical, "0"))
		return NULL;
	if (!strcmp(place->device, "lo"))
		return "busy polling needs a NAPI id, and packets over loopback or to own addresses "
		       "have none";
	return zh_sys_list(is_hardware, NULL, "/sys/class/net") == 1
		       ? NULL
		       : "busy polling needs a NAPI id, and no device here has a driver that gives "
			 "one";
}

static const struct zh_knob knobs[] = {
	{.id = "netdev-budget",
		.summary = "packets that one run of receive work takes before it lets others run",
		.why = "runs end with work left while the CPU has nothing better to do",
		.cost = "what runs on the CPU waits longer for a run to end",
		.verify =
			"the third column of /proc/net/softnet_stat (time_squeeze) stands still under load",
		.target = ZH_KNOB_HOST,
		.type = ZH_KNOB_NUMBER,
		.min = 1,
		.max = 2147483647,
		.unit = "packets",
		.persist = ZH_KNOB_BY_SYSCTL,
		.ops = &zh_knob_file,
		.arg = "/proc/sys/net/core/netdev_budget"},
	{.id = "netdev-budget-usecs",
		.summary = "time after which a run of receive work ends",
		.why = "runs end with work left while the CPU has nothing better to do",
		.cost = "what runs on the CPU waits longer for a run to end",
		.verify =
			"the third column of /proc/net/softnet_stat (time_squeeze) stands still under load",
		.target = ZH_KNOB_HOST,
		.type = ZH_KNOB_NUMBER,
		.min = 1,
		.max = 2147483647,
		.unit = "us",
		.persist = ZH_KNOB_BY_SYSCTL,
		.ops = &zh_knob_file,
		.arg = "/proc/sys/net/core/netdev_budget_usecs"},
	{.id = "dev-weight",
		.summary = "packets of one device, or of the backlog, in one turn",
		.why = "many packets from one source, few others",
		.cost = "others of the same run wait longer",
		.verify = "zerohop lab load shows more packets a second",
		.target = ZH_KNOB_HOST,
		.type = ZH_KNOB_NUMBER,
		.min = 1,
		.max = 2147483647,
		.unit = "packets",
		.persist = ZH_KNOB_BY_SYSCTL,
		.ops = &zh_knob_file,
		.arg = "/proc/sys/net/core/dev_weight"},
	{.id = "flow-limit-table-len",
		.summary = "size of the table by which a backlog tells large flows from small ones",
		.why = "small flows should get through when a large one fills the backlog",
		.cost = "memory; only CPUs whose limit is switched on later have it",
		.verify = "the eleventh column of /proc/net/softnet_stat counts what was cut",
		.target = ZH_KNOB_HOST,
		.type = ZH_KNOB_NUMBER,
		.min = 1,
		.max = 65536,
		.unit = "entries",
		.persist = ZH_KNOB_BY_SYSCTL,
		.ops = &zh_knob_file,
		.expect = zh_knob_expect_power_of_two,
		.arg = "/proc/sys/net/core/flow_limit_table_len"},
	{.id = "flow-limit-cpus",
		.summary = "CPUs whose backlog limits large flows when it is half full",
		.why = "small flows should get through when a large one fills the backlog",
		.cost = "the large flow loses more",
		.verify = "the eleventh column of /proc/net/softnet_stat counts what was cut",
		.target = ZH_KNOB_HOST,
		.type = ZH_KNOB_CPU_MASK,
		.persist = ZH_KNOB_BY_SYSCTL,
		.ops = &zh_knob_file,
		.arg = "/proc/sys/net/core/flow_limit_cpu_bitmap"},
	{.id = "busy-poll",
		.summary = "time that poll and select look for packets themselves",
		.why = "readers that wait on a NIC's queue",
		.cost = "a spinning CPU; sockets made earlier do not have it",
		.verify = "BusyPollRxPackets in /proc/net/netstat grows",
		.target = ZH_KNOB_HOST,
		.type = ZH_KNOB_NUMBER,
		.max = 2147483647,
		.unit = "us",
		.persist = ZH_KNOB_BY_SYSCTL,
		.ops = &zh_knob_file,
		.placebo = only_napi,
		.arg = "/proc/sys/net/core/busy_poll"},
	{.id = "busy-read",
		.summary = "time that a blocking read looks for packets itself",
		.why = "readers that wait on a NIC's queue",
		.cost = "a spinning CPU; sockets made earlier do not have it",
		.verify = "BusyPollRxPackets in /proc/net/netstat grows",
		.target = ZH_KNOB_HOST,
		.type = ZH_KNOB_NUMBER,
		.max = 2147483647,
		.unit = "us",
		.persist = ZH_KNOB_BY_SYSCTL,
		.ops = &zh_knob_file,
		.placebo = only_napi,
		.arg = "/proc/sys/net/core/busy_read"},
};

const struct zh_knob_family zh_knob_family_softirq = {knobs, ZH_ARRAY_SIZE(knobs)};
