/* SPDX-License-Identifier: BSD-2-Clause */
/* Rounds across network namespaces of the test's own: needs root and ip(8); exit status 77
 * otherwise. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include <errno.h>
#include <stdio.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/util.h"
#include "bench/testing.h"
#include "sys/netns.h"
#include "sys/process.h"
#include "sys/root.h"

static struct zh_histogram *histogram;
static int ns[2];

static int ip(int netns_fd, const char *const *args)
{
	const char *argv[16] = {"ip"};
	struct zh_err err;
	size_t i;
	int r;

	for (i = 0; args[i]; i++)
		argv[i + 1] = args[i];
	r = zh_process_run(argv, netns_fd, "", 0, &err);
	if (r < 0)
		print_message("# %s\n", err.text);
	return r;
}

#define IP(fd, ...) ip(fd, (const char *const[]){__VA_ARGS__, NULL})

/* Two namespaces with a veth pair between them: 10.9.0.1 and 10.9.0.2, fd09::1 and fd09::2. */
static int set_up(void **state)
{
	char there[64];
	size_t i;

	(void)state;
	histogram = zh_histogram_new();
	for (i = 0; i < 2; i++) {
		ns[i] = zh_netns_new(NULL);
		if (ns[i] < 0 || zh_netns_lo_up(ns[i], NULL) < 0)
			return -1;
	}
	snprintf(there, sizeof(there), "/proc/%d/fd/%d", (int)getpid(), ns[1]);
	if (IP(ns[0], "link", "add", "near", "type", "veth", "peer", "name", "far", "netns",
		    there) < 0)
		return -1;
	IP(ns[0], "addr", "add", "10.9.0.1/24", "dev", "near");
	IP(ns[1], "addr", "add", "10.9.0.2/24", "dev", "far");
	IP(ns[0], "addr", "add", "fd09::1/64", "dev", "near", "nodad");
	IP(ns[1], "addr", "add", "fd09::2/64", "dev", "far", "nodad");
	IP(ns[0], "link", "set", "near", "up");
	return IP(ns[1], "link", "set", "far", "up");
}

static int tear_down(void **state)
{
	(void)state;
	close(ns[0]);
	close(ns[1]);
	histogram = zh_histogram_free(histogram);
	return 0;
}

static void init(struct bench_case *c, const char *transport, const char *address)
{
	bench_case_init(c, transport, histogram);
	c->config.netns_fd = ns[0];
	c->config.peer_netns_fd = ns[1];
	c->config.address = address;
	snprintf(c->cell.over, sizeof(c->cell.over), "veth");
}

static void across_a_veth_pair(void **state)
{
	static const char *const addresses[] = {"10.9.0.2", "fd09::2"};
	static const char *const transports[] = {"tcp", "udp"};
	struct bench_case c;
	uint8_t mode;
	size_t i, j;

	(void)state;
	for (i = 0; i < 2; i++)
		for (j = 0; j < 2; j++)
			for (mode = ZH_BENCH_PINGPONG; mode <= ZH_BENCH_STREAM; mode++) {
				init(&c, transports[i], addresses[j]);
				c.cell.mode = mode;
				/* A fresh device may lose the first SYN: it is sent again
				 * after 1 s. */
				c.config.reply_timeout_ns = 5 * ZH_NSEC_PER_SEC;
				bench_case_check(&c);
			}
}

/* Both ends in one namespace that is not the caller's: those of Unix sockets, too. */
static void inside_another_namespace(void **state)
{
	static const char *const transports[] = {"tcp", "udp", "unix-stream", "unix-dgram"};
	struct bench_case c;
	size_t i;

	(void)state;
	for (i = 0; i < ZH_ARRAY_SIZE(transports); i++) {
		init(&c, transports[i], NULL);
		c.cell.over[0] = '\0';
		c.config.peer_netns_fd = ns[0];
		bench_case_check(&c);
	}
}

/* Lines of a table in the calling thread's namespace, without its head. */
static size_t count_sockets(const char *table)
{
	char text[8192];
	size_t n = 0;
	char *at;

	assert_true(zh_sys_read(text, sizeof(text), "/proc/thread-self/net/%s", table) > 0);
	for (at = strchr(text, '\n'); at; at = strchr(at + 1, '\n'))
		n++;
	return n;
}

/* Not even in TIME_WAIT. Nobody else has sockets in this namespace. */
static void no_socket_is_left(void **state)
{
	int own = zh_netns_current(NULL);
	struct bench_case c;
	uint8_t mode;

	(void)state;
	for (mode = ZH_BENCH_PINGPONG; mode <= ZH_BENCH_STREAM; mode++) {
		init(&c, "tcp", NULL);
		c.cell.over[0] = '\0';
		c.cell.mode = mode;
		c.config.peer_netns_fd = ns[0];
		bench_case_check(&c);
	}
	assert_int_equal(zh_netns_enter(ns[0], NULL), 0);
	assert_int_equal(count_sockets("tcp"), 0);
	assert_int_equal(count_sockets("udp"), 0);
	assert_int_equal(zh_netns_enter(own, NULL), 0);
	close(own);
}

static void an_address_that_is_not_there(void **state)
{
	struct bench_case c;

	(void)state;
	init(&c, "tcp", "10.9.0.3");
	assert_int_equal(bench_case_run(&c), -EADDRNOTAVAIL);
	assert_non_null(strstr(c.err.text, "10.9.0.3"));
	init(&c, "udp", "somewhere");
	assert_int_equal(bench_case_run(&c), -EINVAL);
}

static void down(void *arg, pid_t peer)
{
	(void)arg;
	(void)peer;
	assert_int_equal(IP(ns[1], "link", "set", "far", "down"), 0);
}

/* The way is cut while messages pass, and when nothing answers any more. */
static void the_way_is_cut(void **state)
{
	struct bench_case c;
	uint64_t start;

	(void)state;
	init(&c, "udp", "10.9.0.2");
	c.config.started = down;
	c.config.reply_timeout_ns = 300 * ZH_NSEC_PER_MSEC;
	assert_true(bench_case_run(&c) < 0);
	start = zh_now_ns();
	init(&c, "tcp", "10.9.0.2");
	c.config.reply_timeout_ns = 300 * ZH_NSEC_PER_MSEC;
	assert_true(bench_case_run(&c) < 0);
	assert_true(zh_now_ns() - start < 10 * ZH_NSEC_PER_SEC);
	assert_int_equal(IP(ns[1], "link", "set", "far", "up"), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(across_a_veth_pair),
		cmocka_unit_test(inside_another_namespace),
		cmocka_unit_test(no_socket_is_left),
		cmocka_unit_test(an_address_that_is_not_there),
		cmocka_unit_test(the_way_is_cut),
	};
	int fd = zh_netns_new(NULL);

	if (fd < 0) {
		print_message("# skipped: no network namespace can be made (root is needed)\n");
		return 77;
	}
	close(fd);
	return cmocka_run_group_tests(tests, set_up, tear_down);
}
