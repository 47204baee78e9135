/* SPDX-License-Identifier: BSD-2-Clause */
/* Bridges and their ports. */
#include "base/util.h"
#include "knobs/knob.h"

static const struct zh_knob knobs[] = {
	{.id = "bridge-stp",
		.summary = "the bridge finds loops by the spanning tree protocol",
		.why = "0 on a bridge whose ports are veths: nothing can make a loop",
		.cost = "0 with two uplinks: frames go round for ever",
		.verify = "ports forward at once: bridge link show",
		.target = ZH_KNOB_DEVICE,
		.type = ZH_KNOB_NUMBER,
		.max = 2,
		.persist = ZH_KNOB_NOT_KEPT,
		.ops = &zh_knob_file,
		.arg = "/sys/class/net/{dev}/bridge/stp_state"},
	{.id = "bridge-forward-delay",
		.summary = "time that a new port listens, and again learns, before it forwards",
		.why = "containers whose first 30 seconds have no network",
		.cost = "too short for large networks: loops for a moment",
		.verify = "bridge link show: forwarding at once",
		.target = ZH_KNOB_DEVICE,
		.type = ZH_KNOB_NUMBER,
		.max = 3000,
		.unit = "1/100 s",
		.persist = ZH_KNOB_NOT_KEPT,
		.ops = &zh_knob_file,
		.arg = "/sys/class/net/{dev}/bridge/forward_delay"},
	{.id = "bridge-multicast-snooping",
		.summary = "multicast goes only to ports that asked for it",
		.why = "0 where nobody asks regularly: neighbour discovery and VRRP vanish",
		.cost = "multicast goes to all ports",
		.verify = "zerohop path shows the packets arrive",
		.target = ZH_KNOB_DEVICE,
		.type = ZH_KNOB_BOOL,

		.persist = ZH_KNOB_NOT_KEPT,
		.ops = &zh_knob_file,
		.arg = "/sys/class/net/{dev}/bridge/multicast_snooping"},
	{.id = "bridge-hairpin",
		.summary = "a port may send back what it received",
		.why = "1 for a container that reaches itself by its published address",
		.cost = "broadcasts come back to who sent them",
		.verify = "the container's connection to itself works",
		.target = ZH_KNOB_DEVICE,
		.type = ZH_KNOB_BOOL,

		.persist = ZH_KNOB_NOT_KEPT,
		.ops = &zh_knob_file,
		.arg = "/sys/class/net/{dev}/brport/hairpin_mode"},
};

const struct zh_knob_family zh_knob_family_bridge = {knobs, ZH_ARRAY_SIZE(knobs)};
