/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Packets of a proof that got no answer, or a refusal that did not come from where they were going:
 * where they were seen last and why they ended there, in groups of those that ended alike.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "session/path/internal.h"
#include "session/path/send.h"
#include "trace/trail.h"

#define PATH_LOST_GROUPS 16

struct path_lost_group {
	struct zh_trail_step last; /* point 0: never seen */
	char reason[64], function[64];
	uint16_t icmp; /* an ICMP error told the sender, or 0: as in struct zh_trail_step */
	int error;     /* errno of the sender's call, or 0 */
	uint32_t drop_netns,
		drop_ifindex; /* the device that the packet was at when dropped; 0: none */
	uint64_t packets;
	uint64_t rejected; /* of them: the sender was told by an RST or an ICMP error */
};

/* Zeroed but for p and way. */
struct path_lost {
	struct path *p;
	size_t way;
	struct path_lost_group groups[PATH_LOST_GROUPS];
	size_t n;
	uint64_t cut; /* packets whose group did not fit */
	uint64_t rejected;
	/* Handed on to whoever they were for, and not answered; only `last` and `packets` count. */
	struct path_lost_group unheard;
};

/* One packet: its steps in time order, and how it ended. `trail` names drops (may be NULL). */
void path_lost_add(struct path_lost *lost, const struct zh_trail_step *steps, size_t n,
	const struct path_sent *sent, struct zh_trail *trail);
/* Writes path.way.W.proof.lost.*. The thread may be in another place behind it. */
void path_lost_finish(struct path_lost *lost);
