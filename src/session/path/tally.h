/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the trails of a proof's packets say: how many were seen on each device, at each hook and at
 * each hop of the way, which devices are not on the way, and where the lost ones were seen last.
 * Pure: from steps to facts.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "session/path/internal.h"
#include "session/path/send.h"
#include "trace/trail.h"

struct path_tally;

/* NULL only when out of memory. */
struct path_tally *path_tally_new(struct path *p, size_t way, uint64_t sent, uint64_t answered);
/* One packet: its steps in time order, and how it ended. `trail` names drops (may be NULL). */
void path_tally_add(struct path_tally *tally, const struct zh_trail_step *steps, size_t n,
	const struct path_sent *sent, struct zh_trail *trail);
/* Writes path.way.W.proof.* and frees. */
void path_tally_finish(struct path_tally *tally);
