/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Hops through namespaces of our own: loopback, veth, a router, a circle, a bridge and macvlan.
 * Nothing is sent.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/util.h"
#include "explain/path-facts.h"
#include "session/path/test-lab.h"

static void by_lo(void **state)
{
	static const char *const targets[] = {
		"127.0.0.1", "127.1.2.3", "::1", "10.1.0.1", "udp:10.1.0.1:9", "tcp:[fd00::1]:9"};
	struct lab lab;
	size_t i;

	(void)state;
	lab_open(&lab, 2);
	lab_cable(&lab, 0, "va", "10.1.0.1/24", 1, "vb", "10.1.0.2/24");
	must(zh_netcfg_address_add(lab.cfg[0], "va", "fd00::1/64", &lab_err));
	for (i = 0; i < ZH_ARRAY_SIZE(targets); i++) {
		struct zh_record *record = lab_path(&lab, targets[i]);

		lab_check(record, SENT OUT("0", "lo") ", " TAKEN("0"));
		lab_is(record, "decision.dev", "lo");
		lab_is(record, "decision.type", "local");
		assert_int_equal(zh_path_number(record, "path.way.0.decision.table"), 255);
		assert_int_equal(zh_path_number(record, "path.way.0.decision.mtu"), 65536);
		lab_is(record, "decision.rule.text", "from all lookup local");
		lab_is(record, "decision.plain.dev", "lo");
		lab_is(record, "reply.dev", "lo");
		if (strchr(targets[i], 'p'))
			lab_ends(record, "no listener");
		else
			assert_null(lab_end_of(record));
		zh_record_free(record);
	}
	lab_close(&lab);
}

static void over_a_veth(void **state)
{
	struct zh_record *record;
	struct run alone = {};
	struct lab lab;

	(void)state;
	lab_open(&lab, 2);
	lab_cable(&lab, 0, "va", "10.1.0.1/24", 1, "vb", "10.1.0.2/24");
	record = lab_path(&lab, "10.1.0.2");
	lab_check(record, SENT OUT("0", "va") ", 0 wire va, " IN("1", "vb") ", " TAKEN("1"));
	lab_is(record, "decision.src", "10.1.0.1");
	lab_is(record, "decision.before.0.why", "table local has no route to it");
	lab_is(record, "reply.dev", "vb");
	assert_int_equal(zh_path_number(record, "path.way.0.reply.place"), 1);
	assert_null(lab_end_of(record));
	zh_record_free(record);
	/* Nobody named the other side, and no process is in it. */
	must(zh_target_parse("10.1.0.2", &alone.config.target, &lab_err));
	must(zh_netns_call(lab.ns[0], lab_run_inside, &alone, &lab_err));
	must(alone.result);
	lab_check(alone.record, SENT OUT("0", "va") ", 0 wire va");
	assert_non_null(zh_path_text(
		alone.record, "path.way.0.hop.%zu.unseen", zh_path_n_hops_of(alone.record, 0) - 1));
	zh_record_free(alone.record);
	/* Its own settings end it. */
	lab_set(&lab, 1, "net/ipv4/icmp_echo_ignore_all", "1");
	record = lab_path(&lab, "10.1.0.2");
	lab_ends(record, "icmp_echo_ignore_all is 1");
	zh_record_free(record);
	must(zh_netcfg_link_up(lab.cfg[1], "vb", false, &lab_err));
	record = lab_path(&lab, "10.1.0.2");
	lab_ends(record, "its other end vb is down");
	zh_record_free(record);
	lab_close(&lab);
}

/* Who is asked for and does not answer gets nothing, unless somebody answers in his place. */
static void to_nobody(void **state)
{
	struct zh_record *record;
	struct lab lab;

	(void)state;
	lab_open(&lab, 2);
	lab_cable(&lab, 0, "va", "10.1.0.1/24", 1, "vb", "10.1.0.2/24");
	must(zh_netcfg_address_add(lab.cfg[0], "va", "fd00::1/64", &lab_err));
	record = lab_path(&lab, "10.1.0.9");
	lab_check(record, SENT OUT("0", "va") ", 0 wire va, " IN("1", "vb"));
	lab_ends(record, "nobody here answers ARP for 10.1.0.9");
	zh_record_free(record);
	record = lab_path(&lab, "fd00::9");
	lab_ends(record, "nobody here answers neighbour discovery for fd00::9");
	zh_record_free(record);
	/* A gateway that nobody has, as Calico gives it to its pods. */
	lab_route(&lab, 0, "169.254.1.1/32", NULL, "va");
	lab_route(&lab, 0, "10.9.0.0/16", "169.254.1.1", "va");
	record = lab_path(&lab, "10.9.0.1");
	lab_ends(record, "nobody here answers ARP for 169.254.1.1");
	zh_record_free(record);
	lab_set(&lab, 1, "net/ipv4/conf/vb/proxy_arp", "1");
	lab_set(&lab, 1, "net/ipv4/ip_forward", "1");
	record = lab_path(&lab, "10.9.0.1");
	lab_check(record, SENT OUT("0", "va") ", 0 wire va, " IN("1", "vb") ", " UP("1"));
	lab_ends(record, "Network is unreachable");
	zh_record_free(record);
	/* A group is not asked for, and does not answer. */
	record = lab_path(&lab, "udp:10.1.0.255:9");
	lab_check(record, SENT OUT("0", "va") ", 0 wire va, " IN("1", "vb") ", " TAKEN("1"));
	assert_null(zh_path_text(record, "path.way.0.reply.error"));
	zh_record_free(record);
	lab_close(&lab);
}

