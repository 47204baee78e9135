/* SPDX-License-Identifier: BSD-2-Clause */
/* What needs namespaces of its own, or rights: losses at known places on the way, ICMP, zero copy
 * and busy polling on loopback. Needs root. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/util.h"
#include "bench/testing.h"
#include "stats/histogram.h"
#include "sys/net-config.h"
#include "sys/netns.h"

static struct zh_histogram *histogram;

static void must(int r, const struct zh_err *err)
{
	if (r < 0)
		fail_msg("%s", err->text);
}

static void run(struct bench_case *c)
{
	must(zh_bench_round(&c->config, &c->result, &c->err), &c->err);
}

static int new_netns(void)
{
	struct zh_err err = {0};
	int ns = zh_netns_new(&err);

	must(ns, &err);
	must(zh_netns_lo_up(ns, &err), &err);
	return ns;
}

/* Two namespaces with a veth pair between them: 10.77.0.1 and 10.77.0.2. */
struct pair {
	int near, far;
};

static void set_up_end(int ns, const char *device, const char *address)
{
	struct zh_netcfg *cfg = NULL;
	struct zh_err err = {0};

	must(zh_netcfg_open(ns, &cfg, &err), &err);
	must(zh_netcfg_address_add(cfg, device, address, &err), &err);
	must(zh_netcfg_link_up(cfg, device, true, &err), &err);
	zh_netcfg_close(cfg);
}

static void limit(int ns, const char *device)
{
	/* 4 MB/s, and room for fewer datagrams than a socket may have out. */
	struct zh_netcfg_tbf tbf = {.rate = 4u << 20, .burst_bytes = 5000, .limit_bytes = 20000};
	struct zh_netcfg *cfg = NULL;
	struct zh_err err = {0};

	must(zh_netcfg_open(ns, &cfg, &err), &err);
	must(zh_netcfg_tbf_add(cfg, device, &tbf, &err), &err);
	zh_netcfg_close(cfg);
}

static void between(struct bench_case *c, const char *transport, const struct pair *pair)
{
	bench_case_init(c, transport, histogram);
	c->config.netns_fd = pair->near;
	c->config.peer_netns_fd = pair->far;
	c->config.address = "10.77.0.2";
	snprintf(c->cell.over, sizeof(c->cell.over), "veth");
}

/* The kernel may take a second to let packets through a new device. */
static void wait_ready(const struct pair *pair)
{
	uint64_t until = zh_now_ns() + 5 * ZH_NSEC_PER_SEC;
	struct bench_case c;

	do {
		between(&c, "icmp", pair);
		c.config.reply_timeout_ns = 100 * ZH_NSEC_PER_MSEC;
		zh_bench_round(&c.config, &c.result, &c.err);
	} while (c.result.round.messages < 10 && zh_now_ns() < until);
}

static struct pair new_pair(void)
{
	struct pair pair = {new_netns(), new_netns()};
	struct zh_netcfg *cfg = NULL;
	struct zh_err err = {0};

	must(zh_netcfg_open(pair.near, &cfg, &err), &err);
	must(zh_netcfg_veth_add(cfg, "veth0", "veth1", pair.far, &err), &err);
	zh_netcfg_close(cfg);
	set_up_end(pair.near, "veth0", "10.77.0.1/24");
	set_up_end(pair.far, "veth1", "10.77.0.2/24");
	wait_ready(&pair);
	return pair;
}

/* Everything that is missing has a place, and `where` is one of them, with at least `share` per
 * cent. */
static void all_found(const struct bench_case *c, const char *where, unsigned int share)
{
	uint64_t sum = 0, there = 0;
	size_t i;

	assert_true(c->result.round.missing > 0);
	for (i = 0; i < c->result.n_losses; i++) {
		const struct zh_bench_loss *loss = &c->result.losses[i];

		if (!strcmp(loss->counter, "unattributed"))
			fail_msg("%llu of %llu datagrams are unattributed",
				(unsigned long long)loss->count,
				(unsigned long long)c->result.round.missing);
		sum += loss->count;
		there += strstr(loss->counter, where) ? loss->count : 0;
	}
	assert_int_equal(sum, c->result.round.missing);
	for (i = 0; there * 100 < sum * share && i < c->result.n_losses; i++)
		print_error("%llu at %s\n", (unsigned long long)c->result.losses[i].count,
			c->result.losses[i].counter);
	assert_true(there * 100 >= sum * share);
}

static void dropped_by_a_queue(void **state)
{
	struct pair pair = {.near = new_netns()};
	struct bench_case c;

	(void)state;
	limit(pair.near, "lo");
	bench_case_init(&c, "udp", histogram);
	c.cell.mode = ZH_BENCH_STREAM;
	c.cell.size_bytes = 1000;
	c.config.netns_fd = c.config.peer_netns_fd = pair.near;
	c.config.floor_ns = 0;
	c.config.duration_ns = 200 * ZH_NSEC_PER_MSEC;
	run(&c);
	all_found(&c, "qdisc tbf of lo", 90);
	close(pair.near);
}

