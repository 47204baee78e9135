/* SPDX-License-Identifier: BSD-2-Clause */
#include "sys/netlink-attr.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* Appends an attribute; returns the new length. */
static size_t put(char *buf, size_t len, int type, const void *data, size_t data_len)
{
	struct nlattr attr = {
		.nla_len = (uint16_t)(NLA_HDRLEN + data_len), .nla_type = (uint16_t)type};

	memcpy(buf + len, &attr, sizeof(attr));
	memcpy(buf + len + NLA_HDRLEN, data, data_len);
	return len + NLA_ALIGN(NLA_HDRLEN + data_len);
}

static void reads(void **state)
{
	_Alignas(4) char buf[256] = {0};
	const struct nlattr *attrs[9];
	uint32_t number = 0x01020304;
	uint8_t v6[16] = {[15] = 1};
	char text[8], ip[46];
	size_t len = 0;

	(void)state;
	len = put(buf, len, 1, &number, sizeof(number));
	len = put(buf, len, 2, "lo", 3);
	len = put(buf, len, 3, "longer than that", 16);
	len = put(buf, len, 4 | NLA_F_NESTED, v6, sizeof(v6));
	len = put(buf, len, 77, "x", 1);
	zh_attrs_parse(attrs, 8, buf, len);
	assert_int_equal(zh_attr_u32(attrs[1], 0), number);
	assert_int_equal(zh_attr_be32(attrs[1], 0), 0x04030201);
	assert_int_equal(zh_attr_be16(attrs[1], 0), 0x0403);
	assert_int_equal(zh_attr_u64(attrs[1], 5), 5); /* too short */
	assert_int_equal(zh_attr_u8(attrs[5], 9), 9);  /* missing */
	assert_string_equal(zh_attr_string(attrs[2], text, sizeof(text)), "lo");
	assert_string_equal(zh_attr_string(attrs[3], text, sizeof(text)), "longer ");
	assert_string_equal(zh_attr_string(NULL, text, sizeof(text)), "");
	assert_string_equal(zh_attr_ip(attrs[4], ip), "::1");
	assert_string_equal(zh_attr_ip(attrs[1], ip), "4.3.2.1");
	assert_string_equal(zh_attr_ip(attrs[2], ip), "");
}

/* A message cut anywhere: in memory of exactly that size, so that a sanitizer sees a read too many.
 */
static void cut(void **state)
{
	_Alignas(4) char inner[32] = {0}, whole[64] = {0};
	const struct nlattr *attrs[3], *nested[3], *item;
	uint32_t number = 7;
	size_t len, size, seen;

	(void)state;
	len = put(inner, 0, 1, &number, sizeof(number));
	len = put(inner, len, 1, &number, sizeof(number));
	len = put(whole, 0, 2, inner, len);
	for (size = 0; size <= len; size++) {
		char *copy = malloc(size ? size : 1);

		memcpy(copy, whole, size);
		zh_attrs_parse(attrs, 2, copy, size);
		zh_attrs_nested(nested, 2, attrs[2]);
		if (size < len)
			assert_null(attrs[2]);
		for (seen = 0, item = NULL; (item = zh_attr_next(attrs[2], item)); seen++)
			assert_int_equal(zh_attr_u32(item, 0), number);
		assert_int_equal(seen, size < len ? 0 : 2);
		free(copy);
	}
}

static void malformed(void **state)
{
	_Alignas(4) char buf[16] = {0};
	struct nlattr attr = {.nla_len = 2, .nla_type = 1};
	const struct nlattr *attrs[2];
	struct nlmsghdr msg = {.nlmsg_len = NLMSG_HDRLEN + 2};

	(void)state;
	memcpy(buf, &attr, sizeof(attr)); /* shorter than its own header: would never advance */
	zh_attrs_parse(attrs, 1, buf, sizeof(buf));
	assert_null(attrs[1]);
	attr.nla_len = 200;
	memcpy(buf, &attr, sizeof(attr));
	zh_attrs_parse(attrs, 1, buf, sizeof(buf));
	assert_null(attrs[1]);
	assert_null(zh_message_header(&msg, 4));
	zh_attrs_of(attrs, 1, &msg, 4);
	assert_null(attrs[1]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(reads),
		cmocka_unit_test(cut),
		cmocka_unit_test(malformed),
	};

	return cmocka_run_group_tests_name("sys-netlink-attr", tests, NULL, NULL);
}
