/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * 13 packets of each kind in own namespaces: each is seen exactly once at every point of its way,
 * on the right device, with BPF and with packet sockets; and where it is dropped.
 */
#include "trace/testing-trail.h"

#include <netinet/in.h>
#include <linux/netfilter.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/util.h"
#include "record/wire.h"

#define LO 1  /* the index of lo in every namespace */
#define FEW 5 /* ICMP errors at once: the kernel limits their rate, beginning with the 7th */

static const char *why_not;

static void skip_where_impossible(void)
{
	if (!why_not)
		return;
	print_message("skipped: %s\n", why_not);
	skip();
}

static void exchange_all(struct testing_flow *flow)
{
	struct zh_sample sample;
	uint32_t i;

	testing_flow_open(flow, NULL);
	for (i = 0; i < TESTING_PACKETS; i++) {
		testing_exchange(flow, i, &sample);
		assert_true(sample.recv_ns);
	}
	testing_flow_close(flow);
}

static void send_all(struct testing_flow *flow)
{
	struct zh_sample sample;
	uint32_t i;

	testing_flow_open(flow, NULL);
	if (flow->transport == ZH_TRANSPORT_UDP)
		close(zh_take_fd(&flow->peer_fd));
	for (i = 0; i < TESTING_PACKETS; i++)
		testing_send(flow, i, &sample);
	testing_flow_close(flow);
}

/* A leg over one device with its two sides: sent by `from`, received by `to`. */
static void expect_cable(struct testing_trail *t, uint32_t seq, int leg, int from,
	uint32_t from_dev, int to, uint32_t to_dev)
{
	bool bpf = zh_trail_method(t->trail) == ZH_TRAIL_BPF;

	testing_expect(
		t, seq, 1, .point = ZH_TRAIL_QUEUE, .leg = leg, .netns = from, .ifindex = from_dev);
	testing_expect(t, seq, 1, .point = ZH_TRAIL_RX, .leg = leg, .netns = to, .ifindex = to_dev);
	if (!bpf)
		return;
	testing_expect(
		t, seq, 1, .point = ZH_TRAIL_XMIT, .leg = leg, .netns = from, .ifindex = from_dev);
	testing_expect(
		t, seq, 1, .point = ZH_TRAIL_BACKLOG, .leg = leg, .netns = to, .ifindex = to_dev);
}

/* In front of and behind hook number `hook`, once each. */
static void expect_hook(struct testing_trail *t, uint32_t seq, int leg, int netns, uint32_t hook)
{
	if (zh_trail_method(t->trail) != ZH_TRAIL_BPF)
		return;
	testing_expect(
		t, seq, 1, .point = ZH_TRAIL_HOOK_IN, .leg = leg, .netns = netns, .hook = hook);
	testing_expect(
		t, seq, 1, .point = ZH_TRAIL_HOOK_OUT, .leg = leg, .netns = netns, .hook = hook);
}

/* A leg from one host to another, or to itself, and nothing else: steps of the whole packet. */
static void expect_hosts(struct testing_trail *t, uint32_t seq, int leg, int from, int to)
{
	expect_hook(t, seq, leg, from, NF_INET_LOCAL_OUT);
	expect_hook(t, seq, leg, from, NF_INET_POST_ROUTING);
	expect_hook(t, seq, leg, to, NF_INET_PRE_ROUTING);
	expect_hook(t, seq, leg, to, NF_INET_LOCAL_IN);
}

static void expect_steps(
	struct testing_trail *t, uint32_t seq, unsigned int bpf, unsigned int sockets)
{
	unsigned int n = zh_trail_method(t->trail) == ZH_TRAIL_BPF ? bpf : sockets;

	if (testing_trail_steps(t, seq) != n)
		testing_trail_fail(t, seq, "too many or too few steps");
}

