/* SPDX-License-Identifier: BSD-2-Clause */
/* Sharing out what is missing: exact counters first, no more than they moved, the sum exact. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <netinet/in.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>

#include "base/util.h"
#include "bench/losses.h"
#include "bench/testing.h"

static void add(struct zh_bench_counters *counters, const char *name, uint64_t value,
	enum zh_bench_counter_kind kind)
{
	struct zh_bench_counter *row = &counters->rows[counters->n++];

	snprintf(row->name, sizeof(row->name), "%s", name);
	row->value = value;
	row->kind = kind;
}

/* Two sockets, the namespace's counters that contain them, one more counter. */
static struct zh_bench_counters counters(
	uint64_t peer, uint64_t own, uint64_t rcvbuf, uint64_t csum, uint64_t device)
{
	struct zh_bench_counters ret = {0};

	add(&ret, "peer", peer, ZH_BENCH_COUNTER_SOCKET);
	add(&ret, "own", own, ZH_BENCH_COUNTER_SOCKET);
	add(&ret, "rcvbuf", rcvbuf, ZH_BENCH_COUNTER_SOCKETS);
	add(&ret, "csum", csum, ZH_BENCH_COUNTER_SOCKETS);
	add(&ret, "device", device, ZH_BENCH_COUNTER);
	return ret;
}

struct row {
	struct zh_bench_counters after;
	uint64_t missing;
	const char *want; /* "name count, ..." */
};

static void shares_out(void **state)
{
	const struct zh_bench_counters before = counters(5, 0, 100, 10, 1000);
	const struct row rows[] = {
		{counters(5, 0, 100, 10, 1000), 7, "unattributed 7"},
		{counters(5, 0, 100, 10, 1000), 0, ""},
		{counters(12, 0, 107, 10, 1000), 7, "peer 7"},
		/* Others' drops in the namespace are not ours when the sockets explain all. */
		{counters(12, 0, 190, 10, 1090), 7, "peer 7"},
		{counters(8, 2, 105, 10, 1000), 7, "peer 3, own 2, unattributed 2"},
		/* The sockets' 5 are in rcvbuf and csum: 8 + 1 moved, 4 are of other sockets. */
		{counters(8, 2, 108, 11, 1000), 20,
			"peer 3, own 2, rcvbuf 3, csum 1, unattributed 11"},
		/* Never more than is missing. */
		{counters(5, 0, 100, 10, 2000), 6, "device 6"},
		{counters(5, 0, 100, 10, 1004), 6, "device 4, unattributed 2"},
		/* A counter that was set back explains nothing. */
		{counters(0, 0, 0, 0, 0), 3, "unattributed 3"},
	};
	struct zh_bench_loss losses[ZH_BENCH_LOSSES_MAX];
	char got[256];
	size_t i, k, n, len;

	(void)state;
	for (i = 0; i < ZH_ARRAY_SIZE(rows); i++) {
		n = zh_bench_losses_attribute(
			&before, &rows[i].after, rows[i].missing, losses, ZH_BENCH_LOSSES_MAX);
		for (got[0] = 0, len = 0, k = 0; k < n; k++)
			len += (size_t)snprintf(got + len, sizeof(got) - len, "%s%s %llu",
				k ? ", " : "", losses[k].counter,
				(unsigned long long)losses[k].count);
		assert_string_equal(got, rows[i].want);
	}
}

/* With little room the last row holds the rest. */
static void fits(void **state)
{
	const struct zh_bench_counters before = counters(0, 0, 0, 0, 0),
				       after = counters(1, 1, 5, 5, 5);
	struct zh_bench_loss losses[2];

	(void)state;
	assert_int_equal(zh_bench_losses_attribute(&before, &after, 9, losses, 2), 2);
	assert_string_equal(losses[0].counter, "peer");
	assert_string_equal(losses[1].counter, "unattributed");
	assert_int_equal(losses[0].count + losses[1].count, 9);
}

static const struct zh_bench_counter *find(
	const struct zh_bench_counters *counters, const char *name)
{
	size_t i;

	for (i = 0; i < counters->n; i++)
		if (!strcmp(counters->rows[i].name, name))
			return &counters->rows[i];
	return NULL;
}

/* One datagram into a buffer that holds one: the second is dropped, and both the socket and the
 * namespace count it. */
static void reads_this_machine(void **state)
{
	static const char *const expected[] = {"Udp RcvbufErrors", "Udp MemErrors",
		"Udp InCsumErrors", "Udp NoPorts", "Udp SndbufErrors", "Ip InDiscards",
		"IpExt InNoRoutes", "TcpExt IPReversePathFilter", "lo rx_dropped", "lo tx_dropped",
		"softnet dropped (backlog, whole host)"};
	static struct zh_bench_counters before, after;
	static char bytes[3000];
	struct sockaddr_in sa = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	zh_autoclose int rx = socket(AF_INET, SOCK_DGRAM, 0);
	zh_autoclose int tx = socket(AF_INET, SOCK_DGRAM, 0);
	struct bench_case c;
	struct zh_bench_link link = {.config = &c.config, .cell = &c.cell, .peer_fd = -1};
	socklen_t len = sizeof(sa);
	uint64_t drops;
	int small = 1;
	size_t i;

	(void)state;
	bench_case_init(&c, "udp", NULL);
	assert_int_equal(bind(rx, (void *)&sa, len), 0);
	assert_int_equal(getsockname(rx, (void *)&sa, &len), 0);
	assert_int_equal(setsockopt(rx, SOL_SOCKET, SO_RCVBUF, &small, sizeof(small)), 0);
	link.near.rfd = rx;
	zh_bench_losses_read(&link, &before);
	for (i = 0; i < 6; i++)
		assert_int_equal(sendto(tx, bytes, sizeof(bytes), 0, (void *)&sa, sizeof(sa)),
			sizeof(bytes));
	zh_bench_losses_read(&link, &after);
	for (i = 0; i < ZH_ARRAY_SIZE(expected); i++)
		assert_non_null(find(&after, expected[i]));
	drops = find(&after, "own socket drops (SK_MEMINFO_DROPS)")->value;
	assert_in_range(drops, 1, 6);
	assert_int_equal(find(&before, "own socket drops (SK_MEMINFO_DROPS)")->value, 0);
	/* Other sockets of the namespace may have dropped meanwhile, too. */
	assert_true(
		find(&after, "Udp RcvbufErrors")->value + find(&after, "Udp MemErrors")->value >=
		find(&before, "Udp RcvbufErrors")->value + find(&before, "Udp MemErrors")->value +
			drops);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(shares_out),
		cmocka_unit_test(fits),
		cmocka_unit_test(reads_this_machine),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
