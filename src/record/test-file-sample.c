/* SPDX-License-Identifier: BSD-2-Clause */
#include <stdio.h>
#include <string.h>

#include "base/util.h"
#include "record/test-file.h"
#include "stats/histogram.h"

static void histogram_freep(struct zh_histogram **histogram)
{
	zh_histogram_free(*histogram);
}

static void fill_run(struct zh_record *record)
{
	snprintf(record->command, sizeof(record->command), "doctor");
	snprintf(record->host, sizeof(record->host), "node-7");
	snprintf(record->kernel, sizeof(record->kernel), "6.1.0 x86_64");
	record->start_realtime_ns = 1700000000123456789;
	record->start_ns = 1000;
	record->end_ns = 9000000;
	record->n_cpus = 2;
	record->hz = 250;
	record->interrupted = true;
	record->overhead_bare_p50_ns = 5600;
	record->overhead_traced_p50_ns = 6400;
	record->overhead_cpu_share = 0.0123456789;
	zh_record_not_measured(record, "trace.qdisc", "no tracepoint 'qdisc_enqueue'");
	zh_record_counter(record, "trace.lost_events", 23);
	zh_record_counter(record, "trace.huge", UINT64_MAX);
	record->before.taken_ns = 900;
	record->after.taken_ns = 9100000;
	zh_fact_number(&record->before, 65536, "link.lo.mtu");
	zh_fact_number(&record->before, UINT64_MAX, "limit.memory_bytes");
	zh_fact_string(&record->before, "UP µ", "link.lo.state");
	zh_fact_string(&record->before, "", "kernel.command_line");
	zh_fact_unavailable(&record->after, "permission denied", "nft.rules");
	zh_fact_set_sort(&record->before);
	zh_fact_set_sort(&record->after);
}

static void fill_phase(struct zh_record *record, size_t i, size_t first, size_t n)
{
	struct zh_phase *phase = &record->phases[i];

	*phase = (struct zh_phase){.transport = ZH_TRANSPORT_UDP,
		.clean_room = i == 1,
		.traced = 1,
		.own_responder = 1,
		.gap_ns = 1000000,
		.timeout_ns = 1000000000,
		.size_bytes = 56,
		.first = (uint32_t)first,
		.n = (uint32_t)n,
		.prober_pid = 812,
		.responder_pid = 813,
		.start_ns = 1000,
		.end_ns = 9000000};
	snprintf(phase->label, sizeof(phase->label), "%s", i ? "clean-room" : "main");
	snprintf(phase->target, sizeof(phase->target), "udp:127.0.0.1:4000%zu", i);
	record->n_phases = i + 1;
}

static void fill_stamps(struct zh_record *record, struct zh_sample *sample, size_t n)
{
	size_t i;

	sample->stamps = (uint32_t)record->n_stamps;
	sample->n_stamps = (uint32_t)n;
	for (i = 0; i < n; i++)
		record->stamps[record->n_stamps++] =
			(struct zh_stamp){.ns = sample->send_ns + 100 * i,
				.arg = UINT32_MAX - (uint32_t)i,
				.point = (uint8_t)(1 + i % (ZH_POINT_MAX - 1)),
				.leg = i >= n / 2,
				.cpu = (uint16_t)(i % 2)};
}

static void fill_events(struct zh_record *record, struct zh_sample *sample)
{
	size_t i;

	sample->events = (uint32_t)record->n_events;
	sample->n_events = 4;
	for (i = 0; i < 4; i++)
		record->events[record->n_events++] =
			(struct zh_event){.ns = sample->send_ns + 50 * i,
				.pid = 4000000000u,
				.arg = 1,
				.arg2 = ZH_SWITCH_NEXT_RT,
				.cpu = 1,
				.type = (uint8_t)(1 + i % (ZH_EVENT_MAX - 1)),
				.flags = 255,
				.comm = "fifteen-chars-x"};
}

static void fill_sample(struct zh_record *record, size_t i, size_t n_stamps)
{
	struct zh_sample *sample = &record->samples[i];
	uint64_t ns = 1000000 + 1000000 * i;

	*sample = (struct zh_sample){.seq = (uint32_t)i,
		.intended_ns = ns,
		.send_ns = ns + 70,
		.sent_ns = ns + 3000,
		.recv_ns = ns + 6000 + i % 777,
		.peer_recv_ns = ns + 2000,
		.peer_send_ns = ns + 2100,
		.peer_sent_ns = ns + 4000,
		.ktx_ns = ns + 500,
		.krx_ns = ns + 5000,
		.send_cpu = 1,
		.recv_cpu = UINT16_MAX,
		.peer_cpu = 0,
		.bpf_ns = 17};
	sample->phase = (uint16_t)(i >= record->phases[0].n);
	if (i % 100 == 99) {
		sample->recv_ns = 0;
		sample->flags = ZH_SAMPLE_LOST | ZH_SAMPLE_SEND_FAILED;
		sample->send_errno = 105;
	}
	fill_stamps(record, sample, n_stamps);
	if (i % 10 == 0)
		fill_events(record, sample);
	record->n_samples = i + 1;
}

