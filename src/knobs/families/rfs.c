/* SPDX-License-Identifier: BSD-2-Clause */
/* Steering by reader, and by sender. */
#include "base/util.h"
#include "knobs/knob.h"

static const struct zh_knob knobs[] = {
	{.id = "rps-flow-cnt",
		.summary = "flows of the queue that follow their reader's CPU (RFS)",
		.why = "readers that are pinned or stay long on a CPU",
		.cost = "memory; nothing without rps-sock-flow-entries",
		.verify = "the tenth column of /proc/net/softnet_stat moves on the readers' CPUs",
		.target = ZH_KNOB_QUEUE,
		.type = ZH_KNOB_NUMBER,
		.max = 536870912,
		.unit = "flows",
		.persist = ZH_KNOB_BY_UDEV,
		.ops = &zh_knob_file,
		.expect = zh_knob_expect_power_of_two,
		.rank = 3,
		.arg = "/sys/class/net/{dev}/queues/rx-{queue}/rps_flow_cnt"},
	{.id = "xps-cpus",
		.summary = "CPUs that send through the queue (XPS)",
		.why = "each CPU with a send queue of its own takes no lock of others",
		.cost = "nothing where there is one queue",
		.verify = "tc -s qdisc show and ethtool -S show which queues send",
		.target = ZH_KNOB_QUEUE,
		.type = ZH_KNOB_CPU_MASK,
		.persist = ZH_KNOB_BY_UDEV,
		.ops = &zh_knob_file,
		.rank = 3,
		.arg = "/sys/class/net/{dev}/queues/tx-{queue}/xps_cpus"},
	{.id = "rps-default-mask",
		.summary = "CPUs that share the receive work of devices made from now on",
		.why = "veths of pods that come and go",
		.cost = "as rps-cpus; devices that exist keep their mask",
		.verify = "rps_cpus of a new veth shows it",
		.target = ZH_KNOB_NETNS,
		.type = ZH_KNOB_CPU_MASK,
		.persist = ZH_KNOB_BY_SYSCTL,
		.ops = &zh_knob_file,
		.arg = "/proc/sys/net/core/rps_default_mask"},
};

const struct zh_knob_family zh_knob_family_rfs = {knobs, ZH_ARRAY_SIZE(knobs)};
