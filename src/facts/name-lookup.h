/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What getaddrinfo makes of a name, in its order, and how long it takes. Done in a child process,
 * since the library cannot be interrupted.
 */
#pragma once

#include <netinet/in.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define ZH_NAME_ADDRESSES_MAX 16

struct zh_name_lookup {
	bool is_answered; /* by the library; false: it took too long, or no child could be made */
	uint64_t took_ns;
	char error[160]; /* "" when it resolved */
	struct {
		int family;         /* AF_INET or AF_INET6 */
		struct in6_addr ip; /* the first 4 bytes for IPv4 */
		uint32_t scope;     /* device of a link-local address, 0: none said */
	} list[ZH_NAME_ADDRESSES_MAX];
	size_t n;
};

/* `ip_version` 4, 6, or 0: all. In the calling thread's network namespace. */
void zh_name_lookup(
	struct zh_name_lookup *ret, const char *name, uint8_t ip_version, uint64_t timeout_ns);
