/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What address translation makes of a flow, as connection tracking says it: whatever rules, sets or
 * programs decided it, its table holds the outcome. It knows a flow only once a packet of it has
 * passed, so one is sent ahead where packets may be sent at all.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "facts/way.h"

struct path_translation {
	bool is_target, is_source; /* changed */
	struct in6_addr to, from;
	uint16_t to_port, from_port; /* 0: as it was */
};

/*
 * Looks the flow, as it arrives at a hook, up in the table of the thread's namespace. `id`: its
 * source port, or that of an echo; 0: of any connection to there, the one tracked longest from now.
 * `is_source`: as postrouting and input see it, behind the change of its target. 0 with *ret; 1: it
 * is not tracked; negative with err: the table cannot be read.
 */
int path_nat_find(const struct zh_flow *flow, uint16_t id, bool is_source,
	struct path_translation *ret, struct zh_err *err);
