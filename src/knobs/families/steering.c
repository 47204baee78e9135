/* SPDX-License-Identifier: BSD-2-Clause */
/* Which CPUs do the receive work of a queue. */
#include <string.h>

#include "base/util.h"
#include "knobs/knob.h"

static const char *refuse_rps(const struct zh_knob_place *place, const char *canonical)
{
	if (*canonical && !strcmp(place->device, "lo"))
		return "packets over lo are received by the CPU that sends them, which is the "
		       "fastest way there is; steering adds a wake-up of another CPU to each "
		       "packet";
	return NULL;
}

static const struct zh_knob knobs[] = {
	{.id = "rps-cpus",
		.alias = "rps",
		.summary = "CPUs that share the receive work of a queue (RPS)",
		.why = "one CPU cannot keep up with what a single queue receives",
		.cost = "each packet may wake another CPU: latency where there was no overload",
		.verify = "the tenth column of /proc/net/softnet_stat (received_rps) moves on "
			  "these CPUs",
		.target = ZH_KNOB_QUEUE,
		.type = ZH_KNOB_CPU_MASK,
		.persist = ZH_KNOB_BY_UDEV,
		.ops = &zh_knob_file,
		.refuse = refuse_rps,
		.rank = 3, /* after what makes queues anew */
		.arg = "/sys/class/net/{dev}/queues/rx-{queue}/rps_cpus"},
};

const struct zh_knob_family zh_knob_family_steering = {knobs, ZH_ARRAY_SIZE(knobs)};
