/* SPDX-License-Identifier: BSD-2-Clause */
#include "sys/icmp.h"

#include <arpa/inet.h>
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/socket.h>

#include <cmocka.h>

#include "base/util.h"

/* The example of RFC 1071, section 3: words 0001 f203 f4f5 f6f7 sum to ddf2. */
static void checksum(void **state)
{
	static const uint8_t bytes[] = {0x00, 0x01, 0xf2, 0x03, 0xf4, 0xf5, 0xf6, 0xf7, 0x80};
	uint16_t sum = zh_icmp_fold(zh_icmp_sum(bytes, 8, 0));
	uint32_t odd;

	(void)state;
	assert_int_equal(ntohs(sum), (uint16_t)~0xddf2);
	/* In parts, and with an odd end, which counts as if a zero followed. */
	assert_int_equal(zh_icmp_fold(zh_icmp_sum(bytes + 4, 4, zh_icmp_sum(bytes, 4, 0))), sum);
	odd = zh_icmp_sum(bytes, 9, 0);
	assert_int_equal(ntohs(zh_icmp_fold(odd)), (uint16_t) ~(0xddf2 + 0x8000 - 0xffff));
}

static void takes_replies_apart(void **state)
{
	uint8_t message[64] = {0x46}; /* an IP header of 24 bytes: with options */
	uint16_t id = htons(0x1234), other = htons(0x1235);
	size_t len = 0;

	(void)state;
	zh_icmp_request(message + 24, AF_INET, id);
	assert_null(zh_icmp_reply(message, 40, AF_INET, true, id, &len)); /* a request */
	message[24] = 0;
	assert_ptr_equal(zh_icmp_reply(message, 40, AF_INET, true, id, &len), message + 32);
	assert_int_equal(len, 8);
	assert_null(zh_icmp_reply(message, 40, AF_INET, true, other, &len));
	assert_null(zh_icmp_reply(message, 31, AF_INET, true, id, &len));
	assert_null(zh_icmp_reply(message, 0, AF_INET, true, id, &len));
	/* Datagram sockets give no IP header, and the kernel chose the identifier. */
	assert_ptr_equal(zh_icmp_reply(message + 24, 8, AF_INET, false, other, &len), message + 32);
	assert_int_equal(len, 0);
	message[24] = 129;
	assert_non_null(zh_icmp_reply(message + 24, 8, AF_INET6, true, id, &len));
}

static void send_request(int fd, int family, uint16_t id)
{
	struct sockaddr_in v4 = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	struct sockaddr_in6 v6 = {.sin6_family = AF_INET6, .sin6_addr = IN6ADDR_LOOPBACK_INIT};
	uint8_t message[ZH_ICMP_HEADER];
	uint16_t sum;

	zh_icmp_request(message, family, id);
	if (family == AF_INET) {
		sum = zh_icmp_fold(zh_icmp_sum(message, sizeof(message), 0));
		memcpy(message + 2, &sum, sizeof(sum));
		assert_int_equal(sendto(fd, message, sizeof(message), 0, (void *)&v4, sizeof(v4)),
			sizeof(message));
		return;
	}
	assert_int_equal(
		sendto(fd, message, sizeof(message), 0, (void *)&v6, sizeof(v6)), sizeof(message));
}

/* Of two requests only the reply to the second carries our identifier. */
static void only_own_replies(void **state)
{
	int family = *(int *)*state;
	struct timeval limit = {.tv_sec = 2};
	uint16_t id = htons(0x5a48), other = htons(0x5a49);
	uint8_t buf[256];
	struct zh_err err = {};
	zh_autoclose int fd = -1;
	size_t len = 1;
	bool raw;
	ssize_t n;

	fd = zh_icmp_open(family, &raw, &err);
	if (fd == -EPERM || fd == -EAFNOSUPPORT || (fd >= 0 && !raw))
		skip();
	assert_true(fd >= 0);
	assert_int_equal(zh_icmp_filter(fd, family, id, &err), 0);
	setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof(limit));
	send_request(fd, family, other);
	send_request(fd, family, id);
	n = recv(fd, buf, sizeof(buf), 0);
	assert_true(n > 0);
	assert_non_null(zh_icmp_reply(buf, (size_t)n, family, raw, id, &len));
	assert_int_equal(len, 0);
	assert_int_equal(recv(fd, buf, sizeof(buf), MSG_DONTWAIT), -1);
}

int main(void)
{
	static int v4 = AF_INET, v6 = AF_INET6;
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(checksum),
		cmocka_unit_test(takes_replies_apart),
		cmocka_unit_test_prestate(only_own_replies, &v4),
		cmocka_unit_test_prestate(only_own_replies, &v6),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
