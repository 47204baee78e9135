/* SPDX-License-Identifier: BSD-2-Clause */
/* Each rule of why cells differ: figures that make it speak, and figures that do not. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/util.h"
#include "explain/bench-parts.h"
#include "explain/test-bench-build.h"

#define MS (1000 * US)

/* All sentences, as JSON; frees the record. */
static char *why_of(struct zh_record *record)
{
	struct zh_bench_analysis *analysis = bench_analyse(record);
	struct zh_doc *doc = zh_doc_new("bench");
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	assert_non_null(out);
	zh_bench_describe_why(analysis, zh_doc_root(doc));
	assert_int_equal(zh_render_json(doc, out, NULL), 0);
	fclose(out);
	zh_doc_free(doc);
	zh_bench_analysis_free(analysis);
	zh_record_free(record);
	return text;
}

static void assert_says(struct zh_record *record, const char *sentence)
{
	zh_autofree char *text = why_of(record);

	if (!strstr(text, sentence))
		fail_msg("'%s' is not in %s", sentence, text);
}

static void assert_does_not_say(struct zh_record *record, const char *part)
{
	zh_autofree char *text = why_of(record);

	if (strstr(text, part))
		fail_msg("'%s' is in %s", part, text);
}

static void assert_silent(struct zh_record *record)
{
	zh_autofree char *text = why_of(record);

	if (!strstr(text, "\"why\": []"))
		fail_msg("not silent: %s", text);
}

/* Ping-pong: RTT, CPU time of either side, switches of both. */
static struct bench_round costs(uint64_t rtt_ns, uint64_t cpu_ns, double switches)
{
	return (struct bench_round){.rtt_ns = rtt_ns,
		.cpu_ns = cpu_ns,
		.peer_cpu_ns = cpu_ns,
		.switches = switches / 2,
		.peer_switches = switches / 2,
		.n = 20000};
}

static struct zh_record *two_placements(struct bench_round one, struct bench_round two)
{
	struct zh_record *record = bench_new();

	bench_pingpong(record, "tcp", ZH_PLACE_SAME_CPU, one);
	bench_pingpong(record, "tcp", ZH_PLACE_CROSS_CPU, two);
	return record;
}

static void waking_another_cpu(void **state)
{
	struct bench_round disturbed = costs(28 * US, 9 * US, 2);

	(void)state;
	assert_says(two_placements(costs(18 * US, 9 * US, 2), costs(28 * US, 9 * US, 2)),
		"tcp takes 28.0 us across two CPUs and 18.0 us on one: across, 11.2 us of a round "
		"trip are no side's CPU time but waiting for the other CPU to wake; on one CPU "
		"792 ns.");
	assert_says(two_placements(costs(18 * US, 9 * US, 2), costs(28 * US, 14 * US, 2)),
		"tcp takes 28.0 us across two CPUs and 18.0 us on one: across, both sides spend "
		"28.0 us of CPU time on a round trip instead of 18.0 us: interrupting the other "
		"CPU to wake it, and moving data between caches, is work.");
	/* Half of each is neither. */
	assert_silent(two_placements(costs(18 * US, 9 * US, 2), costs(28 * US, 11600, 2)));
	/* Not longer at all. */
	assert_silent(two_placements(costs(18 * US, 9 * US, 2), costs(18 * US, 4 * US, 2)));
	/* CPU times that nobody measured are no zeros. */
	assert_silent(two_placements(costs(18 * US, 0, 2), costs(28 * US, 0, 2)));
	/* Nobody knows what disturbed it. */
	disturbed.also.foreign_ns = 900 * MS;
	assert_silent(two_placements(costs(18 * US, 9 * US, 2), disturbed));
}

static struct zh_record *two_transports(struct bench_round a, struct bench_round b)
{
	struct zh_record *record = bench_new();

	bench_pingpong(record, "unix-seqpacket", ZH_PLACE_SAME_CPU, a);
	bench_pingpong(record, "unix-stream", ZH_PLACE_SAME_CPU, b);
	return record;
}

