/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Loads of every kind in namespaces of our own: what was sent is received or named as dropped, to
 * the packet; bad configurations are refused; nothing is left.
 */
#include "probe/load/load.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/clock.h"
#include "base/util.h"
#include "sys/net-config.h"
#include "sys/netns.h"

#define RUN_NS (300 * ZH_NSEC_PER_MSEC)

static const char *why_not;
static int near = -1, far = -1; /* joined by a0 (10.9.0.1) and b0 (10.9.0.2) */

static int set_up(void **state)
{
	struct zh_netcfg *cfg = NULL, *peer = NULL;
	struct zh_err err = {};
	int r;

	(void)state;
	near = zh_netns_new(&err);
	far = near < 0 ? near : zh_netns_new(&err);
	if (far < 0) {
		why_not = "network namespaces are not permitted";
		return 0;
	}
	r = zh_netcfg_open(near, &cfg, &err) | zh_netcfg_open(far, &peer, &err) |
	    zh_netcfg_veth_add(cfg, "a0", "b0", far, &err) |
	    zh_netcfg_link_up(cfg, "lo", true, &err) |
	    zh_netcfg_address_add(cfg, "a0", "10.9.0.1/24", &err) |
	    zh_netcfg_link_up(cfg, "a0", true, &err) |
	    zh_netcfg_address_add(peer, "b0", "10.9.0.2/24", &err) |
	    zh_netcfg_link_up(peer, "b0", true, &err);
	zh_netcfg_close(cfg);
	zh_netcfg_close(peer);
	return r;
}

static int tear_down(void **state)
{
	(void)state;
	zh_closep(&near);
	zh_closep(&far);
	return 0;
}

static struct zh_load_config config(enum zh_load_protocol protocol)
{
	if (why_not) {
		print_message("skipped: %s\n", why_not);
		skip();
	}
	return (struct zh_load_config){.protocol = protocol,
		.netns_fd = near,
		.peer_netns_fd = near,
		.to = "127.0.0.1",
		.flows = 1,
		.size_bytes = 64,
		.cpu = -1,
		.peer_cpu = -1};
}

static void assert_no_children(void)
{
	assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
	assert_int_equal(errno, ECHILD);
}

static struct zh_load_result run(const struct zh_load_config *c)
{
	struct zh_load_result result;
	struct zh_load *load = NULL;
	struct zh_err err = {};

	if (zh_load_start(c, &load, &err) < 0)
		fail_msg("%s", err.text);
	zh_sleep_until(zh_now_ns() + RUN_NS);
	zh_load_peek(load, &result);
	assert_true(result.sent > 0);
	if (zh_load_stop(load, &result, &err) < 0)
		fail_msg("%s", err.text);
	assert_no_children();
	return result;
}

static void udp_on_lo(void **state)
{
	struct zh_load_config c = config(ZH_LOAD_UDP);
	struct zh_load_result result;

	(void)state;
	c.flows = 7;
	c.rate = 5000;
	result = run(&c);
	/* It may stand still for a while, but it never overtakes its schedule; the end of the time
	 * is taken a moment before the last packets are. */
	assert_in_range(result.sent, 1, 5000 * result.elapsed_ns / ZH_NSEC_PER_SEC + 10);
	assert_int_equal(result.received + result.socket_drops, result.sent);
	assert_int_equal(result.send_failed, 0);
	assert_string_equal(result.engine, "sendmmsg");
}

/* A reader's buffer that is too small: the rest is counted there. */
static void small_buffer(void **state)
{
	struct zh_load_config c = config(ZH_LOAD_UDP);
	struct zh_load_result result;

	(void)state;
	c.rcvbuf_bytes = 2304;
	c.burst = 512;
	c.rate = 50000;
	result = run(&c);
	assert_true(result.socket_drops > 0);
	assert_int_equal(result.received + result.socket_drops, result.sent);
}

static void udp_over_veth(void **state)
{
	struct zh_load_config c = config(ZH_LOAD_UDP);
	struct zh_load_result result;

	(void)state;
	c.peer_netns_fd = far;
	c.to = "10.9.0.2";
	c.from = "10.9.0.1";
	result = run(&c);
	assert_true(result.received > 0);
	assert_true(result.received + result.socket_drops <= result.sent);
}

/* Frames that arrive at a0 for an address of its own namespace. */
static void injected(void **state)
{
	struct zh_load_config c = config(ZH_LOAD_UDP);
	struct zh_load_result result;

	(void)state;
	c.engine = ZH_LOAD_AUTO;
	c.device = "a0";
	c.to = "10.9.0.1";
	c.from = "10.9.0.2";
	c.flows = 3;
	result = run(&c);
	if (strcmp(result.engine, "xdp") != 0) {
		print_message("skipped: %s\n", result.why_not_xdp);
		skip();
	}
	assert_int_equal(result.received + result.socket_drops, result.sent);
	assert_true(result.sent >= 4096);
}

static void streams(void **state)
{
	static const enum zh_load_protocol protocols[] = {ZH_LOAD_TCP, ZH_LOAD_UNIX};
	struct zh_load_result result;
	struct zh_load_config c;
	size_t i;

	(void)state;
	for (i = 0; i < ZH_ARRAY_SIZE(protocols); i++) {
		c = config(protocols[i]);
		c.flows = 5;
		c.size_bytes = 5000;
		c.rate = i ? 2000 : 0;
		result = run(&c);
		assert_int_equal(result.received, result.sent);
	}
}

static void refusals(void **state)
{
	struct zh_load *load = NULL;
	struct zh_load_config c;
	struct zh_err err = {};

	(void)state;
	c = config(ZH_LOAD_UDP);
	c.to = "10.9.0.99";
	assert_int_equal(zh_load_start(&c, &load, &err), -EADDRNOTAVAIL);
	c = config(ZH_LOAD_UDP);
	c.to = "somewhere";
	assert_int_equal(zh_load_start(&c, &load, &err), -EINVAL);
	c = config(ZH_LOAD_UDP);
	c.flows = 0;
	assert_int_equal(zh_load_start(&c, &load, &err), -EINVAL);
	c = config(ZH_LOAD_UDP);
	c.size_bytes = 65508;
	assert_int_equal(zh_load_start(&c, &load, &err), -EINVAL);
	c = config(ZH_LOAD_TCP);
	c.engine = ZH_LOAD_XDP;
	assert_int_equal(zh_load_start(&c, &load, &err), -EINVAL);
	c = config(ZH_LOAD_UDP);
	c.engine = ZH_LOAD_XDP;
	c.device = "nonesuch";
	c.from = "10.9.0.2";
	assert_true(zh_load_start(&c, &load, &err) < 0);
	assert_non_null(strstr(err.text, "nonesuch"));
	c = config(ZH_LOAD_UDP);
	c.cpu = 1000;
	assert_true(zh_load_start(&c, &load, &err) < 0);
	assert_null(load);
	assert_no_children();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(udp_on_lo),
		cmocka_unit_test(small_buffer),
		cmocka_unit_test(udp_over_veth),
		cmocka_unit_test(injected),
		cmocka_unit_test(streams),
		cmocka_unit_test(refusals),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}
