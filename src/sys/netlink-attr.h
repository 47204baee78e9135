/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Bounds-checked reading of netlink attributes: no byte outside the message is touched, whatever
 * it holds. A missing or too short attribute yields the fallback, so readers need no error path.
 */
#pragma once

#include <linux/netlink.h>
#include <stddef.h>
#include <stdint.h>

/* Sorts the attributes in data[len] by type into attrs[0..max]; types above max are ignored, the
 * last of a type wins, parsing ends at the first malformed one. */
void zh_attrs_parse(const struct nlattr **attrs, int max, const void *data, size_t len);

/* Those of a message behind a fixed header of `header_len` bytes. A shorter message gives none. */
void zh_attrs_of(const struct nlattr **attrs, int max, const struct nlmsghdr *msg, int header_len);

/* Those nested in an attribute; NULL gives none. */
void zh_attrs_nested(const struct nlattr **attrs, int max, const struct nlattr *nest);

/* Steps through nested attributes in order, for lists: start with NULL; NULL at the end. */
const struct nlattr *zh_attr_next(const struct nlattr *nest, const struct nlattr *attr);

/* The fixed header of a message, or NULL when the message is shorter than `len`. */
const void *zh_message_header(const struct nlmsghdr *msg, size_t len);

int zh_attr_type(const struct nlattr *attr);
const void *zh_attr_data(const struct nlattr *attr);
size_t zh_attr_len(const struct nlattr *attr); /* payload bytes, 0 for NULL */

/* Numbers in host order; the be variants turn network order into host order. */
uint8_t zh_attr_u8(const struct nlattr *attr, uint8_t fallback);
uint16_t zh_attr_u16(const struct nlattr *attr, uint16_t fallback);
uint32_t zh_attr_u32(const struct nlattr *attr, uint32_t fallback);
uint64_t zh_attr_u64(const struct nlattr *attr, uint64_t fallback);
uint16_t zh_attr_be16(const struct nlattr *attr, uint16_t fallback);
uint32_t zh_attr_be32(const struct nlattr *attr, uint32_t fallback);

/* Copies a string, cut to size-1 and at its NUL; NULL gives "". Returns buf. */
char *zh_attr_string(const struct nlattr *attr, char *buf, size_t size);

/* Copies a fixed-size struct, zero-filled where the attribute is shorter (older kernel). Returns
 * the number of bytes that were there. */
size_t zh_attr_copy(const struct nlattr *attr, void *buf, size_t size);

/* Writes an IPv4 or IPv6 address (payload of 4 or 16 bytes); "" for anything else. Returns buf,
 * which holds at least INET6_ADDRSTRLEN bytes. */
char *zh_attr_ip(const struct nlattr *attr, char *buf);