static void more_switches(void **state)
{
	struct bench_round woken = costs(15 * US, 7 * US, 1.1), twice = costs(22 * US, 11 * US, 2);

	(void)state;
	assert_says(two_transports(costs(15 * US, 7 * US, 2), costs(22 * US, 11 * US, 4)),
		"unix-stream needs 4.0 context switches a round trip on one CPU where "
		"unix-seqpacket needs 2.0: 22.0 us against 15.0 us.");
	/* A side that is preempted by the one it wakes switches, too. */
	woken.also = (struct zh_bench_round){.preempted = 9000, .peer_preempted = 9000};
	twice.also = (struct zh_bench_round){.preempted = 10000, .peer_preempted = 10000};
	assert_says(two_transports(woken, twice),
		"unix-stream needs 3.0 context switches a round "
		"trip on one CPU where unix-seqpacket needs 2.0:");
	/* As many switches, and no more CPU time. */
	assert_silent(two_transports(costs(15 * US, 7 * US, 2), costs(22 * US, 7 * US, 2.1)));
	/* More switches, and yet not slower. */
	assert_silent(two_transports(costs(15 * US, 7 * US, 2), costs(15 * US, 7 * US, 4)));
}

static void more_work(void **state)
{
	(void)state;
	assert_says(two_transports(costs(15 * US, 7 * US, 2), costs(22 * US, 10 * US, 2)),
		"unix-stream spends 6.00 us more CPU time a round trip than unix-seqpacket on one "
		"CPU (both sides, 20.0 us against 14.0 us): most of the 7.31 us that it takes "
		"longer.");
	assert_silent(two_transports(costs(15 * US, 7 * US, 2), costs(22 * US, 8 * US, 2)));
}

/* Spinning and blocking tcp. */
static struct zh_record *spinning(struct bench_round spin, struct bench_round block)
{
	struct zh_record *record = bench_new();
	struct zh_bench_cell cell = {
		.transport = "tcp", .placement = ZH_PLACE_CROSS_CPU, .size_bytes = 1};

	bench_rounds(record, bench_cell(record, cell), block);
	cell.spin = 1;
	bench_rounds(record, bench_cell(record, cell), spin);
	return record;
}

static void spinning_saves_switches(void **state)
{
	(void)state;
	assert_says(spinning(costs(11 * US, 11 * US, 0), costs(28 * US, 9 * US, 4)),
		"Spinning saves tcp 4.0 context switches a round trip across two CPUs: 11.0 us "
		"instead of 28.0 us, for 22.0 us of CPU time instead of 18.0 us.");
	/* It switched as often: it did not spin. */
	assert_silent(spinning(costs(11 * US, 5 * US, 4), costs(28 * US, 9 * US, 4)));
	assert_silent(spinning(costs(28 * US, 28 * US, 0), costs(28 * US, 9 * US, 4)));
}

static struct zh_record *three_placements(uint64_t one, uint64_t two, uint64_t scheduled)
{
	struct zh_record *record = bench_new();

	/* All busy all the time, so that nobody waits. */
	bench_pingpong(record, "tcp", ZH_PLACE_SAME_CPU, costs(one, one, 2));
	bench_pingpong(record, "tcp", ZH_PLACE_CROSS_CPU, costs(two, two, 2));
	bench_pingpong(record, "tcp", ZH_PLACE_FREE, costs(scheduled, scheduled, 2));
	return record;
}

static void what_the_scheduler_does(void **state)
{
	(void)state;
	assert_says(three_placements(18 * US, 28 * US, 28 * US),
		"The scheduler runs tcp across two CPUs: left to it, the figures are those.");
	assert_says(
		three_placements(18 * US, 28 * US, 18 * US), "The scheduler runs tcp on one CPU:");
	assert_does_not_say(three_placements(18 * US, 28 * US, 23 * US), "The scheduler");
	assert_silent(three_placements(18 * US, 18 * US, 18 * US));
}

static struct zh_record *echo(double switches)
{
	struct zh_record *record = bench_new();

