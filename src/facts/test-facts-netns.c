/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Facts of a network namespace that was set up for the purpose, collected by a thread that entered
 * it while the process as a whole stays outside.
 */
#include "facts/facts.h"

#include <arpa/inet.h>
#include <errno.h>
#include <linux/rtnetlink.h>
#include <netinet/in.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/util.h"
#include "sys/net-config.h"
#include "sys/netns.h"
#include "sys/process.h"

#define DATAGRAMS 300 /* of 1 kB, into a buffer of 4 kB */

static struct zh_err err;

/* A namespace with lo up and a veth pair whose other end is in another one. */
struct place {
	int ns, other;
	struct zh_netcfg *cfg;
};

static int setup(void **state)
{
	struct place *place = calloc(1, sizeof(*place));

	unsetenv("ZH_SYSROOT");
	*state = place;
	place->ns = zh_netns_new(&err);
	if (place->ns < 0)
		return 0;
	place->other = zh_netns_new(&err);
	return place->other < 0 || zh_netcfg_open(place->ns, &place->cfg, &err) < 0 ||
	       zh_netcfg_link_up(place->cfg, "lo", true, &err) < 0 ||
	       zh_netcfg_veth_add(place->cfg, "a0", "b0", place->other, &err) < 0 ||
	       zh_netcfg_address_add(place->cfg, "a0", "10.9.0.1/24", &err) < 0 ||
	       zh_netcfg_link_up(place->cfg, "a0", true, &err) < 0;
}

static int teardown(void **state)
{
	struct place *place = *state;

	zh_netcfg_close(place->cfg);
	if (place->ns >= 0) {
		close(place->ns);
		close(place->other);
	}
	free(place);
	return 0;
}

static int collect(void *set)
{
	return zh_facts_collect(set, NULL);
}

static void collect_in(struct place *place, struct zh_fact_set *set)
{
	if (place->ns < 0)
		skip();
	*set = (struct zh_fact_set){};
	assert_int_equal(zh_netns_call(place->ns, collect, set, &err), 0);
}

static uint64_t number(const struct zh_fact_set *set, const char *key)
{
	uint64_t value;

	if (!zh_fact_get(set, &value, "%s", key))
		fail_msg("%s is missing", key);
	return value;
}

static void text_is(const struct zh_fact_set *set, const char *key, const char *expected)
{
	const char *text = zh_fact_text(set, "%s", key);

	if (!text)
		fail_msg("%s is missing", key);
	assert_string_equal(text, expected);
}

static void is_unavailable(const struct zh_fact_set *set, const char *key)
{
	const struct zh_fact *fact = zh_fact_find(set, key);

	assert_non_null(fact);
	assert_int_equal(fact->type, ZH_FACT_UNAVAILABLE);
}

/* The thread's namespace is looked at, and /sys, which shows another one, is not believed. */
static void the_threads_own(void **state)
{
	struct zh_fact_set set;

	collect_in(*state, &set);
	assert_int_equal(number(&set, "link.count"), 2);
	assert_int_equal(number(&set, "link.lo.flags.up"), 1);
	text_is(&set, "link.a0.kind", "veth");
	assert_true(number(&set, "link.a0.link_ifindex") > 0);
	assert_non_null(zh_fact_find(&set, "link.a0.link_netnsid"));
	assert_null(zh_fact_find(&set, "link.a0.link"));
	assert_int_equal(number(&set, "loopback.ip4_prefix"), 8);
	assert_int_equal(number(&set, "rule.4.ahead_of_local"), 0);
	assert_int_equal(number(&set, "rule.4.count"), 3);
	text_is(&set, "fib.4.icmp.oif", "lo");
	text_is(&set, "fib.6.tcp.type", "local");
	text_is(&set, "fib.own.0.ip", "10.9.0.1");
	text_is(&set, "fib.own.0.oif", "lo");
	text_is(&set, "qdisc.lo.root", "noqueue");
	/* Nothing was ever sent here; the process's first namespace is another one. */
	assert_int_equal(number(&set, "snmp.Udp.InDatagrams"), 0);
	assert_int_equal(number(&set, "snmp.Tcp.ActiveOpens"), 0);
	assert_int_equal(number(&set, "listen.count"), 0);
	is_unavailable(&set, "queue");
	is_unavailable(&set, "bridge");
	zh_fact_set_done(&set);
}

static void rules_ahead_of_local(void **state)
{
	const struct zh_netcfg_rule late = {
		.priority = 100, .action = ZH_NETCFG_LOOKUP, .table = RT_TABLE_LOCAL};
	const struct zh_netcfg_rule local = {.action = ZH_NETCFG_LOOKUP, .table = RT_TABLE_LOCAL};
	const struct zh_netcfg_rule hole = {.priority = 50,
		.to = "127.0.0.1/32",
		.ip_protocol = IPPROTO_ICMP,
		.action = ZH_NETCFG_BLACKHOLE};
	const struct zh_netcfg_route route = {
		.to = "10.5.0.0/16", .via = "10.9.0.2", .device = "a0", .table = 77};
	struct place *place = *state;
	struct zh_fact_set set;

	if (place->ns < 0)
		skip();
	assert_int_equal(zh_netcfg_rule_add(place->cfg, &late, &err), 0);
	assert_int_equal(zh_netcfg_rule_del(place->cfg, &local, &err), 0);
	assert_int_equal(zh_netcfg_rule_add(place->cfg, &hole, &err), 0);
	assert_int_equal(zh_netcfg_route_add(place->cfg, &route, &err), 0);
	collect_in(place, &set);
	assert_int_equal(number(&set, "rule.4.ahead_of_local"), 1);
	assert_int_equal(number(&set, "rule.4.0.pref"), 50);
	assert_int_equal(number(&set, "rule.4.0.ipproto"), IPPROTO_ICMP);
	text_is(&set, "rule.4.0.action", "blackhole");
	text_is(&set, "rule.4.0.to", "127.0.0.1/32");
	text_is(&set, "rule.4.0.text", "50: from all to 127.0.0.1/32 ipproto icmp blackhole");
	/* Only the question with the protocol sees it. */
	assert_non_null(zh_fact_text(&set, "fib.4.icmp.error"));
	text_is(&set, "fib.4.udp.type", "local");
	assert_int_equal(number(&set, "route.4.table.77.routes"), 1);
	text_is(&set, "route.4.0.dst", "10.5.0.0/16");
	text_is(&set, "route.4.0.gateway", "10.9.0.2");
	zh_fact_set_done(&set);
}

