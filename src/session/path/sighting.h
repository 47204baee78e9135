/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A sighting of a packet, in the terms of the path: which place, device and hop it was at.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "session/path/internal.h"
#include "trace/trail.h"

#define SIGHTING_NO_PLACE SIZE_MAX

/* The place of a namespace (its inode number); SIGHTING_NO_PLACE: not one of the way's. */
size_t sighting_place(const struct path *p, uint32_t netns);
/* A device's name as a key part ('.' is '/'), of any namespace of the machine; "if7" when it cannot
 * be found out. Returns buf. */
char *sighting_device(struct path *p, uint32_t netns, uint32_t ifindex, char *buf, size_t size);
/* "netns blue", "pid 7 (redis)"; "namespace 4026531840" when nobody has a name for it. */
char *sighting_netns(struct path *p, uint32_t netns, char *buf, size_t size);

/* Netfilter hooks: "output"; and the one that an answer passes where its request passed `hook`. */
const char *sighting_hook_name(uint32_t hook);
int sighting_mirrored_hook(int hook);

/* The way's hop that a sighting belongs to; way->n_hops when there is none. */
size_t sighting_hop(
	const struct path *p, const struct path_way *way, const struct zh_trail_step *step);