	bench_pingpong(record, "icmp", ZH_PLACE_SAME_CPU, costs(7 * US, 3 * US, switches));
	return record;
}

static void the_kernel_answers(void **state)
{
	(void)state;
	assert_says(echo(0.01), "icmp is answered by the kernel inside the send call: 0.01 context "
				"switches a round trip, nobody is woken.");
	assert_silent(echo(1));
}

static struct zh_record *rates(struct bench_round dense, struct bench_round rare)
{
	struct zh_record *record = bench_new();
	struct zh_bench_cell cell = {
		.transport = "udp", .placement = ZH_PLACE_CROSS_CPU, .size_bytes = 1};

	bench_rounds(record, bench_cell(record, cell), dense);
	cell.mode = ZH_BENCH_RATE;
	cell.gap_ns = 50 * MS;
	rare.n = 100;
	bench_rounds(record, bench_cell(record, cell), rare);
	return record;
}

static void rare_messages_find_cpus_asleep(void **state)
{
	(void)state;
	assert_says(rates(costs(27 * US, 8 * US, 2), costs(350 * US, 40 * US, 2)),
		"udp takes 27.0 us back to back and 350 us 20/s: of the 323 us more, 32.0 us are the "
		"peer's CPU time, the rest waiting: between rare messages both sides sleep, and a "
		"CPU must be woken for each.");
	assert_says(rates(costs(27 * US, 8 * US, 2), costs(60 * US, 30 * US, 2)),
		"udp takes 27.0 us back to back and 60.0 us 20/s: of the 33.0 us more, 22.0 us are "
		"the peer's CPU time for a message, whose caches are cold.");
	assert_silent(rates(costs(27 * US, 8 * US, 2), costs(27 * US, 8 * US, 2)));
}

static struct zh_record *one_stream(const struct zh_bench_cell *like, struct bench_round round)
{
	struct zh_record *record = bench_new();
	struct zh_bench_cell cell = *like;

	snprintf(cell.transport, sizeof(cell.transport), "tcp");
	cell.mode = ZH_BENCH_STREAM;
	cell.size_bytes = 65536;
	bench_rounds(record, bench_cell(record, cell), round);
	return record;
}

static void settings_that_matter(void **state)
{
	const struct bench_round round = {.rtt_ns = 20 * US};
	const struct zh_bench_cell bbr = {.congestion = "bbr"}, cubic = {.congestion = "cubic"};
	const struct zh_bench_cell veth = {.congestion = "bbr", .over = "veth"};

	(void)state;
	assert_says(one_stream(&bbr, round),
		"tcp runs under bbr, which paces what it sends by its "
		"own estimate of the bandwidth, also on the loopback:");
	assert_says(one_stream(&veth, round), "also over veth:");
	assert_silent(one_stream(&cubic, round));
}

static void placebos(void **state)
{
	const struct bench_round plain = {.rtt_ns = 20 * US};
	struct bench_round round = plain;
	const struct zh_bench_cell zerocopy = {.zerocopy = 1}, deaf = {.busy_poll_us = 50};
	const struct zh_bench_cell polling = {.busy_poll_us = 50, .napi_id = 8193};

	(void)state;
	round.also = (struct zh_bench_round){.zerocopy_done = 1000, .zerocopy_copied = 990};
	assert_says(one_stream(&zerocopy, round),
		"MSG_ZEROCOPY is a placebo for tcp with 64k here: "
		"99 % of the sends were copied after all.");
	round.also.zerocopy_copied = 10;
	assert_silent(one_stream(&zerocopy, round));
	assert_silent(one_stream(&zerocopy, plain));
	assert_says(one_stream(&deaf, plain), "SO_BUSY_POLL is a placebo for tcp: its packets come "
					      "from no NAPI instance that could be polled");
	assert_silent(one_stream(&polling, plain));
}

