/* SPDX-License-Identifier: BSD-2-Clause */
#include "sys/bpf-stats.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <unistd.h>

#include <bpf/bpf.h>
#include <cmocka.h>

#include "base/util.h"

#define RUNS 1009

/* A tc program that does nothing, not attached to anything. */
static int load_program(void)
{
	static const struct bpf_insn nothing[] = {
		{.code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = BPF_REG_0, .imm = 0},
		{.code = BPF_JMP | BPF_EXIT}};

	return bpf_prog_load(BPF_PROG_TYPE_SCHED_CLS, "zh_test_cls", "GPL", nothing,
		ZH_ARRAY_SIZE(nothing), NULL);
}

static void runs_of_a_tc_program_are_counted(void **state)
{
	uint8_t packet[64] = {0};
	LIBBPF_OPTS(bpf_test_run_opts, opts, .data_in = packet, .data_size_in = sizeof(packet),
		.repeat = RUNS);
	struct zh_bpf_stats *stats = NULL;
	struct zh_bpf_stat stat;
	struct zh_err err = {};
	uint64_t runs = 0, ns = 0;
	zh_autoclose int fd = load_program();
	size_t i;
	int r;

	(void)state;
	if (fd < 0)
		skip(); /* BPF is not permitted */
	r = zh_bpf_stats_open(&stats, &err);
	if (r < 0) {
		print_message("skipped: %s\n", err.text);
		skip();
	}
	assert_non_null(stats);
	assert_int_equal(bpf_prog_test_run_opts(fd, &opts), 0);
	for (i = 0; i < zh_bpf_stats_count(stats); i++) {
		assert_int_equal(zh_bpf_stats_get(stats, i, &stat), 0);
		if (strcmp(stat.name, "zh_test_cls"))
			continue;
		runs += stat.run_count;
		ns += stat.run_time_ns;
	}
	/* Beyond 16 programs ours need not be among those watched. */
	if (r == 0) {
		assert_int_equal(runs, RUNS);
		assert_true(ns > 0);
		assert_true(zh_bpf_stats_read(stats) >= ns);
	}
	assert_null(zh_bpf_stats_close(stats));
}

static void nothing_to_watch_is_no_error(void **state)
{
	(void)state;
	assert_int_equal(zh_bpf_stats_read(NULL), 0);
	assert_int_equal(zh_bpf_stats_count(NULL), 0);
	assert_null(zh_bpf_stats_close(NULL));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(runs_of_a_tc_program_are_counted),
		cmocka_unit_test(nothing_to_watch_is_no_error),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
