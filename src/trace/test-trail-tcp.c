/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * 13 TCP connection attempts, each from a port of its own: the SYN and its answer are seen once at
 * every point, to an open and to a closed port, also behind NAT, and nothing of what follows.
 */
#include "trace/testing-trail.h"

#include <arpa/inet.h>
#include <errno.h>
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
#include "sys/net-config.h"

static const char *why_not;

union address {
	struct sockaddr any;
	struct sockaddr_in in;
	struct sockaddr_in6 in6;
};

static socklen_t make_address(union address *ret, const char *text, uint16_t port)
{
	memset(ret, 0, sizeof(*ret));
	if (inet_pton(AF_INET, text, &ret->in.sin_addr) == 1) {
		ret->in.sin_family = AF_INET;
		ret->in.sin_port = htons(port);
		return sizeof(ret->in);
	}
	assert_int_equal(inet_pton(AF_INET6, text, &ret->in6.sin6_addr), 1);
	ret->in6.sin6_family = AF_INET6;
	ret->in6.sin6_port = htons(port);
	return sizeof(ret->in6);
}

static uint16_t port_of(int fd)
{
	union address address;
	socklen_t len = sizeof(address);

	assert_int_equal(getsockname(fd, &address.any, &len), 0);
	return ntohs(
		address.any.sa_family == AF_INET ? address.in.sin_port : address.in6.sin6_port);
}

struct making {
	const char *address; /* bound to, any port */
	int fd;
};

