/* SPDX-License-Identifier: BSD-2-Clause */
#include "sys/netlink-attr.h"

#include <arpa/inet.h>
#include <endian.h>
#include <string.h>

#include "base/util.h"

/* The attribute at `at` when it fits into `left` bytes, else NULL. */
static const struct nlattr *fit(const char *at, size_t left)
{
	const struct nlattr *attr = (const void *)at;

	if (left < sizeof(*attr) || attr->nla_len < sizeof(*attr) || attr->nla_len > left)
		return NULL;
	return attr;
}

void zh_attrs_parse(const struct nlattr **attrs, int max, const void *data, size_t len)
{
	const struct nlattr *attr;
	const char *at = data;

	memset(attrs, 0, sizeof(attrs[0]) * ((size_t)max + 1));
	while ((attr = fit(at, len))) {
		size_t step = ZH_MIN((size_t)NLA_ALIGN(attr->nla_len), len);

		if (zh_attr_type(attr) <= max)
			attrs[zh_attr_type(attr)] = attr;
		at += step;
		len -= step;
	}
}

void zh_attrs_of(const struct nlattr **attrs, int max, const struct nlmsghdr *msg, int header_len)
{
	size_t skip = NLMSG_HDRLEN + NLMSG_ALIGN((size_t)header_len);
	size_t len = msg->nlmsg_len > skip ? msg->nlmsg_len - skip : 0;

	zh_attrs_parse(attrs, max, (const char *)msg + (len ? skip : 0), len);
}

void zh_attrs_nested(const struct nlattr **attrs, int max, const struct nlattr *nest)
{
	zh_attrs_parse(attrs, max, zh_attr_data(nest), zh_attr_len(nest));
}

const struct nlattr *zh_attr_next(const struct nlattr *nest, const struct nlattr *attr)
{
	const char *start = zh_attr_data(nest), *at = start;
	size_t len = zh_attr_len(nest), step;

	if (attr) {
		step = (size_t)((const char *)attr - start) + NLA_ALIGN(attr->nla_len);
		if (step >= len)
			return NULL;
		at += step;
		len -= step;
	}
	return fit(at, len);
}

const void *zh_message_header(const struct nlmsghdr *msg, size_t len)
{
	return msg->nlmsg_len >= NLMSG_LENGTH(len) ? NLMSG_DATA(msg) : NULL;
}

int zh_attr_type(const struct nlattr *attr)
{
	return attr->nla_type & NLA_TYPE_MASK;
}

const void *zh_attr_data(const struct nlattr *attr)
{
	return attr ? (const char *)attr + NLA_HDRLEN : NULL;
}

size_t zh_attr_len(const struct nlattr *attr)
{
	return attr && attr->nla_len > NLA_HDRLEN ? (size_t)attr->nla_len - NLA_HDRLEN : 0;
}

#define READ(type, attr, fallback)                                                                 \
	({                                                                                         \
		type value_ = (fallback);                                                          \
		if (zh_attr_len(attr) >= sizeof(value_))                                           \
			memcpy(&value_, zh_attr_data(attr), sizeof(value_));                       \
		value_;                                                                            \
	})

uint8_t zh_attr_u8(const struct nlattr *attr, uint8_t fallback)
{
	return READ(uint8_t, attr, fallback);
}

uint16_t zh_attr_u16(const struct nlattr *attr, uint16_t fallback)
{
	return READ(uint16_t, attr, fallback);
}

uint32_t zh_attr_u32(const struct nlattr *attr, uint32_t fallback)
{
	return READ(uint32_t, attr, fallback);
}

uint64_t zh_attr_u64(const struct nlattr *attr, uint64_t fallback)
{
	return READ(uint64_t, attr, fallback);
}

uint16_t zh_attr_be16(const struct nlattr *attr, uint16_t fallback)
{
	return be16toh(zh_attr_u16(attr, htobe16(fallback)));
}

uint32_t zh_attr_be32(const struct nlattr *attr, uint32_t fallback)
{
	return be32toh(zh_attr_u32(attr, htobe32(fallback)));
}

char *zh_attr_string(const struct nlattr *attr, char *buf, size_t size)
{
	size_t len = ZH_MIN(zh_attr_len(attr), size - 1);

	if (len)
		memcpy(buf, zh_attr_data(attr), len);
	buf[len] = '\0';
	return buf;
}

size_t zh_attr_copy(const struct nlattr *attr, void *buf, size_t size)
{
	size_t len = ZH_MIN(zh_attr_len(attr), size);

	memset(buf, 0, size);
	if (len)
		memcpy(buf, zh_attr_data(attr), len);
	return len;
}

char *zh_attr_ip(const struct nlattr *attr, char *buf)
{
	size_t len = zh_attr_len(attr);

	buf[0] = '\0';
	if (len == 4 || len == 16)
		inet_ntop(len == 4 ? AF_INET : AF_INET6, zh_attr_data(attr), buf, INET6_ADDRSTRLEN);
	return buf;
}