#define TO_HOST SENT OUT("0", "eth0") ", 0 wire eth0, " IN("1", "va") ", "
#define FORWARDED TO_HOST UP("1") ", 1 forward, 1 postrouting, " OUT("1", "vb") ", 1 wire vb, "

static void through_a_router(void **state)
{
	struct run run = {.config = {.from = "10.50.0.1"}};
	struct zh_record *record;
	struct lab lab;

	(void)state;
	lab_open(&lab, 3);
	lab_cable(&lab, 0, "eth0", "10.1.0.2/24", 1, "va", "10.1.0.1/24");
	lab_cable(&lab, 2, "eth0", "10.2.0.2/24", 1, "vb", "10.2.0.1/24");
	lab_route(&lab, 0, "10.2.0.0/24", "10.1.0.1", "eth0");
	lab_route(&lab, 2, "10.1.0.0/24", "10.2.0.1", "eth0");
	lab_set(&lab, 1, "net/ipv4/ip_forward", "0");
	record = lab_path(&lab, "10.2.0.2");
	lab_check(record, TO_HOST UP("1"));
	lab_ends(record, "net.ipv4.conf.va.forwarding is 0");
	zh_record_free(record);
	lab_set(&lab, 1, "net/ipv4/ip_forward", "1");
	record = lab_path(&lab, "tcp:10.2.0.2:80");
	lab_check(record, FORWARDED IN("2", "eth0") ", " TAKEN("2"));
	lab_is(record, "decision.gateway", "10.1.0.1");
	lab_is(record, "reply.gateway", "10.2.0.1");
	lab_ends(record, "answered by RST");
	zh_record_free(record);
	must(zh_netcfg_rule_add(lab.cfg[1],
		&(struct zh_netcfg_rule){
			.priority = 7, .to = "10.2.0.7/32", .action = ZH_NETCFG_BLACKHOLE},
		&lab_err));
	record = lab_path(&lab, "10.2.0.7");
	lab_check(record, TO_HOST UP("1"));
	lab_ends(record, "a blackhole");
	zh_record_free(record);
	/* A source that the router would not answer by the same device. */
	must(zh_netcfg_address_add(lab.cfg[0], "lo", "10.50.0.1/32", &lab_err));
	lab_set(&lab, 1, "net/ipv4/conf/va/rp_filter", "1");
	lab_route(&lab, 1, "10.50.0.0/24", NULL, "vb");
	must(lab_follow(&lab, 0, &run, "10.2.0.2"));
	lab_check(run.record, TO_HOST UP("1"));
	lab_ends(run.record, "rp_filter is 1");
	zh_record_free(run.record);
	lab_close(&lab);
}

/* Two routers that send it to each other. */
static void in_a_circle(void **state)
{
	struct zh_record *record;
	struct lab lab;

	(void)state;
	lab_open(&lab, 3);
	lab_cable(&lab, 0, "eth0", "10.1.0.2/24", 1, "va", "10.1.0.1/24");
	lab_cable(&lab, 1, "vb", "10.2.0.1/24", 2, "vc", "10.2.0.2/24");
	lab_route(&lab, 0, "10.200.0.0/16", "10.1.0.1", "eth0");
	lab_route(&lab, 1, "10.200.0.0/16", "10.2.0.2", "vb");
	lab_route(&lab, 2, "10.200.0.0/16", "10.2.0.1", "vc");
	lab_route(&lab, 2, "10.1.0.0/24", "10.2.0.1", "vc");
	lab_set(&lab, 1, "net/ipv4/ip_forward", "1");
	lab_set(&lab, 2, "net/ipv4/ip_forward", "1");
	lab_set(&lab, 1, "net/ipv4/conf/all/rp_filter", "0");
	lab_set(&lab, 1, "net/ipv4/conf/vb/rp_filter", "0");
	record = lab_path(&lab, "10.200.0.1");
	lab_ends(record, "round in circles");
	zh_record_free(record);
	lab_close(&lab);
}

