/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The stamps of 1009 probes of every transport, in a namespace of their own: each exactly once,
 * and none before the one it follows.
 */
#include "trace/testing.h"

#include <netinet/in.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/util.h"
#include "sys/net-config.h"
#include "sys/netns.h"
#include "trace/internal.h"

#define PROBES 1009
#define FIRST 7 /* phases do not start at 0 in general */

static const char *why_not;

/* What the sample must have, by point and leg: index [point][leg]. */
struct expected {
	unsigned int counts[ZH_POINT_MAX][2];
};

static const char *describe(
	const struct zh_record *record, const struct zh_sample *sample, char *buf, size_t size)
{
	size_t n = 0;
	uint32_t i;

	buf[0] = '\0';
	for (i = 0; i < sample->n_stamps && n < size; i++) {
		const struct zh_stamp *s = &record->stamps[sample->stamps + i];

		n += (size_t)snprintf(buf + n, size - n, " %u/%u@%lld", s->point, s->leg,
			(long long)(s->ns - sample->send_ns));
	}
	return buf;
}

/* Points that follow each other on the way of a packet, on lo; wake-ups may be anywhere. */
static const uint8_t way[] = {
	ZH_POINT_TX_QUEUE, ZH_POINT_TX_XMIT, ZH_POINT_NETIF_RX, ZH_POINT_RX, ZH_POINT_SOCK};

/* The time of the only stamp of that kind, or 0. */
static uint64_t time_of(
	const struct zh_record *record, const struct zh_sample *sample, uint8_t point, uint32_t leg)
{
	uint32_t i;

	for (i = 0; i < sample->n_stamps; i++) {
		const struct zh_stamp *s = &record->stamps[sample->stamps + i];

		if (s->point == point && s->leg == leg)
			return s->ns;
	}
	return 0;
}

static bool in_order(const struct zh_record *record, const struct zh_sample *sample)
{
	uint64_t last = sample->send_ns, ns;
	uint32_t leg;
	size_t i;

	for (leg = 0; leg < 2; leg++) {
		for (i = 0; i < ZH_ARRAY_SIZE(way); i++) {
			ns = time_of(record, sample, way[i], leg);
			if (ns && ns < last)
				return false;
			last = ns ? ns : last;
		}
	}
	return sample->recv_ns >= last;
}

static void check(const struct zh_record *record, const struct zh_sample *sample,
	const struct expected *expected)
{
	char text[2048];
	uint32_t point, leg;

	if (!in_order(record, sample))
		fail_msg("sample %u out of order:%s", sample->seq,
			describe(record, sample, text, sizeof(text)));
	for (point = 0; point < ZH_POINT_MAX; point++) {
		for (leg = 0; leg < 2; leg++) {
			if (point >= ZH_POINT_WAKING && point <= ZH_POINT_RUN)
				continue;
			if (testing_count(record, sample, point, leg) !=
				expected->counts[point][leg])
				fail_msg("sample %u, point %u leg %u: not %u times:%s", sample->seq,
					point, leg, expected->counts[point][leg],
					describe(record, sample, text, sizeof(text)));
		}
	}
}

struct tally {
	unsigned int wakings[2], runs[2], torn;
};

/* Runs the probes and checks each. Wake-ups are tallied: a thread need not sleep every time. */
static void run_flow(struct testing_flow *flow, struct zh_trace_config config,
	const struct expected *expected, struct tally *tally)
{
	struct zh_record *record = testing_record();
	struct zh_trace *trace = testing_trace(flow, config, record);
	struct zh_sample sample;
	uint32_t i, leg;

	memset(tally, 0, sizeof(*tally));
	testing_flow_open(flow, trace);
	zh_trace_phase(trace, flow->transport, FIRST);
	zh_trace_arm(trace, true);
	for (i = 0; i < PROBES; i++) {
		/* The reader of a Unix stream wakes the writer too: let it fall asleep again. */
		if (flow->transport == ZH_TRANSPORT_UNIX_STREAM)
			usleep(200);
		testing_exchange(flow, FIRST + i, &sample);
		assert_true(sample.recv_ns);
		record->n_stamps = 0;
		zh_trace_collect(trace, record, &sample);
		check(record, &sample, expected);
		for (leg = 0; leg < 2; leg++) {
			tally->wakings[leg] += testing_count(record, &sample, ZH_POINT_WAKING, leg);
			tally->runs[leg] += testing_count(record, &sample, ZH_POINT_RUN, leg);
		}
	}
	testing_flow_close(flow);
	zh_trace_close(trace, record);
	zh_record_free(record);
}

static const struct expected on_lo = {
	.counts = {[ZH_POINT_NETIF_RX] = {1, 1}, [ZH_POINT_RX] = {1, 1}, [ZH_POINT_SOCK] = {1, 1}}};
/* The kernel answers an echo request itself: no socket on leg 0. */
static const struct expected icmp_on_lo = {
	.counts = {[ZH_POINT_NETIF_RX] = {1, 1}, [ZH_POINT_RX] = {1, 1}, [ZH_POINT_SOCK] = {0, 1}}};

static const struct zh_trace_config packets = {.recorder = true, .packets = true};

static void on_own_lo(enum zh_transport_id transport, int family, uint32_t size,
	struct zh_trace_config config, const struct expected *expected, struct tally *tally)
{
	struct testing_flow flow = {.transport = transport,
		.family = family,
		.address = family == AF_INET ? "127.0.0.1" : "::1",
		.size = size,
		.peer_netns_fd = -1};

	if (why_not) {
		print_message("skipped: %s\n", why_not);
		skip();
	}
	flow.netns_fd = testing_netns();
	run_flow(&flow, config, expected, tally);
	close(flow.netns_fd);
}