/* On the peer's side, whose namespace is another one. */
static void dropped_by_the_peers_queue(void **state)
{
	struct pair pair = new_pair();
	struct bench_case c;

	(void)state;
	limit(pair.far, "veth1");
	between(&c, "udp", &pair);
	c.cell.mode = ZH_BENCH_RATE;
	c.cell.gap_ns = 50 * ZH_NSEC_PER_USEC;
	c.cell.size_bytes = 1000;
	c.config.floor_ns = 0;
	c.config.duration_ns = 300 * ZH_NSEC_PER_MSEC;
	run(&c);
	all_found(&c, "qdisc tbf of veth1 (peer)", 50);
	close(pair.near);
	close(pair.far);
}

/* The peer, in another namespace, is stopped for most of the stretch. */
static void dropped_by_the_peers_socket(void **state)
{
	struct bench_pause pause = {.for_ns = 150 * ZH_NSEC_PER_MSEC};
	struct pair pair = new_pair();
	struct bench_case c;
	uint8_t mode;

	(void)state;
	for (mode = ZH_BENCH_STREAM; mode <= ZH_BENCH_RATE; mode++) {
		between(&c, "udp", &pair);
		c.cell.mode = mode;
		c.cell.gap_ns = mode == ZH_BENCH_RATE ? 100 * ZH_NSEC_PER_USEC : 0;
		c.cell.buf_bytes = 5000;
		c.config.duration_ns = 200 * ZH_NSEC_PER_MSEC;
		bench_case_run_paused(&c, &pause);
		assert_int_equal(c.result.round.ended_early, 0);
		all_found(&c, "peer's socket drops", 90);
	}
	close(pair.near);
	close(pair.far);
}

static void icmp(void **state)
{
	const char *address = *state;
	int ns = new_netns(), i;
	struct bench_case c;

	for (i = 0; i < 4; i++) {
		bench_case_init(&c, "icmp", histogram);
		c.config.netns_fd = ns;
		c.config.address = address;
		c.cell.size_bytes = i % 2 ? 1001 : 8;
		c.cell.mode = i / 2 ? ZH_BENCH_RATE : ZH_BENCH_PINGPONG;
		c.cell.gap_ns = i / 2 ? 200 * ZH_NSEC_PER_USEC : 0;
		run(&c);
		assert_int_equal(c.result.round.ended_early, 0);
		assert_int_equal(c.result.round.missing, 0);
		assert_true(c.result.round.messages >= 10);
		assert_true(c.result.round.floor_messages > 10);
		assert_int_equal(c.result.round.peer_cpu_ns, 0);
		assert_true(c.cell.rcvbuf_bytes > 0);
	}
	close(ns);
}

/* The kernel of another namespace answers. */
static void icmp_elsewhere(void **state)
{
	struct pair pair = new_pair();
	struct bench_case c;

	(void)state;
	between(&c, "icmp", &pair);
	run(&c);
	assert_true(c.result.round.messages > 10);
	c.config.address = "10.77.0.3"; /* nobody */
	c.config.reply_timeout_ns = 300 * ZH_NSEC_PER_MSEC;
	assert_true(zh_bench_round(&c.config, &c.result, &c.err) < 0);
	assert_true(c.err.text[0]);
	close(pair.near);
	close(pair.far);
}

/* On loopback MSG_ZEROCOPY copies after all, and there is no NAPI instance to poll. */
static void placebos(void **state)
{
	int ns = new_netns();
	struct bench_case c;
	uint8_t mode;

	(void)state;
	for (mode = ZH_BENCH_PINGPONG; mode <= ZH_BENCH_STREAM; mode++) {
		bench_case_init(&c, "tcp", histogram);
		c.cell.mode = mode;
		c.cell.size_bytes = 65536;
		c.cell.zerocopy = 1;
		c.cell.busy_poll_us = 50;
		c.cell.napi_id = 1;
		c.config.netns_fd = c.config.peer_netns_fd = ns;
		run(&c);
		assert_int_equal(c.result.round.ended_early, 0);
		assert_true(c.result.round.zerocopy_done >= c.result.round.messages);
		assert_int_equal(c.result.round.zerocopy_copied, c.result.round.zerocopy_done);
		assert_int_equal(c.cell.napi_id, 0);
	}
	close(ns);
}

static int set_up(void **state)
{
	(void)state;
	histogram = zh_histogram_new();
	return histogram ? 0 : -1;
}

static int tear_down(void **state)
{
	(void)state;
	histogram = zh_histogram_free(histogram);
	return 0;
}

int main(void)
{
	static const char v4[] = "127.0.0.1", v6[] = "::1";
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(dropped_by_a_queue),
		cmocka_unit_test(dropped_by_the_peers_queue),
		cmocka_unit_test(dropped_by_the_peers_socket),
		cmocka_unit_test_prestate(icmp, (void *)(uintptr_t)v4),
		cmocka_unit_test_prestate(icmp, (void *)(uintptr_t)v6),
		cmocka_unit_test(icmp_elsewhere),
		cmocka_unit_test(placebos),
	};

	return geteuid() ? 77 : cmocka_run_group_tests(tests, set_up, tear_down);
}