/* 0: a stream with a complete round 1 and an empty round 2; 1: paced, with histogram and losses. */
static bool fill_bench_cells(struct zh_record *record)
{
	const struct zh_bench_cell stream = {.transport = "unix-seqpacket-and-",
		.mode = ZH_BENCH_STREAM,
		.placement = ZH_PLACE_FREE,
		.spin = 1,
		.zerocopy = 1,
		.cpu = -1,
		.peer_cpu = -1,
		.size_bytes = 65536,
		.buf_bytes = 262144,
		.sndbuf_bytes = 425984,
		.rcvbuf_bytes = UINT32_MAX,
		.busy_poll_us = 50,
		.over = "veth",
		.congestion = "bbr",
		.why_not = "nothing µ",
		.napi_id = 8193};
	struct zh_bench_cell rate = stream;

	memset(rate.transport, 0, sizeof(rate.transport));
	memcpy(rate.transport, "udp", 3);
	rate.mode = ZH_BENCH_RATE;
	rate.placement = ZH_PLACE_CROSS_CPU;
	rate.cpu = 0;
	rate.peer_cpu = INT16_MAX;
	rate.gap_ns = 1000000;
	return zh_record_bench_cell(record, &stream) && zh_record_bench_cell(record, &rate);
}

static const struct zh_bench_round paced_round = {
	.cell = 1,
	.order = 2,
	.ended_early = 1,
	.start_ns = 7000,
	.elapsed_ns = 10000000,
	.messages = 10,
	.bytes = 640,
	.floor_elapsed_ns = 20000,
	.floor_messages = 10,
	.floor_bytes = 10,
	.floor_p50_ns = 1900,
	.cpu_ns = 30000,
	.peer_cpu_ns = 40000,
	.switches = 10,
	.peer_switches = 11,
	.preempted = 1,
	.peer_preempted = 2,
	.foreign_ns = 5000,
	.steal_ns = 6000,
	.foreign_unit_ns = 1000000,
	.sent = 13,
	.missing = 3,
	.zerocopy_done = 4,
	.zerocopy_copied = 3,
	.min_ns = 1000,
	.max_ns = 9000,
	.sum_ns = 19000,
};

static bool fill_bench_rounds(struct zh_record *record)
{
	static const struct zh_bench_loss losses[] = {
		{"socket drops (SK_MEMINFO_DROPS)", 2}, {"unattributed", UINT64_MAX}};
	const struct zh_bench_round stream = {.round = 1,
		.elapsed_ns = 1000000000,
		.bytes = 2000000000,
		.floor_elapsed_ns = 500000000,
		.floor_bytes = 2000000000};
	const struct zh_bench_round empty = {.round = 2, .order = 1};
	zh_cleanup(histogram_freep) struct zh_histogram *histogram = zh_histogram_new();
	int i;

	for (i = 0; histogram && i < 10; i++)
		zh_histogram_add(histogram, i < 4 ? 1000 : i < 9 ? 2000 : 9000);
	return histogram && zh_record_bench_round(record, &stream, NULL, NULL, 0) &&
	       zh_record_bench_round(
		       record, &paced_round, histogram, losses, ZH_ARRAY_SIZE(losses)) &&
	       zh_record_bench_round(record, &empty, NULL, NULL, 0);
}

static bool fill_bench(struct zh_record *record)
{
	const struct zh_bench_tool tool = {.cell = 1,
		.round = 65535,
		.tool = "sockperf",
		.version = "3.10",
		.mean_ns = 1,
		.p50_ns = 2,
		.p99_ns = 3,
		.max_ns = UINT64_MAX,
		.bytes_per_s = 5,
		.why_not = "it cannot"};

	return fill_bench_cells(record) && fill_bench_rounds(record) &&
	       zh_record_bench_tool(record, &tool);
}

struct zh_record *zh_test_record(size_t n_samples, size_t n_stamps)
{
	const struct zh_record_limits limits = {
		2, n_samples, n_samples * n_stamps, n_samples / 10 * 4 + 4};
	struct zh_record *record = zh_record_new(&limits);
	size_t i;

	if (!record)
		return NULL;
	fill_run(record);
	fill_phase(record, 0, 0, n_samples - n_samples / 4);
	fill_phase(record, 1, n_samples - n_samples / 4, n_samples / 4);
	for (i = 0; i < n_samples; i++)
		fill_sample(record, i, n_stamps);
	return fill_bench(record) ? record : zh_record_free(record);
}