static int make_bound(void *arg)
{
	struct making *m = arg;
	union address address;
	socklen_t len = make_address(&address, m->address, 0);

	m->fd = socket(address.any.sa_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
	return bind(m->fd, &address.any, len);
}

/* A socket in namespace `at`. */
static int bound_socket(const struct testing_net *net, int at, const char *address)
{
	struct making m = {.address = address, .fd = -1};

	assert_int_equal(zh_netns_call(net->ns[at], make_bound, &m, NULL), 0);
	return m.fd;
}

struct attempts {
	int from;             /* namespace */
	const char *own, *to; /* addresses */
	uint16_t port;
	bool refused;
	uint16_t seen_port;        /* of ours, as the listener sees it; filled in */
	bool used[UINT16_MAX + 1]; /* our ports so far */
};

/* A socket with a port that no earlier attempt had, as a trail by packet sockets wants it: the
 * kernel may well give one again. */
static int fresh_socket(const struct testing_net *net, struct attempts *a)
{
	int fd = bound_socket(net, a->from, a->own);

	while (a->used[port_of(fd)]) {
		close(fd);
		fd = bound_socket(net, a->from, a->own);
	}
	a->used[port_of(fd)] = true;
	return fd;
}

/* Attempt `seq`, then some data and an end that is a reset, from both sides: none of it counts. */
static void attempt(struct testing_trail *t, struct attempts *a, uint32_t seq, int listener)
{
	struct linger hard = {.l_onoff = 1};
	union address to;
	socklen_t len = make_address(&to, a->to, a->port);
	int fd = fresh_socket(&t->net, a), peer, r;

	if (t->trail)
		zh_trail_port(t->trail, seq, port_of(fd));
	r = connect(fd, &to.any, len);
	assert_int_equal(r ? errno : 0, a->refused ? ECONNREFUSED : 0);
	if (!a->refused) {
		len = sizeof(to);
		peer = accept(listener, &to.any, &len);
		assert_true(peer >= 0);
		a->seen_port = ntohs(to.in.sin_port);
		assert_int_equal(send(fd, "x", 1, MSG_NOSIGNAL), 1);
		if (seq & 1)
			setsockopt(peer, SOL_SOCKET, SO_LINGER, &hard, sizeof(hard));
		close(peer);
	}
	close(fd);
}

static void expect_at(struct testing_trail *t, uint32_t seq, int leg, int from, uint32_t from_dev,
	int to, uint32_t to_dev)
{
	static const uint32_t hooks[] = {
		NF_INET_LOCAL_OUT, NF_INET_POST_ROUTING, NF_INET_PRE_ROUTING, NF_INET_LOCAL_IN};
	size_t i;

	testing_expect(
		t, seq, 1, .point = ZH_TRAIL_QUEUE, .leg = leg, .netns = from, .ifindex = from_dev);
	testing_expect(t, seq, 1, .point = ZH_TRAIL_RX, .leg = leg, .netns = to, .ifindex = to_dev);
	for (i = 0; i < 4 && zh_trail_method(t->trail) == ZH_TRAIL_BPF; i++) {
		testing_expect(t, seq, 1, .point = ZH_TRAIL_HOOK_IN, .leg = leg,
			.netns = i < 2 ? from : to, .hook = hooks[i]);
		testing_expect(t, seq, 1, .point = ZH_TRAIL_HOOK_OUT, .leg = leg,
			.netns = i < 2 ? from : to, .hook = hooks[i]);
	}
}

static void expect_steps(
	struct testing_trail *t, uint32_t seq, unsigned int bpf, unsigned int sockets)
{
	unsigned int n = zh_trail_method(t->trail) == ZH_TRAIL_BPF ? bpf : sockets;

	if (testing_trail_steps(t, seq) != n)
		testing_trail_fail(t, seq, "too many or too few steps");
}

/* Two hosts; connections of somebody else to the same port go on at the same time. */
static void check_attempts(int family, bool open, bool no_bpf)
{
	struct attempts a = {.own = family == AF_INET ? "10.99.1.1" : "fd99:1::1",
		.to = family == AF_INET ? "10.99.1.2" : "fd99:1::2",
		.refused = !open};
	struct testing_trail t = {}, nobody = {};
	int listener;
	uint32_t i;

	testing_net_open(&t.net, 2);
	nobody.net = t.net;
	listener = bound_socket(&t.net, 1, a.to);
	a.port = port_of(listener);
	if (open)
		assert_int_equal(listen(listener, 4), 0);
	testing_trail_open(&t, 2, ZH_TRANSPORT_TCP, a.port, no_bpf);
	for (i = 0; i < TESTING_PACKETS; i++) {
		attempt(&t, &a, i, listener);
		attempt(&nobody, &a, i, listener);
	}
	for (i = 0; i < TESTING_PACKETS; i++) {
		expect_at(&t, i, 0, 0, t.net.right[0], 1, t.net.left[1]);
		expect_at(&t, i, 1, 1, t.net.left[1], 0, t.net.right[0]);
		if (!open && !no_bpf)
			testing_expect(&t, i, 1, .point = ZH_TRAIL_DROP, .netns = 1,
				.reason = "NO_SOCKET");
		expect_steps(&t, i, 2 * (4 + 8) + !open, 2 * 2);
	}
	close(listener);
	testing_trail_close(&t);
	testing_net_close(&t.net);
}

static void skip_where_impossible(void)
{
	if (!why_not)
		return;
	print_message("skipped: %s\n", why_not);
	skip();
}

static void open_port(void **state)
{
	int i;

	(void)state;
	skip_where_impossible();
	for (i = 0; i < 4; i++)
		check_attempts(i & 1 ? AF_INET6 : AF_INET, true, i & 2);
}

static void closed_port(void **state)
{
	int i;

	(void)state;
	skip_where_impossible();
	for (i = 0; i < 4; i++)
		check_attempts(i & 1 ? AF_INET6 : AF_INET, false, i & 2);
}

/*
 * The router changes both ends: the destination's address and port, and the source's address and
 * port. Only the sequence numbers stay.
 */
static bool check_nat(bool no_bpf)
{
	struct attempts a = {.own = "10.99.1.1", .to = "10.99.1.2", .port = 4711};
	struct testing_trail t = {};
	char rules[400];
	int listener;
	uint32_t i;
	bool can;

	testing_net_open(&t.net, 3);
	listener = bound_socket(&t.net, 2, "10.99.2.2");
	assert_int_equal(listen(listener, 4), 0);
	snprintf(rules, sizeof(rules),
		"table ip t {\nchain a {\ntype nat hook prerouting priority -100;\ntcp dport 4711 "
		"dnat to 10.99.2.2:%u\n}\nchain b {\ntype nat hook postrouting priority 100;\n"
		"ip protocol tcp snat to 10.99.2.1:2000-2999\n}\n}\n",
		port_of(listener));
	can = testing_nft(&t.net, 1, rules);
	if (can) {
		testing_trail_open(&t, 3, ZH_TRANSPORT_TCP, a.port, no_bpf);
		for (i = 0; i < TESTING_PACKETS; i++)
			attempt(&t, &a, i, listener);
		assert_in_range(a.seen_port, 2000, 2999);
		for (i = 0; i < TESTING_PACKETS; i++) {
			expect_at(&t, i, 0, 0, t.net.right[0], 2, t.net.left[2]);
			expect_at(&t, i, 1, 2, t.net.left[2], 0, t.net.right[0]);
			expect_steps(&t, i, 2 * (2 * 4 + 7 * 2), 2 * 4);
		}
		testing_trail_close(&t);
	}
	close(listener);
	testing_net_close(&t.net);
	return can;
}

static void behind_nat(void **state)
{
	(void)state;
	skip_where_impossible();
	if (!check_nat(false) || !check_nat(true))
		skip();
}

static unsigned int count(struct testing_trail *t, const struct testing_want *want)
{
	return testing_trail_count(t, 0, want);
}

/* An error that comes while connect() still holds the socket is not heeded, and the SYN is sent
 * again: there may be several. */
static void expect_prohibited(struct testing_trail *t)
{
	const struct testing_want in = {
		.point = ZH_TRAIL_HOOK_IN, .netns = 1, .hook = NF_INET_FORWARD};
	const struct testing_want out = {
		.point = ZH_TRAIL_HOOK_OUT, .netns = 1, .hook = NF_INET_FORWARD};
	const struct testing_want dropped = {
		.point = ZH_TRAIL_DROP, .netns = 1, .reason = "NETFILTER_DROP"};
	const struct testing_want any_drop = {.point = ZH_TRAIL_DROP, .leg = 1};
	const struct testing_want answered = {
		.point = ZH_TRAIL_RX, .leg = 1, .ifindex = t->net.right[0]};
	const struct testing_want arrived = {.point = ZH_TRAIL_RX, .netns = 2};
	unsigned int n = count(t, &in);

	if (!n || count(t, &dropped) != n || count(t, &answered) != n || count(t, &out) ||
		count(t, &any_drop) || count(t, &arrived))
		testing_trail_fail(t, 0, "not each SYN refused once");
}

/* Refused by a rule of the router: the error quotes the SYN, and is the reply. */
static void prohibited(void **state)
{
	struct attempts a = {.own = "10.99.1.1", .to = "10.99.2.2", .port = 4711, .refused = true};
	struct zh_trail_step steps[ZH_TRAIL_STEPS];
	struct testing_trail t = {};
	size_t i, n;

	(void)state;
	skip_where_impossible();
	testing_net_open(&t.net, 3);
	if (!testing_nft(&t.net, 1,
		    "table ip t {\nchain c {\ntype filter hook forward priority 0;\n"
		    "tcp dport 4711 reject\n}\n}\n")) {
		testing_net_close(&t.net);
		skip();
	}
	testing_trail_open(&t, 3, ZH_TRANSPORT_TCP, a.port, false);
	attempt(&t, &a, 0, -1);
	expect_prohibited(&t);
	n = zh_trail_read(t.trail, 0, steps, ZH_ARRAY_SIZE(steps));
	for (i = 0; i < n; i++) /* port unreachable is what nft answers by default */
		assert_int_equal(steps[i].icmp, steps[i].leg ? 0x303 : 0);
	testing_trail_close(&t);
	testing_net_close(&t.net);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(open_port),
		cmocka_unit_test(closed_port),
		cmocka_unit_test(behind_nat),
		cmocka_unit_test(prohibited),
	};

	why_not = testing_why_not();
	return cmocka_run_group_tests_name("trail-tcp", tests, NULL, NULL);
}