/* A second trail, of another run, counts at the same time and sees nothing. */
static void check_on_lo(enum zh_transport_id transport, int family, uint32_t size, bool no_bpf)
{
	struct testing_flow flow = {.transport = transport,
		.family = family,
		.address = family == AF_INET ? "127.0.0.1" : "::1",
		.size = size,
		.peer_netns_fd = -1};
	struct zh_trail_config other = {
		.transport = transport, .run = TESTING_RUN + 1, .no_bpf = no_bpf};
	struct testing_trail t = {};
	struct zh_trail *foreign;
	struct zh_trail_step step;
	uint32_t i;
	int leg;

	testing_net_open(&t.net, 1);
	flow.netns_fd = t.net.ns[0];
	other.netns_fds = t.net.ns;
	other.n_netns = 1;
	testing_trail_open(&t, 1, transport, 0, no_bpf);
	assert_int_equal(zh_trail_open(&other, t.record, &foreign, NULL), 0);
	exchange_all(&flow);
	for (i = 0; i < TESTING_PACKETS; i++) {
		for (leg = 0; leg < 2; leg++) {
			expect_cable(&t, i, leg, 0, LO, 0, LO);
			expect_hosts(&t, i, leg, 0, 0);
		}
		expect_steps(&t, i, 2 * (4 + 8), 2 * 2);
		assert_int_equal(zh_trail_read(foreign, i, &step, 1), 0);
	}
	assert_int_equal(testing_trail_steps(&t, TESTING_PACKETS), 0);
	zh_trail_close(foreign);
	testing_trail_close(&t);
	testing_net_close(&t.net);
}

static void on_lo(void **state)
{
	int no_bpf;

	(void)state;
	skip_where_impossible();
	for (no_bpf = 0; no_bpf < 2; no_bpf++) {
		check_on_lo(ZH_TRANSPORT_ICMP, AF_INET, 56, no_bpf);
		check_on_lo(ZH_TRANSPORT_ICMP, AF_INET6, 56, no_bpf);
		check_on_lo(ZH_TRANSPORT_UDP, AF_INET, 24, no_bpf);
		check_on_lo(ZH_TRANSPORT_UDP, AF_INET6, 8000, no_bpf);
	}
}

static void check_over_cables(int family, bool no_bpf)
{
	struct testing_flow flow = {.transport = ZH_TRANSPORT_UDP,
		.family = family,
		.address = family == AF_INET ? "10.99.1.2" : "fd99:1::2",
		.size = 64};
	struct testing_trail t = {};
	uint32_t i;

	testing_net_open(&t.net, 2);
	flow.netns_fd = t.net.ns[0];
	flow.peer_netns_fd = t.net.ns[1];
	testing_trail_open(&t, 2, ZH_TRANSPORT_UDP, 0, no_bpf);
	exchange_all(&flow);
	for (i = 0; i < TESTING_PACKETS; i++) {
		expect_cable(&t, i, 0, 0, t.net.right[0], 1, t.net.left[1]);
		expect_hosts(&t, i, 0, 0, 1);
		expect_cable(&t, i, 1, 1, t.net.left[1], 0, t.net.right[0]);
		expect_hosts(&t, i, 1, 1, 0);
		expect_steps(&t, i, 2 * (4 + 8), 2 * 2);
	}
	testing_trail_close(&t);
	testing_net_close(&t.net);
}

static void over_veth(void **state)
{
	int no_bpf;

	(void)state;
	skip_where_impossible();
	for (no_bpf = 0; no_bpf < 2; no_bpf++) {
		check_over_cables(AF_INET, no_bpf);
		check_over_cables(AF_INET6, no_bpf);
	}
}

/* The port is closed: the host refuses with an ICMP error, which is the reply. */
static void check_closed_port(int family, bool no_bpf)
{
	struct testing_flow flow = {.transport = ZH_TRANSPORT_UDP,
		.family = family,
		.address = family == AF_INET ? "10.99.1.2" : "fd99:1::2",
		.size = 64,
		.deaf = true};
	struct zh_trail_step steps[ZH_TRAIL_STEPS];
	struct testing_trail t = {};
	size_t i, j, n;

	testing_net_open(&t.net, 2);
	flow.netns_fd = t.net.ns[0];
	flow.peer_netns_fd = t.net.ns[1];
	testing_trail_open(&t, 2, ZH_TRANSPORT_UDP, 0, no_bpf);
	send_all(&flow);
	/* More than the number that may be refused a second (net.ipv4.icmp_ratelimit) is sent. */
	for (i = 0; i < FEW; i++) {
		expect_cable(&t, i, 0, 0, t.net.right[0], 1, t.net.left[1]);
		expect_hosts(&t, i, 0, 0, 1);
		expect_cable(&t, i, 1, 1, t.net.left[1], 0, t.net.right[0]);
		expect_hosts(&t, i, 1, 1, 0);
		if (!no_bpf)
			testing_expect(&t, i, 1, .point = ZH_TRAIL_DROP, .netns = 1,
				.reason = "NO_SOCKET");
		expect_steps(&t, i, 2 * (4 + 8) + 1, 2 * 2);
		n = zh_trail_read(t.trail, i, steps, ZH_ARRAY_SIZE(steps));
		for (j = 0; j < n; j++)
			assert_int_equal(steps[j].icmp, !steps[j].leg       ? 0
							: family == AF_INET ? 0x303
									    : 0x104);
	}
	testing_trail_close(&t);
	testing_net_close(&t.net);
}

