/* SPDX-License-Identifier: BSD-2-Clause */
/* Neighbours and addresses. */
#include "base/util.h"
#include "knobs/knob.h"

static const struct zh_knob knobs[] = {
	{.id = "neigh-gc-thresh",
		.summary = "neighbours that the machine keeps at most",
		.why = "neighbour table overflow in the kernel log",
		.cost = "memory",
		.verify = "table_fulls in /proc/net/stat/arp_cache stands still",
		.target = ZH_KNOB_HOST,
		.type = ZH_KNOB_NUMBER,
		.min = 1,
		.max = 2147483647,
		.unit = "neighbours",
		.persist = ZH_KNOB_BY_SYSCTL,
		.ops = &zh_knob_file,
		.arg = "/proc/sys/net/ipv4/neigh/default/gc_thresh3"},
	{.id = "rp-filter",
		.summary = "packets whose way back is another one are dropped: 1 strict, 2 loose",
		.why = "0 or 2 where ways there and back differ by design",
		.cost = "forged sources pass",
		.verify = "IPReversePathFilter in /proc/net/netstat stands still",
		.target = ZH_KNOB_DEVICE,
		.type = ZH_KNOB_NUMBER,
		.max = 2,
		.persist = ZH_KNOB_BY_SYSCTL,
		.ops = &zh_knob_file,
		.arg = "/proc/sys/net/ipv4/conf/{dev}/rp_filter"},
	{.id = "accept-dad",
		.summary = "a new IPv6 address waits a second for whether somebody has it",
		.why = "0 on the veth of a container, which nobody else is on",
		.cost = "two may have one address",
		.verify = "zerohop path shows no tentative address",
		.target = ZH_KNOB_DEVICE,
		.type = ZH_KNOB_NUMBER,
		.max = 2,
		.persist = ZH_KNOB_BY_SYSCTL,
		.ops = &zh_knob_file,
		.arg = "/proc/sys/net/ipv6/conf/{dev}/accept_dad"},
};

const struct zh_knob_family zh_knob_family_neigh = {knobs, ZH_ARRAY_SIZE(knobs)};