static void buffers_that_were_cut(void **state)
{
	const struct bench_round round = {.rtt_ns = 20 * US};
	const struct zh_bench_cell cut = {
		.buf_bytes = 1 << 20, .sndbuf_bytes = 2 << 20, .rcvbuf_bytes = 425984};
	const struct zh_bench_cell full = {
		.buf_bytes = 1 << 20, .sndbuf_bytes = 2 << 20, .rcvbuf_bytes = 2 << 20};
	const struct zh_bench_cell defaults = {.sndbuf_bytes = 212992, .rcvbuf_bytes = 212992};

	(void)state;
	assert_says(one_stream(&cut, round), "Buffers of 1M were asked for, 208k are in force for "
					     "tcp: net.core.rmem_max limits them.");
	assert_silent(one_stream(&full, round));
	assert_silent(one_stream(&defaults, round));
}

static void the_busy_side_limits(void **state)
{
	const struct zh_bench_cell two = {.placement = ZH_PLACE_CROSS_CPU};
	const struct zh_bench_cell one = {.placement = ZH_PLACE_SAME_CPU};
	const struct bench_round sending = {
		.rtt_ns = 20 * US, .cpu_ns = 19900, .peer_cpu_ns = 14000};
	const struct bench_round receiving = {
		.rtt_ns = 20 * US, .cpu_ns = 9000, .peer_cpu_ns = 19900};
	const struct bench_round both = {.rtt_ns = 20 * US, .cpu_ns = 19000, .peer_cpu_ns = 19900};

	(void)state;
	assert_says(one_stream(&two, sending), "tcp with 64k across two CPUs is limited by the "
					       "sending side, which is busy 100 % of the time, "
					       "the other 70 %.");
	assert_says(one_stream(&two, receiving), "limited by the receiving side");
	assert_silent(one_stream(&two, both));
	assert_silent(one_stream(&one, sending));
}

static struct zh_record *two_sizes(uint64_t small_ns, uint64_t large_ns)
{
	struct zh_record *record = bench_new();

	bench_stream(record, "tcp", 64,
		(struct bench_round){
			.rtt_ns = small_ns, .cpu_ns = small_ns, .peer_cpu_ns = small_ns});
	bench_stream(record, "tcp", 65536,
		(struct bench_round){
			.rtt_ns = large_ns, .cpu_ns = large_ns, .peer_cpu_ns = large_ns});
	return record;
}

static void small_messages_cost_more_a_byte(void **state)
{
	(void)state;
	assert_says(two_sizes(800, 20 * US),
		"A message of 64 B costs tcp 1.60 us of CPU time, one of 64k 40.0 us (both sides): a "
		"byte costs 41 times as much in small messages.");
	assert_silent(two_sizes(100, 100 * 1024));
}

/* A matrix does not say the same of every size, and lists stay lists. */
static void sentences_are_few(void **state)
{
	struct zh_record *record = bench_new();
	zh_autofree char *text = NULL;
	const char *at;
	size_t i, n = 0;

	(void)state;
	for (i = 0; i < 20; i++) {
		struct zh_bench_cell cell = {
			.transport = "tcp", .size_bytes = 1u << i, .placement = ZH_PLACE_SAME_CPU};

		bench_rounds(record, bench_cell(record, cell), costs(18 * US, 9 * US, 2));
		cell.placement = ZH_PLACE_CROSS_CPU;
		bench_rounds(record, bench_cell(record, cell), costs(28 * US, 9 * US, 2));
	}
	text = why_of(record);
	for (at = text; (at = strstr(at, "tcp takes")) != NULL; at++)
		n++;
	assert_int_equal(n, 4);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(waking_another_cpu),
		cmocka_unit_test(more_switches),
		cmocka_unit_test(more_work),
		cmocka_unit_test(spinning_saves_switches),
		cmocka_unit_test(what_the_scheduler_does),
		cmocka_unit_test(the_kernel_answers),
		cmocka_unit_test(rare_messages_find_cpus_asleep),
		cmocka_unit_test(settings_that_matter),
		cmocka_unit_test(placebos),
		cmocka_unit_test(buffers_that_were_cut),
		cmocka_unit_test(the_busy_side_limits),
		cmocka_unit_test(small_messages_cost_more_a_byte),
		cmocka_unit_test(sentences_are_few),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