static void closed_port(void **state)
{
	int no_bpf;

	(void)state;
	skip_where_impossible();
	for (no_bpf = 0; no_bpf < 2; no_bpf++) {
		check_closed_port(AF_INET, no_bpf);
		check_closed_port(AF_INET6, no_bpf);
	}
}

/* Where a rule drops: on which host of three in a row, in which hook. */
struct dropping {
	const char *chain;
	int netns;
	uint32_t hook;
	uint32_t passed[4]; /* hooks in front of it, all on that host */
	size_t n_passed;
};

static const struct dropping droppings[] = {
	{"output", 0, NF_INET_LOCAL_OUT, {}, 0},
	{"postrouting", 0, NF_INET_POST_ROUTING, {NF_INET_LOCAL_OUT}, 1},
	{"prerouting", 1, NF_INET_PRE_ROUTING, {}, 0},
	{"forward", 1, NF_INET_FORWARD, {NF_INET_PRE_ROUTING}, 1},
	{"input", 2, NF_INET_LOCAL_IN, {NF_INET_PRE_ROUTING}, 1},
};

static void check_function(struct testing_trail *t, uint32_t seq)
{
	struct zh_trail_step steps[ZH_TRAIL_STEPS];
	size_t i, n = zh_trail_read(t->trail, seq, steps, ZH_ARRAY_SIZE(steps));
	char function[64];

	for (i = 0; i < n; i++) {
		zh_trail_function(t->trail, function, sizeof(function), steps[i].location);
		if (steps[i].point == ZH_TRAIL_DROP)
			assert_true(function[0] && !strpbrk(function, " +\t\n"));
		else
			assert_string_equal(function, "");
	}
	/* It is the last that was seen. */
	assert_int_equal(steps[n - 1].point, ZH_TRAIL_DROP);
}

static void expect_dropped(struct testing_trail *t, uint32_t seq, const struct dropping *d)
{
	size_t i;

	for (i = 0; i < d->n_passed; i++)
		expect_hook(t, seq, 0, d->netns, d->passed[i]);
	testing_expect(t, seq, 1, .point = ZH_TRAIL_HOOK_IN, .netns = d->netns, .hook = d->hook);
	testing_expect(t, seq, 0, .point = ZH_TRAIL_HOOK_OUT, .netns = d->netns, .hook = d->hook);
	testing_expect(
		t, seq, 1, .point = ZH_TRAIL_DROP, .netns = d->netns, .reason = "NETFILTER_DROP");
	check_function(t, seq);
	for (i = (size_t)d->netns + 1; i < 3; i++)
		testing_expect(t, seq, 0, .point = ZH_TRAIL_RX, .netns = (int)i);
}

static bool check_dropped(enum zh_transport_id transport, const struct dropping *d)
{
	struct testing_flow flow = {.transport = transport,
		.family = AF_INET,
		.address = "10.99.2.2",
		.size = 64,
		.deaf = true};
	struct testing_trail t = {};
	char rules[200];
	bool can;
	uint32_t i;

	testing_net_open(&t.net, 3);
	flow.netns_fd = t.net.ns[0];
	flow.peer_netns_fd = t.net.ns[2];
	snprintf(rules, sizeof(rules),
		"table ip t {\nchain c {\ntype filter hook %s priority 0;\nip daddr 10.99.2.2 "
		"drop\n}\n}\n",
		d->chain);
	can = testing_nft(&t.net, d->netns, rules);
	if (can) {
		testing_trail_open(&t, 3, transport, 0, false);
		send_all(&flow);
		for (i = 0; i < TESTING_PACKETS; i++)
			expect_dropped(&t, i, d);
		testing_trail_close(&t);
	}
	testing_net_close(&t.net);
	return can;
}

