/* SPDX-License-Identifier: BSD-2-Clause */
/* Who has a socket that takes a flow's packets, in the namespace that the thread is in. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "facts/way.h"

struct path_listener {
	uint32_t inode, uid;
	uint32_t queue, backlog; /* TCP: connections that wait, and how many may */
	long pid;                /* 0: not known */
	char process[32];
};

/* 0 with the best match (most specific address), 1: nobody, or negative: could not be asked. A
 * device that a socket is bound to must be `ifindex`. */
int path_listener_find(struct path_listener *ret, const struct zh_flow *flow, unsigned int ifindex,
	struct zh_err *err);

/* Which process holds a socket: looks through the descriptors of all processes. 0 when none that
 * can be seen does. */
long path_socket_holder(uint32_t inode, char *process, size_t size);
