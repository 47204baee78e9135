/* SPDX-License-Identifier: BSD-2-Clause */
/* TCP listeners on their way from the kernel's list into facts. */
#pragma once

#include <netinet/in.h>
#include <stddef.h>
#include <stdint.h>

#define ZH_LISTENERS_MAX 1024

struct zh_listener {
	char ip[INET6_ADDRSTRLEN];
	int family; /* 4 or 6 */
	uint16_t port;
	uint32_t queue, backlog, uid, inode;
};

/* What zh_facts_listener_reply() fills, as the walk's `more`. */
struct zh_listeners {
	struct zh_listener list[ZH_LISTENERS_MAX];
	size_t n;
	uint64_t full; /* listeners that take no further connection */
};