static void a_shaper_on_lo(void **state)
{
	const struct zh_netcfg_tbf tbf = {
		.rate = 125000, .burst_bytes = 10000, .limit_bytes = 30000};
	struct place *place = *state;
	struct zh_fact_set set;

	if (place->ns < 0)
		skip();
	assert_int_equal(zh_netcfg_tbf_add(place->cfg, "lo", &tbf, &err), 0);
	collect_in(place, &set);
	text_is(&set, "qdisc.lo.root", "tbf");
	assert_int_equal(number(&set, "qdisc.lo.count"), 1);
	assert_int_equal(number(&set, "qdisc.lo.0.rate_bytes"), 125000);
	assert_int_equal(number(&set, "qdisc.lo.0.limit_bytes"), 30000);
	assert_int_equal(number(&set, "qdisc.lo.0.overlimits"), 0);
	zh_fact_set_done(&set);
}

static void a_firewall(void **state)
{
	static const char script[] = "table inet t { chain i { type filter hook input priority 0; "
				     "policy drop; ct state invalid drop; iif lo accept; "
				     "tcp dport 22 drop\n }\n }\n";
	static const char *const argv[] = {"nft", "-f", "-", NULL};
	struct place *place = *state;
	struct zh_fact_set set;
	const struct zh_fact *fact;
	size_t pos = 0, n = 0;

	if (place->ns < 0 ||
		zh_process_run(argv, place->ns, script, sizeof(script) - 1, &err) == -ENOENT)
		skip();
	assert_int_equal(err.code, 0);
	collect_in(place, &set);
	assert_int_equal(number(&set, "nft.rules"), 3);
	assert_int_equal(number(&set, "nft.hook.input.rules"), 3);
	assert_int_equal(number(&set, "nft.chain.0.lo_accept_at"), 2);
	text_is(&set, "nft.chain.0.policy", "drop");
	while ((fact = zh_fact_next(&set, "nft.notable.*.what", &pos))) {
		assert_string_equal(fact->text, "invalid-drop");
		n++;
	}
	assert_int_equal(n, 1);
	zh_fact_set_done(&set);
}

/* Sockets are the namespace's; they outlive the thread that opened them. */
static int open_sockets(void *arg)
{
	int *fds = arg, small = 2048, i;
	struct sockaddr_in to = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	socklen_t len = sizeof(to);
	char datagram[1000] = {0};

	for (i = 0; i < 4; i++)
		fds[i] = socket(AF_INET, i < 2 ? SOCK_DGRAM : SOCK_STREAM, 0);
	if (bind(fds[0], (void *)&to, sizeof(to)) < 0 ||
		setsockopt(fds[0], SOL_SOCKET, SO_RCVBUF, &small, sizeof(small)) < 0 ||
		getsockname(fds[0], (void *)&to, &len) < 0)
		return -errno;
	for (i = 0; i < DATAGRAMS; i++)
		sendto(fds[1], datagram, sizeof(datagram), 0, (void *)&to, sizeof(to));
	to.sin_port = 0;
	if (bind(fds[2], (void *)&to, sizeof(to)) < 0 || listen(fds[2], 7) < 0 ||
		getsockname(fds[2], (void *)&to, &len) < 0 ||
		connect(fds[3], (void *)&to, sizeof(to)) < 0)
		return -errno;
	return 0;
}

static void sockets_with_queues(void **state)
{
	struct place *place = *state;
	struct zh_fact_set set;
	const struct zh_fact *fact;
	int fds[4], i;
	uint64_t lost;
	size_t pos = 0;

	if (place->ns < 0)
		skip();
	assert_int_equal(zh_netns_call(place->ns, open_sockets, fds, &err), 0);
	collect_in(place, &set);
	assert_int_equal(number(&set, "listen.count"), 1);
	assert_int_equal(number(&set, "listen.full"), 0);
	assert_int_equal(number(&set, "listen.0.queue"), 1);
	assert_int_equal(number(&set, "listen.0.backlog"), 7);
	text_is(&set, "listen.0.addr", "127.0.0.1");
	lost = number(&set, "snmp.Udp.RcvbufErrors");
	assert_true(lost > 0 && lost < DATAGRAMS);
	fact = zh_fact_next(&set, "udpsock.*.drops_pkts", &pos);
	assert_non_null(fact);
	assert_int_equal(fact->number, lost);
	assert_null(zh_fact_next(&set, "udpsock.*.drops_pkts", &pos));
	zh_fact_set_done(&set);
	for (i = 0; i < 4; i++)
		close(fds[i]);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(the_threads_own),
		TEST(rules_ahead_of_local),
		TEST(a_shaper_on_lo),
		TEST(a_firewall),
		TEST(sockets_with_queues),
	};

	return cmocka_run_group_tests_name("facts-netns", tests, NULL, NULL);
}
