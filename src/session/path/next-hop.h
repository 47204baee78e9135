/* SPDX-License-Identifier: BSD-2-Clause */
/* Why a packet that routing sent on never reached a device: its neighbour does not answer. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "session/path/internal.h"

/* Whether the next hop of the way's request (or answer) in that place was asked for its hardware
 * address in vain; then what to say about it is in buf. The thread may be in another place behind
 * it. */
bool path_neighbour_is_missing(
	struct path *p, size_t way, size_t place, bool is_reply, char *buf, size_t size);
