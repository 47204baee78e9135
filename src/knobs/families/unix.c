/* SPDX-License-Identifier: BSD-2-Clause */
/* Unix sockets. */
#include "base/util.h"
#include "knobs/knob.h"

static const struct zh_knob knobs[] = {
	{.id = "unix-max-dgram-qlen",
		.summary = "datagrams that may wait in a unix socket before senders block",
		.why = "syslog, systemd and other unix datagram servers make their clients wait "
		       "after so few",
		.cost = "memory of the sender's budget; only sockets created later have it",
		.verify = "zerohop path unix:PATH: sends no longer fail or block",
		.target = ZH_KNOB_NETNS,
		.type = ZH_KNOB_NUMBER,
		.max = 2147483647,
		.unit = "datagrams",
		.persist = ZH_KNOB_BY_SYSCTL,
		.ops = &zh_knob_file,
		.arg = "/proc/sys/net/unix/max_dgram_qlen"},
};

const struct zh_knob_family zh_knob_family_unix = {knobs, ZH_ARRAY_SIZE(knobs)};
