/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * ICMP echo, IPv4 and IPv6: opening a socket that sees only its own replies, and taking messages
 * apart. Families are AF_INET and AF_INET6; identifiers are in network order.
 *
 * With CAP_NET_RAW a raw socket, otherwise the unprivileged datagram socket that
 * net.ipv4.ping_group_range allows (for IPv6 too), to which the kernel gives its identifier.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

#define ZH_ICMP_HEADER 8 /* type, code, checksum, identifier, sequence: the same in both versions  \
			  */

/* An fd (close-on-exec, blocking) or a negative errno: -EPERM when neither kind is allowed. */
int zh_icmp_open(int family, bool *ret_raw, struct zh_err *err);

/*
 * For raw sockets, which see the ICMP traffic of everybody in the namespace, over loopback even
 * their own requests: keeps away all but echo replies to `id`, before they are queued or wake
 * anybody. 0 or a negative errno. Where only the filter by identifier cannot be attached it is
 * still 0: zh_icmp_reply() checks again.
 */
int zh_icmp_filter(int fd, int family, uint16_t id, struct zh_err *err);

/* Type, identifier, and zero for the rest of a request's header. */
void zh_icmp_request(uint8_t *message, int family, uint16_t id);

/* Ones' complement sum of bytes that begin at an even offset of the message; `sum` is what came
 * before. Not folded: good for up to 128 KiB. */
uint32_t zh_icmp_sum(const void *bytes, size_t len, uint32_t sum);
/* The checksum to put into a message (IPv4; for IPv6 the kernel computes it). */
uint16_t zh_icmp_fold(uint32_t sum);

/* The payload of an echo reply as received, or NULL when it is another message, or (raw) one for
 * somebody else. `message` begins with the IP header where the socket gives it. */
const uint8_t *zh_icmp_reply(
	const uint8_t *message, size_t len, int family, bool is_raw, uint16_t id, size_t *ret_len);