static void icmp(void **state)
{
	struct tally tally;

	(void)state;
	on_own_lo(ZH_TRANSPORT_ICMP, AF_INET, 56, packets, &icmp_on_lo, &tally);
	on_own_lo(ZH_TRANSPORT_ICMP, AF_INET6, 56, packets, &icmp_on_lo, &tally);
}

static void udp(void **state)
{
	struct tally tally;

	(void)state;
	on_own_lo(ZH_TRANSPORT_UDP, AF_INET, 64, packets, &on_lo, &tally);
	/* A wait of a sleeping responder has all three; on a busy machine some are missing. */
	assert_true(tally.wakings[0] > PROBES / 4);
	assert_true(tally.runs[0] > PROBES / 4);
	on_own_lo(ZH_TRANSPORT_UDP, AF_INET6, 1400, packets, &on_lo, &tally);
}

static void tcp(void **state)
{
	struct tally tally;

	(void)state;
	on_own_lo(ZH_TRANSPORT_TCP, AF_INET, 64, packets, &on_lo, &tally);
	assert_true(tally.wakings[0] > PROBES / 4);
	on_own_lo(ZH_TRANSPORT_TCP, AF_INET6, 1024, packets, &on_lo, &tally);
}

static void unix_datagram(void **state)
{
	static const struct expected expected = {.counts = {[ZH_POINT_SOCK] = {1, 1}}};
	struct tally tally;

	(void)state;
	on_own_lo(ZH_TRANSPORT_UNIX_DGRAM, AF_INET, 64, packets, &expected, &tally);
	assert_true(tally.wakings[0] > PROBES / 4);
}

static void unix_stream(void **state)
{
	static const struct expected expected;
	struct tally tally;

	(void)state;
	on_own_lo(ZH_TRANSPORT_UNIX_STREAM, AF_INET, 64, packets, &expected, &tally);
	assert_true(tally.wakings[0] > PROBES / 4);
	assert_true(tally.runs[0] > PROBES / 4);
	assert_true(tally.wakings[1] > PROBES / 20);
}

static void with_sending_hooks(void **state)
{
	struct zh_trace_config config = packets;
	struct expected expected = on_lo;
	struct tally tally;

	(void)state;
	config.qdisc = true;
	config.softirq = config.softirq_detail = true;
	expected.counts[ZH_POINT_TX_QUEUE][0] = expected.counts[ZH_POINT_TX_QUEUE][1] = 1;
	expected.counts[ZH_POINT_TX_XMIT][0] = expected.counts[ZH_POINT_TX_XMIT][1] = 1;
	on_own_lo(ZH_TRANSPORT_UDP, AF_INET, 64, config, &expected, &tally);
	on_own_lo(ZH_TRANSPORT_TCP, AF_INET6, 64, config, &expected, &tally);
}

/* LOCAL_OUT, POST_ROUTING, PRE_ROUTING, LOCAL_IN: four hooks a leg. */
static void with_brackets(void **state)
{
	struct zh_trace_config config = packets;
	struct expected expected = on_lo;
	struct tally tally;
	int point;

	(void)state;
	config.netfilter = true;
	for (point = ZH_POINT_NF_IN; point <= ZH_POINT_NF_OUT; point++)
		expected.counts[point][0] = expected.counts[point][1] = 4;
	on_own_lo(ZH_TRANSPORT_UDP, AF_INET, 64, config, &expected, &tally);
	on_own_lo(ZH_TRANSPORT_UDP, AF_INET6, 64, config, &expected, &tally);
	on_own_lo(ZH_TRANSPORT_TCP, AF_INET, 64, config, &expected, &tally);
}

static int make_veth(int ns[2])
{
	static const char *const names[] = {"zhta", "zhtb"};
	static const char *const addresses[] = {"10.99.7.1/24", "10.99.7.2/24"};
	struct zh_netcfg *cfg = NULL;
	struct zh_err err = {};
	int i, r;

	for (i = 0; i < 2; i++)
		ns[i] = testing_netns();
	for (i = 0, r = 0; i < 2 && !r; i++) {
		r = zh_netcfg_open(ns[i], &cfg, &err);
		if (!r && i == 0)
			r = zh_netcfg_veth_add(cfg, names[0], names[1], ns[1], &err);
		if (!r)
			r = zh_netcfg_address_add(cfg, names[i], addresses[i], &err);
		if (!r)
			r = zh_netcfg_link_up(cfg, names[i], true, &err);
		cfg = zh_netcfg_close(cfg);
	}
	if (r)
		print_message("%s\n", err.text);
	return r;
}

static void over_veth(void **state)
{
	struct testing_flow flow = {.transport = ZH_TRANSPORT_UDP,
		.family = AF_INET,
		.address = "10.99.7.2",
		.size = 200};
	struct tally tally;
	int ns[2];

	(void)state;
	if (why_not)
		skip();
	assert_int_equal(make_veth(ns), 0);
	flow.netns_fd = ns[0];
	flow.peer_netns_fd = ns[1];
	run_flow(&flow, packets, &on_lo, &tally);
	flow.transport = ZH_TRANSPORT_TCP;
	run_flow(&flow, packets, &on_lo, &tally);
	close(ns[0]);
	close(ns[1]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(icmp),
		cmocka_unit_test(udp),
		cmocka_unit_test(tcp),
		cmocka_unit_test(unix_datagram),
		cmocka_unit_test(unix_stream),
		cmocka_unit_test(with_sending_hooks),
		cmocka_unit_test(with_brackets),
		cmocka_unit_test(over_veth),
	};

	why_not = testing_why_not();
	return cmocka_run_group_tests_name("trace-packets", tests, NULL, NULL);
}
