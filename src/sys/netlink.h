/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Questions to the kernel over netlink: one socket a protocol, one question at a time, with the
 * kernel's own explanation of a refusal (extended ACK) in the error.
 *
 * Messages are built with libnl's core API (nlmsg_put, nla_put, ...). Replies are handed out as raw
 * messages; take them apart with the bounds-checked readers of sys/netlink-attr.h.
 */
#pragma once

#include <linux/netlink.h>
#include <stddef.h>

#include "base/err.h"

struct nl_msg;
struct zh_netlink; /* a socket in the network namespace of the thread that opened it */

/* Opens a socket of a protocol (NETLINK_ROUTE, ...). 0 or a negative errno. */
int zh_netlink_open(struct zh_netlink **ret, int protocol, struct zh_err *err);
struct zh_netlink *zh_netlink_close(struct zh_netlink *nl);
void zh_netlink_closep(struct zh_netlink **nl);
#define zh_autonetlink zh_cleanup(zh_netlink_closep) struct zh_netlink

/* A new message of `type` with `header_len` bytes of `header` as its fixed part. NULL: no memory.
 */
struct nl_msg *zh_netlink_message(int type, int flags, const void *header, size_t header_len);

/*
 * Sends `msg`, which it always frees, and calls f for each reply. Returns 0, 1 when a dump changed
 * while it was read (what was handed out may be incomplete), 2 when f returned nonzero, which ends
 * it at once: the rest is not read, and the socket is good for closing only. Or a negative errno:
 * -ETIMEDOUT after two seconds of silence.
 */
int zh_netlink_ask(struct zh_netlink *nl, struct nl_msg *msg,
	int (*f)(void *arg, const struct nlmsghdr *reply), void *arg, struct zh_err *err);

/* The same for protocols that acknowledge first and answer later (audit): ends at the first reply.
 */
int zh_netlink_ask_late(struct zh_netlink *nl, struct nl_msg *msg,
	int (*f)(void *arg, const struct nlmsghdr *reply), void *arg, struct zh_err *err);

/* A dump of `type` with a fixed header only: message and ask in one. */
int zh_netlink_dump(struct zh_netlink *nl, int type, const void *header, size_t header_len,
	int (*f)(void *arg, const struct nlmsghdr *reply), void *arg, struct zh_err *err);

/* The number of a generic netlink family ("ethtool"), or a negative errno. */
int zh_netlink_family(struct zh_netlink *nl, const char *name, struct zh_err *err);

/* The name of a network device, or "" when there is none with that number; returns buf, which holds
 * at least IF_NAMESIZE bytes. */
char *zh_netlink_ifname(char *buf, unsigned int ifindex);