static void dropped_by_rules(void **state)
{
	size_t i;

	(void)state;
	skip_where_impossible();
	for (i = 0; i < ZH_ARRAY_SIZE(droppings); i++) {
		if (!check_dropped(ZH_TRANSPORT_UDP, &droppings[i]) ||
			!check_dropped(ZH_TRANSPORT_ICMP, &droppings[i]))
			skip();
	}
}

/* Every device on a routed way, with both legs. */
static void check_routed(bool no_bpf)
{
	struct testing_flow flow = {.transport = ZH_TRANSPORT_ICMP,
		.family = AF_INET,
		.address = "10.99.2.2",
		.size = 56};
	struct testing_trail t = {};
	uint32_t i;
	int leg;

	testing_net_open(&t.net, 3);
	flow.netns_fd = t.net.ns[0];
	testing_trail_open(&t, 3, ZH_TRANSPORT_ICMP, 0, no_bpf);
	exchange_all(&flow);
	for (i = 0; i < TESTING_PACKETS; i++) {
		expect_cable(&t, i, 0, 0, t.net.right[0], 1, t.net.left[1]);
		expect_cable(&t, i, 0, 1, t.net.right[1], 2, t.net.left[2]);
		expect_cable(&t, i, 1, 2, t.net.left[2], 1, t.net.right[1]);
		expect_cable(&t, i, 1, 1, t.net.left[1], 0, t.net.right[0]);
		expect_hosts(&t, i, 0, 0, 2);
		expect_hosts(&t, i, 1, 2, 0);
		for (leg = 0; leg < 2; leg++) {
			expect_hook(&t, i, leg, 1, NF_INET_PRE_ROUTING);
			expect_hook(&t, i, leg, 1, NF_INET_FORWARD);
			expect_hook(&t, i, leg, 1, NF_INET_POST_ROUTING);
		}
		expect_steps(&t, i, 2 * (2 * 4 + 7 * 2), 2 * 4);
	}
	assert_int_equal(zh_trail_lost(t.trail), 0);
	testing_trail_close(&t);
	testing_net_close(&t.net);
}

static void routed(void **state)
{
	(void)state;
	skip_where_impossible();
	check_routed(false);
	check_routed(true);
}

/* The payload lies in pages that the programs cannot read: there the port tells. */
static void check_large(bool no_bpf)
{
	static uint8_t payload[40000];
	const struct zh_wire wire = {.magic = ZH_WIRE_MAGIC, .run = TESTING_RUN, .seq = 3};
	struct testing_flow flow = {.transport = ZH_TRANSPORT_UDP,
		.family = AF_INET,
		.address = "127.0.0.1",
		.size = 64,
		.deaf = true,
		.peer_netns_fd = -1};
	struct sockaddr_in own = {.sin_family = AF_INET};
	socklen_t len = sizeof(own);
	struct testing_trail t = {};

	testing_net_open(&t.net, 1);
	flow.netns_fd = t.net.ns[0];
	testing_flow_open(&flow, NULL);
	assert_int_equal(bind(flow.fd, (void *)&own, sizeof(own)), 0);
	assert_int_equal(getsockname(flow.fd, (void *)&own, &len), 0);
	testing_trail_open(&t, 1, ZH_TRANSPORT_UDP, 0, no_bpf);
	zh_trail_port(t.trail, wire.seq, ntohs(own.sin_port));
	memcpy(payload, &wire, sizeof(wire));
	assert_int_equal(
		sendto(flow.fd, payload, sizeof(payload), 0, (void *)&flow.to, flow.to_len),
		sizeof(payload));
	expect_cable(&t, wire.seq, 0, 0, LO, 0, LO);
	expect_hosts(&t, wire.seq, 0, 0, 0);
	expect_steps(&t, wire.seq, 4 + 8, 2);
	testing_trail_close(&t);
	testing_flow_close(&flow);
	testing_net_close(&t.net);
}

static void large_datagram(void **state)
{
	(void)state;
	skip_where_impossible();
	check_large(false);
	check_large(true);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(on_lo),
		cmocka_unit_test(over_veth),
		cmocka_unit_test(routed),
		cmocka_unit_test(large_datagram),
		cmocka_unit_test(closed_port),
		cmocka_unit_test(dropped_by_rules),
	};

	why_not = testing_why_not();
	return cmocka_run_group_tests_name("trail", tests, NULL, NULL);
}
