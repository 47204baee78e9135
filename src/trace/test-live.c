/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Live counters: prime numbers of packets in a namespace of our own are counted exactly, whatever
 * the rest of the machine does.
 */
#include "trace/live.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/util.h"
#include "sys/netns.h"
#include "trace/testing.h"

#define PACKETS 1009
#define DROPS 23
#define ROWS 4096

static const char *why_not;

/* Two UDP sockets in a namespace of their own; nobody reads the second. */
struct world {
	int home, netns, fd, sink;
	uint64_t inode;
	struct sockaddr_in to;
	uint16_t port;
	struct zh_live *live;
	struct zh_record *record;
};

static int udp_socket(struct sockaddr_in *ret)
{
	socklen_t len = sizeof(*ret);
	int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);

	*ret = (struct sockaddr_in){
		.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	assert_true(fd >= 0);
	assert_int_equal(bind(fd, (struct sockaddr *)ret, sizeof(*ret)), 0);
	assert_int_equal(getsockname(fd, (struct sockaddr *)ret, &len), 0);
	return fd;
}

static void set_up(struct world *w, struct zh_live_config config)
{
	struct sockaddr_in own;
	struct zh_err err = {};

	if (why_not) {
		print_message("skipped: %s\n", why_not);
		skip();
	}
	w->home = zh_netns_current(&err);
	w->netns = testing_netns();
	assert_int_equal(zh_netns_enter(w->netns, &err), 0);
	w->fd = udp_socket(&own);
	w->sink = udp_socket(&w->to);
	w->port = ntohs(own.sin_port);
	assert_int_equal(zh_netns_enter(w->home, &err), 0);
	assert_int_equal(zh_netns_inode(w->netns, &w->inode), 0);
	w->record = testing_record();
	if (zh_live_open(&config, w->record, &w->live, &err))
		fail_msg("%s", err.text);
	assert_int_equal(w->record->n_not_measured, 0);
}

static void tear_down(struct world *w)
{
	zh_live_close(w->live);
	zh_record_free(w->record);
	close(w->fd);
	close(w->sink);
	close(w->netns);
	close(w->home);
}

static void send_packets(const struct world *w, int n)
{
	char payload[100] = "";

	for (; n > 0; n--)
		sendto(w->fd, payload, sizeof(payload), 0, (const struct sockaddr *)&w->to,
			sizeof(w->to));
}

static void flows_are_counted(void **state)
{
	struct zh_live_config config = {.flows = true, .flow_sample = 1};
	static struct zh_live_flow flows[ROWS];
	uint64_t packets = 0, bytes = 0;
	struct world w;
	size_t n, i;

	(void)state;
	set_up(&w, config);
	zh_live_top_flows(w.live, flows, ROWS);
	send_packets(&w, PACKETS);
	n = zh_live_top_flows(w.live, flows, ROWS);
	for (i = 0; i < n; i++) {
		if (flows[i].netns != w.inode)
			continue;
		assert_int_equal(flows[i].protocol, IPPROTO_UDP);
		assert_int_equal(flows[i].from_port, w.port);
		assert_int_equal(flows[i].to_port, ntohs(w.to.sin_port));
		assert_int_equal(flows[i].to[0], 127);
		assert_int_equal(flows[i].ifindex, 1);
		packets += flows[i].packets;
		bytes += flows[i].bytes;
	}
	assert_int_equal(packets, PACKETS);
	assert_int_equal(bytes, PACKETS * 128);
	/* Taken out: counted once only. Switched off: not counted at all. */
	assert_int_equal(zh_live_switch(w.live, "flows", false), 0);
	send_packets(&w, PACKETS);
	n = zh_live_top_flows(w.live, flows, ROWS);
	for (i = 0; i < n; i++)
		assert_int_not_equal(flows[i].netns, w.inode);
	assert_int_equal(zh_live_switch(w.live, "flows", true), 0);
	assert_int_equal(zh_live_lost(w.live), 0);
	tear_down(&w);
}

/* One packet in eight is looked at; what is shown is scaled. */
static void flows_are_sampled(void **state)
{
	struct zh_live_config config = {.flows = true, .flow_sample = 8};
	static struct zh_live_flow flows[ROWS];
	uint64_t packets = 0;
	struct world w;
	size_t n, i;

	(void)state;
	set_up(&w, config);
	send_packets(&w, 8 * PACKETS);
	n = zh_live_top_flows(w.live, flows, ROWS);
	for (i = 0; i < n; i++)
		if (flows[i].netns == w.inode)
			packets += flows[i].packets;
	/* Other packets on the same CPUs take part in the turns of eight. */
	assert_in_range(packets, 6 * PACKETS, 10 * PACKETS);
	tear_down(&w);
}

static uint64_t drops_of(struct world *w, const char *reason, const char *function)
{
	static struct zh_live_drop drops[ROWS];
	size_t n = zh_live_drops(w->live, drops, ROWS), i;
	char buf[64];
	const char *name, *place;
	uint64_t count = 0;

	for (i = 0; i < n; i++) {
		if (drops[i].netns != w->inode)
			continue;
		name = zh_live_reason(w->live, drops[i].reason, buf, sizeof(buf));
		place = zh_live_function(w->live, drops[i].location);
		if ((!name || !strcmp(name, reason)) && place && strstr(place, function))
			count += drops[i].count;
	}
	return count;
}

static void drops_are_counted(void **state)
{
	struct zh_live_config config = {.drops = true};
	struct world w;

	(void)state;
	set_up(&w, config);
	close(w.sink);
	w.sink = -1;
	send_packets(&w, DROPS);
	assert_int_equal(drops_of(&w, "NO_SOCKET", "udp"), DROPS);
	send_packets(&w, DROPS);
	assert_int_equal(drops_of(&w, "NO_SOCKET", "udp"), 2 * DROPS);
	tear_down(&w);
}

static uint64_t net_rx_runs(struct world *w)
{
	static struct zh_live_cpu cpus[1024];
	size_t n = zh_live_cpus(w->live, cpus, ZH_ARRAY_SIZE(cpus)), i;
	uint64_t runs = 0, ns = 0;

	for (i = 0; i < n; i++) {
		runs += cpus[i].softirq_runs[ZH_LIVE_NET_RX];
		ns += cpus[i].softirq_ns[ZH_LIVE_NET_RX];
	}
	assert_true(!runs == !ns);
	return runs;
}

/* A packet over lo that is sent from a task is taken up by a softirq of its own. */
static void softirqs_are_timed(void **state)
{
	struct zh_live_config config = {.softirq = true};
	struct world w;
	uint64_t before;

	(void)state;
	set_up(&w, config);
	assert_true(zh_live_has(w.live, "softirq"));
	assert_false(zh_live_has(w.live, "flows"));
	before = net_rx_runs(&w);
	send_packets(&w, PACKETS);
	assert_true(net_rx_runs(&w) - before >= PACKETS / 2);
	usleep(60000);
	send_packets(&w, PACKETS);
	assert_true(zh_live_cost_ns(w.live) > 0);
	tear_down(&w);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(flows_are_counted),
		cmocka_unit_test(flows_are_sampled),
		cmocka_unit_test(drops_are_counted),
		cmocka_unit_test(softirqs_are_timed),
	};

	why_not = testing_why_not();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
