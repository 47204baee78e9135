/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The kernel's own answer to "which way would this flow go", asked with everything that a rule may
 * look at: addresses, protocol, ports, mark, user, and the device it came in by. `ip route get`
 * without these is blind for rules that select by them.
 */
#pragma once

#include <netinet/in.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "facts/route-reply.h"
#include "sys/netlink.h"

struct zh_flow {
	int family;               /* AF_INET or AF_INET6 */
	struct in6_addr to, from; /* the first 4 bytes for IPv4 */
	bool has_from;
	uint8_t protocol;            /* IPPROTO_ICMP, IPPROTO_ICMPV6, IPPROTO_UDP, IPPROTO_TCP */
	uint16_t from_port, to_port; /* host order; 0: not said */
	uint32_t mark;               /* 0: none */
	bool has_uid;
	uint32_t uid;
	unsigned int iif; /* 0: sent from here; else it came in by that device */
	unsigned int oif; /* 0, or the device that the socket is bound to */
};

/*
 * Asks in the namespace of `nl` (NETLINK_ROUTE). 0 and the route: type "local", "unicast",
 * "blackhole" ... A refusal is an answer, not an error: 1, with the reason that the kernel gave in
 * *ret_errno (EINVAL: blackhole, ENETUNREACH, EACCES: prohibit, EHOSTUNREACH: unreachable).
 * Negative with err: it could not be asked.
 */
int zh_way_ask(struct zh_netlink *nl, const struct zh_flow *flow, struct zh_route *ret,
	int *ret_errno, struct zh_err *err);
