/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * 23 dropped probes of each kind: exactly 23 DROP stamps, with the kernel's reason by name.
 */
#include "trace/testing.h"

#include <linux/filter.h>
#include <netinet/in.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/util.h"
#include "trace/internal.h"

#define DROPS 23

static const char *why_not;

/* A UDP flow whose responder's socket nobody reads. */
struct bench {
	struct testing_flow flow;
	struct zh_record *record;
	struct zh_trace *trace;
};

static void set_up(struct bench *bench)
{
	static const struct zh_trace_config config = {.recorder = true, .packets = true};

	if (why_not) {
		print_message("skipped: %s\n", why_not);
		skip();
	}
	*bench = (struct bench){.flow = {.transport = ZH_TRANSPORT_UDP,
					.family = AF_INET,
					.address = "127.0.0.1",
					.size = 64,
					.deaf = true,
					.peer_netns_fd = -1}};
	bench->flow.netns_fd = testing_netns();
	bench->record = testing_record();
	bench->trace = testing_trace(&bench->flow, config, bench->record);
	testing_flow_open(&bench->flow, bench->trace);
	zh_trace_phase(bench->trace, ZH_TRANSPORT_UDP, 0);
	zh_trace_arm(bench->trace, true);
}

static void tear_down(struct bench *bench)
{
	testing_flow_close(&bench->flow);
	zh_trace_close(bench->trace, NULL);
	zh_record_free(bench->record);
	close(bench->flow.netns_fd);
}

/* Sends a probe that nobody answers; the name of the reason it was dropped for, or NULL. */
static const char *send_one(struct bench *bench, uint32_t seq)
{
	struct zh_sample sample;
	const char *reason = NULL;
	uint32_t i;

	testing_send(&bench->flow, seq, &sample);
	bench->record->n_stamps = 0;
	zh_trace_collect(bench->trace, bench->record, &sample);
	if (!testing_count(bench->record, &sample, ZH_POINT_DROP, 0))
		return NULL;
	assert_int_equal(testing_count(bench->record, &sample, ZH_POINT_DROP, 0), 1);
	assert_int_equal(testing_count(bench->record, &sample, ZH_POINT_RX, 0), 1);
	for (i = 0; i < sample.n_stamps; i++) {
		const struct zh_stamp *stamp = &bench->record->stamps[i];

		if (stamp->point == ZH_POINT_DROP)
			reason = zh_trace_drop_reason(bench->trace, stamp->arg);
	}
	return reason ? reason : "?";
}

static void drop_all(struct bench *bench, uint32_t first, const char *expected)
{
	const char *reason;
	uint32_t i;

	for (i = 0; i < DROPS; i++) {
		reason = send_one(bench, first + i);
		assert_non_null(reason);
		if (bench->trace->features.has_drop_reason)
			assert_string_equal(reason, expected);
	}
}

static void closed_port(void **state)
{
	struct bench bench;

	(void)state;
	set_up(&bench);
	close(zh_take_fd(&bench.flow.peer_fd));
	drop_all(&bench, 0, "NO_SOCKET");
	tear_down(&bench);
}

static void full_buffer(void **state)
{
	int bytes = 1; /* the kernel makes it its minimum */
	struct bench bench;
	uint32_t seq = 0;

	(void)state;
	set_up(&bench);
	assert_int_equal(
		setsockopt(bench.flow.peer_fd, SOL_SOCKET, SO_RCVBUF, &bytes, sizeof(bytes)), 0);
	while (!send_one(&bench, seq++))
		assert_true(seq < 1000);
	assert_true(seq > 1);
	drop_all(&bench, seq, "SOCKET_RCVBUFF");
	tear_down(&bench);
}

static void filtered(void **state)
{
	struct sock_filter reject = {.code = BPF_RET | BPF_K, .k = 0};
	struct sock_fprog program = {.len = 1, .filter = &reject};
	struct bench bench;

	(void)state;
	set_up(&bench);
	assert_int_equal(setsockopt(bench.flow.peer_fd, SOL_SOCKET, SO_ATTACH_FILTER, &program,
				 sizeof(program)),
		0);
	drop_all(&bench, 0, "SOCKET_FILTER");
	tear_down(&bench);
}

/* Echo replies are freed "without socket" after the raw socket got them: that is no drop. */
static void answered_is_not_dropped(void **state)
{
	struct bench bench;
	struct zh_sample sample;
	uint32_t i;

	(void)state;
	set_up(&bench);
	testing_flow_close(&bench.flow);
	bench.flow.transport = ZH_TRANSPORT_ICMP;
	testing_flow_open(&bench.flow, bench.trace);
	zh_trace_phase(bench.trace, ZH_TRANSPORT_ICMP, 0);
	for (i = 0; i < DROPS; i++) {
		testing_exchange(&bench.flow, i, &sample);
		assert_true(sample.recv_ns);
		zh_trace_collect(bench.trace, bench.record, &sample);
		assert_int_equal(testing_count(bench.record, &sample, ZH_POINT_DROP, 0), 0);
		assert_int_equal(testing_count(bench.record, &sample, ZH_POINT_DROP, 1), 0);
		assert_int_equal(testing_count(bench.record, &sample, ZH_POINT_SOCK, 1), 1);
	}
	tear_down(&bench);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(closed_port),
		cmocka_unit_test(full_buffer),
		cmocka_unit_test(filtered),
		cmocka_unit_test(answered_is_not_dropped),
	};

	why_not = testing_why_not();
	return cmocka_run_group_tests_name("trace-drops", tests, NULL, NULL);
}
