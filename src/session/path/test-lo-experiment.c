/* SPDX-License-Identifier: BSD-2-Clause */
/* Experiments on lo of fresh namespaces give what the arithmetic of segments says. */
#include "session/path/lo-experiment.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <sys/wait.h>

#include <cmocka.h>

static struct zh_err err;

static void need(int r)
{
	if (r == -EPERM || r == -EACCES) {
		print_message("skipped: %s\n", err.text);
		skip();
	}
	if (r < 0)
		fail_msg("%s", err.text);
}

/* With the large MTU a super-packet is no larger than a packet; with the small one it replaces
 * dozens. 1448 bytes fit into 1500 beside the headers and the time stamps. */
static void segments(void **state)
{
	struct lo_experiment large = {}, small = {.mtu = 1500};

	(void)state;
	need(lo_count_segments(&large, &err));
	assert_int_equal(large.mtu, 65536);
	assert_int_equal(large.sent_bytes, 1 << 20);
	assert_in_range(large.packets_off, 16, 40);
	assert_in_range(large.packets_on, 1, large.packets_off);
	need(lo_count_segments(&small, &err));
	assert_int_equal(small.mtu, 1500);
	assert_in_range(small.packets_off, ((1 << 20) + 1459) / 1460, 2 * (1 << 20) / 1448);
	assert_in_range(small.packets_on, 1, small.packets_off / 8);
}

static void checksum(void **state)
{
	enum lo_checksum result = LO_CHECKSUM_MADE;

	(void)state;
	need(lo_look_at_checksum(&result, &err));
	assert_int_equal(result, LO_CHECKSUM_SKIPPED);
}

static void addresses(void **state)
{
	int r;

	(void)state;
	r = lo_try_alias("198.18.0.1", &err);
	need(r);
	assert_int_equal(r, 1);
	assert_int_equal(lo_exchange("198.18.0.1"), -EADDRNOTAVAIL);
	assert_int_equal(lo_exchange("127.1.2.3"), 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(segments),
		cmocka_unit_test(checksum),
		cmocka_unit_test(addresses),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