#define TO_BRIDGE SENT OUT("0", "eth0") ", 0 wire eth0, " IN("1", "va") ", 1 bridge br0"

static void through_a_bridge(void **state)
{
	struct zh_record *record;
	struct lab lab;

	(void)state;
	lab_open(&lab, 3);
	must(zh_netcfg_bridge_add(lab.cfg[1], "br0", &lab_err));
	lab_address(&lab, 1, "br0", "10.3.0.1/24");
	lab_cable(&lab, 0, "eth0", "10.3.0.2/24", 1, "va", NULL);
	lab_cable(&lab, 2, "eth0", "10.3.0.3/24", 1, "vb", NULL);
	must(zh_netcfg_master_set(lab.cfg[1], "va", "br0", &lab_err));
	must(zh_netcfg_master_set(lab.cfg[1], "vb", "br0", &lab_err));
	record = lab_path(&lab, "10.3.0.3");
	lab_check(record,
		TO_BRIDGE ", " OUT("1", "vb") ", 1 wire vb, " IN("2", "eth0") ", " TAKEN("2"));
	assert_null(lab_end_of(record));
	zh_record_free(record);
	record = lab_path(&lab, "10.3.0.1");
	lab_check(record, TO_BRIDGE ", " TAKEN("1"));
	zh_record_free(record);
	record = lab_path_from(&lab, 1, "10.3.0.3");
	lab_check(record, SENT OUT("0", "br0") ", 0 bridge br0, " OUT("0", "vb") ", 0 wire vb, " IN(
				  "1", "eth0") ", " TAKEN("1"));
	zh_record_free(record);
	record = lab_path(&lab, "10.3.0.9");
	lab_check(record, TO_BRIDGE);
	lab_last_has(record, "all ports");
	assert_null(lab_end_of(record));
	zh_record_free(record);
	must(zh_netcfg_link_up(lab.cfg[1], "vb", false, &lab_err));
	record = lab_path(&lab, "10.3.0.3");
	lab_check(record, TO_BRIDGE);
	lab_ends(record, "vb does not forward");
	zh_record_free(record);
	lab_close(&lab);
}

#define FROM_CHILD SENT OUT("0", "eth0") ", 0 macvlan eth0"

static void between_macvlan_children(void **state)
{
	struct zh_record *record;
	struct lab lab;

	(void)state;
	lab_open(&lab, 4);
	lab_cable(&lab, 1, "parent", "10.4.0.1/24", 3, "far", "10.4.0.9/24");
	must(zh_netcfg_macvlan_add(lab.cfg[1], "eth0", "parent", lab.ns[0], &lab_err));
	must(zh_netcfg_macvlan_add(lab.cfg[1], "eth0", "parent", lab.ns[2], &lab_err));
	lab_address(&lab, 0, "eth0", "10.4.0.2/24");
	lab_address(&lab, 2, "eth0", "10.4.0.3/24");
	record = lab_path(&lab, "10.4.0.3");
	/* The parent's receive side is where siblings meet. */
	lab_check(record, FROM_CHILD
		", " IN("1", "parent") ", 1 macvlan parent, " IN("2", "eth0") ", " TAKEN("2"));
	lab_is(record, "reply.dev", "eth0");
	zh_record_free(record);
	record = lab_path(&lab, "10.4.0.1");
	lab_check(record, FROM_CHILD);
	lab_ends(record, "cannot reach its own parent");
	zh_record_free(record);
	/* Out by the parent, whose own hooks do not see it. */
	record = lab_path(&lab, "10.4.0.9");
	lab_check(record, FROM_CHILD
		", " OUT("1", "parent") ", 1 wire parent, " IN("2", "far") ", " TAKEN("2"));
	zh_record_free(record);
	record = lab_path_from(&lab, 1, "10.4.0.2");
	lab_check(record, SENT OUT("0", "parent") ", 0 leaves parent");
	lab_ends(record, "cannot be reached from its own parent");
	zh_record_free(record);
	/* From outside to a child: past the parent. */
	record = lab_path_from(&lab, 3, "10.4.0.2");
	lab_check(record, SENT OUT("0", "far") ", 0 wire far, " IN("1",
				  "parent") ", 1 macvlan parent, " IN("2", "eth0") ", " TAKEN("2"));
	zh_record_free(record);
	lab_close(&lab);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(by_lo),
		cmocka_unit_test(over_a_veth),
		cmocka_unit_test(to_nobody),
		cmocka_unit_test(through_a_router),
		cmocka_unit_test(in_a_circle),
		cmocka_unit_test(through_a_bridge),
		cmocka_unit_test(between_macvlan_children),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
