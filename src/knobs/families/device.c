/* SPDX-License-Identifier: BSD-2-Clause */
/* Settings of a network device. */
#include <string.h>

#include "base/util.h"
#include "knobs/knob.h"

static const struct zh_knob knobs[] = {
	{.id = "link-mtu",
		.alias = "mtu",
		.summary = "largest packet that the device takes",
		.why = "large packets cost less each; both ends must agree",
		.cost = "a size that the other end does not take is lost without a word",
		.verify = "zerohop path --size shows what passes",
		.target = ZH_KNOB_DEVICE,
		.type = ZH_KNOB_NUMBER,
		.min = 68,
		.max = 100000,
		.unit = "bytes",
		.persist = ZH_KNOB_BY_UDEV,
		.ops = &zh_knob_file,
		.arg = "/sys/class/net/{dev}/mtu"},
	{.id = "gro",
		.summary = "received segments are joined before the stack sees them",
		.why = "fewer, larger packets; on veth it also gives the device a NAPI of its own",
		.cost = "the NAPI of a veth has a ring of 256 packets that drops when it is full",
		.verify = "ethtool -k; on veth packets leave the CPU's backlog",
		.target = ZH_KNOB_DEVICE,
		.type = ZH_KNOB_BOOL,
		.persist = ZH_KNOB_BY_UDEV,
		.ops = &zh_knob_feature,
		.rank = 1, /* threaded NAPI needs it on a veth */
		.arg = "rx-gro"},
};

const struct zh_knob_family zh_knob_family_device = {knobs, ZH_ARRAY_SIZE(knobs)};
