/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Targets and addresses, inside the module: from the text that the user wrote to a socket address,
 * and back.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"
#include "probe/probe.h"
#include "probe/transport.h"

/* An IPv6 address as text, with or without "%scope". `text` need not end at `len`. */
bool zh_is_ipv6_literal(const char *text, size_t len);

/*
 * The address of a target's host, port included, family as ip_version says (4, 6 or 0). An address
 * is taken as it is; a name is looked up in the calling thread's namespace. -EINVAL when it cannot
 * be resolved.
 */
int zh_resolve_host(const struct zh_target *target, uint8_t ip_version, struct zh_address *ret,
	struct zh_err *err);
/* The address of a Unix socket: a path, or a name behind '@' (abstract). */
void zh_resolve_path(const char *path, struct zh_address *ret);

/* "127.0.0.1", "udp:[::1]:53", "unix:/run/x", "unix:@00001". Returns buf. */
char *zh_target_format(char *buf, size_t size, const struct zh_transport *transport,
	const struct zh_address *address);
/* The port in host order; 0 for addresses without one. */
uint16_t zh_address_port(const struct zh_address *address);
