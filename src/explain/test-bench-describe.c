/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A benchmark's document, drawn as text and JSON and compared with tests/golden/bench.*; the JSON
 * is checked against doc/schema/bench.json by a test of its own. ZH_GOLDEN_UPDATE=1 writes the
 * files anew; look at the difference before keeping it.
 */
#include "explain/bench.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/buf.h"
#include "base/util.h"
#include "explain/test-bench-build.h"

static void add_pingpongs(struct zh_record *record)
{
	bench_pingpong(record, "tcp", ZH_PLACE_SAME_CPU,
		(struct bench_round){17800, 17700, 8600, 8500, 1, 1, 20000, {}});
	bench_pingpong(record, "tcp", ZH_PLACE_CROSS_CPU,
		(struct bench_round){27600, 27300, 8700, 8400, 1, 1, 20000, {}});
	bench_pingpong(record, "udp", ZH_PLACE_SAME_CPU,
		(struct bench_round){15800, 15500, 7600, 7400, 1, 1, 0, {.sent = 1000}});
	bench_pingpong(record, "udp", ZH_PLACE_CROSS_CPU,
		(struct bench_round){24600, 24200, 7700, 7400, 1, 1, 0, {.foreign_ns = 9000 * US}});
	bench_pingpong(record, "unix-stream", ZH_PLACE_SAME_CPU,
		(struct bench_round){22200, 22000, 10900, 10800, 2, 2, 0, {}});
	bench_pingpong(record, "unix-stream", ZH_PLACE_CROSS_CPU,
		(struct bench_round){15500, 15400, 6000, 6000, 1, 1, 0, {}});
}

static void add_streams(struct zh_record *record)
{
	struct zh_bench_cell udp = {.transport = "udp",
		.mode = ZH_BENCH_STREAM,
		.placement = ZH_PLACE_CROSS_CPU,
		.size_bytes = 65536,
		.buf_bytes = 1 << 20,
		.sndbuf_bytes = 425984,
		.rcvbuf_bytes = 425984};
	const struct zh_bench_loss losses[] = {
		{"socket drops (SK_MEMINFO_DROPS)", 23}, {"unattributed", 1}};
	uint32_t cell = bench_stream(record, "tcp", 65536,
		(struct bench_round){23000, 22500, 22900, 17000, 0.1, 0.2, 0, {}});

	snprintf(record->bench.cells[cell].congestion, 16, "bbr");
	bench_stream(record, "unix-stream", 65536,
		(struct bench_round){14000, 13900, 13000, 12800, 0.5, 0.5, 0, {}});
	cell = bench_cell(record, udp);
	bench_round(record, cell,
		(struct bench_round){
			30000, 0, 29000, 20000, 0, 0.5, 0, {.sent = 1024, .missing = 24}},
		losses, 2);
}

static void add_tools(struct zh_record *record)
{
	struct zh_bench_tool tool = {.cell = 1, .tool = "sockperf", .version = "3.10"};
	struct zh_bench_tool iperf = {.cell = 6, .tool = "iperf3", .version = "3.12"};
	struct zh_bench_tool unable = {.cell = 4,
		.tool = "sockperf",
		.version = "3.10",
		.why_not = "it knows no unix sockets before 3.8"};
	int i;

	for (i = 0; i < 3; i++) {
		tool.round = iperf.round = (uint16_t)i;
		tool.mean_ns = 29700 + 100 * (uint64_t)i;
		tool.p50_ns = 28200;
		tool.p99_ns = 69900;
		tool.max_ns = 900000;
		iperf.bytes_per_s = 1700000000;
		assert_true(zh_record_bench_tool(record, &tool));
		assert_true(zh_record_bench_tool(record, &iperf));
	}
	assert_true(zh_record_bench_tool(record, &unable));
}

static struct zh_record *make_record(void)
{
	struct zh_record *record = bench_new();

	add_pingpongs(record);
	add_streams(record);
	bench_cell(record, (struct zh_bench_cell){.transport = "shm",
				   .placement = ZH_PLACE_SAME_CPU,
				   .spin = 1,
				   .size_bytes = 1,
				   .why_not = "two sides that spin cannot share a CPU"});
	add_tools(record);
	zh_record_not_measured(record, "steal", "this kernel does not count it");
	return record;
}

/* Draws into memory. */
static char *draw(const struct zh_record *record, bool is_json, bool as_matrix)
{
	const struct zh_text_style style = {};
	struct zh_bench_analysis *analysis = bench_analyse(record);
	struct zh_doc *doc = zh_doc_new("bench");
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	assert_non_null(out);
	zh_bench_describe(analysis, record, as_matrix ? ZH_BENCH_HEAT_MAP : ZH_BENCH_TABLES,
		zh_doc_root(doc));
	assert_int_equal(
		is_json ? zh_render_json(doc, out, NULL) : zh_render_text(doc, &style, out, NULL),
		0);
	fclose(out);
	zh_doc_free(doc);
	zh_bench_analysis_free(analysis);
	return text;
}

static void assert_golden(const char *name, char *text)
{
	zh_autofree char *old = calloc(1, 100000);
	char path[300];
	FILE *file;

	snprintf(path, sizeof(path), "%s/%s", GOLDEN_DIR, name);
	file = fopen(path, getenv("ZH_GOLDEN_UPDATE") ? "w+" : "r");
	assert_non_null(file);
	assert_non_null(old);
	if (getenv("ZH_GOLDEN_UPDATE")) {
		fputs(text, file);
		rewind(file);
	}
	old[fread(old, 1, 99999, file)] = '\0';
	fclose(file);
	if (strcmp(old, text) != 0)
		fail_msg("%s differs from:\n%s", path, text);
	free(text);
}

static void assert_narrow(const char *text)
{
	const char *line;

	for (line = text; *line; line += strcspn(line, "\n") + 1) {
		size_t columns = 0, i;

		for (i = 0; line[i] && line[i] != '\n'; i++)
			columns += ((unsigned char)line[i] & 0xc0) != 0x80;
		assert_true(columns < 100);
	}
}

static void text_is_golden(void **state)
{
	struct zh_record *record = make_record();
	char *text = draw(record, false, false);

	(void)state;
	assert_narrow(text);
	assert_golden("bench.txt", text);
	zh_record_free(record);
}

static void json_is_golden(void **state)
{
	struct zh_record *record = make_record();
	char *json = draw(record, true, false);
	zh_autobuf text = {};
	char *version = strstr(json, "\"" ZH_VERSION "\"");

	(void)state;
	assert_non_null(version);
	zh_buf_add(&text, json, (size_t)(version - json));
	zh_buf_addf(&text, "\"@VERSION@\"%s", version + strlen("\"" ZH_VERSION "\""));
	assert_golden("bench.json", zh_buf_take(&text));
	free(json);
	zh_record_free(record);
}

/* What was kept in a file says the same. */
static void kept_records_say_the_same(void **state)
{
	char path[] = "/tmp/zh-test-bench-XXXXXX";
	struct zh_record *record = make_record(), *loaded = NULL;
	char *before = draw(record, true, false), *after;
	int fd = mkstemp(path);

	(void)state;
	assert_true(fd >= 0);
	close(fd);
	assert_int_equal(zh_record_save(record, path, NULL), 0);
	assert_int_equal(zh_record_load(path, &loaded, NULL), 0);
	unlink(path);
	after = draw(loaded, true, false);
	assert_string_equal(before, after);
	free(before);
	free(after);
	zh_record_free(record);
	zh_record_free(loaded);
}

/* Sizes, buffers and placements of two transports, one cell of which is not to be ranked. */
static void matrix_is_golden(void **state)
{
	static const uint32_t sizes[] = {1, 1024, 65536}, bufs[] = {0, 65536};
	struct zh_record *record = bench_new();
	struct bench_round round = {};
	char *text;
	size_t i;

	(void)state;
	for (i = 0; i < 24; i++) {
		struct zh_bench_cell cell = {
			.placement = i & 1 ? ZH_PLACE_CROSS_CPU : ZH_PLACE_SAME_CPU,
			.buf_bytes = bufs[i / 2 % 2],
			.size_bytes = sizes[i / 8]};

		snprintf(cell.transport, sizeof(cell.transport), "%s",
			i & 4 ? "unix-stream" : "tcp");
		round.rtt_ns = (15 + 7 * (i % 8) * (i % 8)) * US + cell.size_bytes;
		round.cpu_ns = round.peer_cpu_ns = 7 * US + cell.size_bytes / 4;
		round.also.ended_early = i == 9;
		bench_rounds(record, bench_cell(record, cell), round);
	}
	for (i = 0; i < 9; i++) {
		struct zh_bench_cell cell = {.transport = "pipe",
			.mode = ZH_BENCH_STREAM,
			.placement = (uint8_t)(i / 3),
			.buf_bytes = 65536u << 2 * (i % 3),
			.size_bytes = 65536};

		bench_rounds(record, bench_cell(record, cell),
			(struct bench_round){.rtt_ns = (10 + i) * US});
	}
	text = draw(record, false, true);
	assert_narrow(text);
	assert_golden("bench-matrix.txt", text);
	zh_record_free(record);
}

static void assert_headline(struct zh_record *record, const char *expected)
{
	char *text = draw(record, false, false);
	size_t i, len = strlen(expected);

	for (i = 0; text[i] && text[i] != '\n'; i++)
		;
	/* A headline may be wrapped. */
	for (i = 0; i < len && text[i]; i++)
		if (text[i] == '\n')
			text[i] = ' ';
	if (strncmp(text, expected, len) != 0 || text[len] != '\n')
		fail_msg("'%.*s' is not '%s'", (int)len + 40, text, expected);
	free(text);
	zh_record_free(record);
}

static void headlines(void **state)
{
	const struct bench_round fast = {.rtt_ns = 10 * US}, slow = {.rtt_ns = 20 * US};
	struct bench_round dirty = {.rtt_ns = 5 * US, .also = {.foreign_ns = 9000 * US}};
	struct zh_record *record = bench_new();

	(void)state;
	bench_pingpong(record, "tcp", ZH_PLACE_CROSS_CPU, slow);
	assert_headline(record, "tcp ping-pong: 20.0 us p50");

	record = bench_new();
	bench_pingpong(record, "tcp", ZH_PLACE_CROSS_CPU, slow);
	bench_pingpong(record, "pipe", ZH_PLACE_CROSS_CPU, slow);
	assert_headline(record, "tcp and pipe cannot be told apart: 20.0 us p50");

	/* The fastest figure is not the answer when it is not to be believed. */
	record = bench_new();
	bench_pingpong(record, "udp", ZH_PLACE_CROSS_CPU, dirty);
	bench_pingpong(record, "tcp", ZH_PLACE_CROSS_CPU, slow);
	bench_pingpong(record, "pipe", ZH_PLACE_CROSS_CPU, fast);
	assert_headline(record, "of what can be ranked, pipe is the fastest ping-pong: 10.0 us p50 "
				"(tcp 20.0 us); not ranked: udp (foreign)");

	record = bench_new();
	bench_pingpong(record, "udp", ZH_PLACE_CROSS_CPU, dirty);
	assert_headline(record, "udp ping-pong: 5.00 us p50 (foreign)");

	record = bench_new();
	bench_pingpong(record, "udp", ZH_PLACE_CROSS_CPU, dirty);
	bench_pingpong(record, "tcp", ZH_PLACE_CROSS_CPU, dirty);
	bench_pingpong(record, "pipe", ZH_PLACE_CROSS_CPU, fast);
	bench_pingpong(record, "unix-stream", ZH_PLACE_CROSS_CPU, dirty);
	dirty.n = 10;
	bench_pingpong(record, "unix-dgram", ZH_PLACE_CROSS_CPU, dirty);
	assert_headline(record,
		"of what can be ranked, pipe ping-pong: 10.0 us p50; not ranked: 4 of "
		"5 cells (foreign 4, short 1)");

	record = bench_new();
	bench_cell(record, (struct zh_bench_cell){.transport = "shm", .why_not = "no futex here"});
	record->interrupted = true;
	assert_headline(record, "no ping-pong could be measured: no futex here (interrupted: of "
				"what was measured until then)");

	record = bench_new();
	bench_pingpong(record, "udp", ZH_PLACE_CROSS_CPU, dirty);
	bench_pingpong(record, "tcp", ZH_PLACE_CROSS_CPU, dirty);
	assert_headline(record, "no ping-pong can be ranked: udp (foreign), tcp (foreign)");
}

static void benches_are_recognised(void **state)
{
	struct zh_record *record = bench_new();

	(void)state;
	assert_false(zh_bench_is(record));
	bench_cell(record, (struct zh_bench_cell){.transport = "tcp"});
	assert_true(zh_bench_is(record));
	zh_record_free(record);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(text_is_golden),
		cmocka_unit_test(json_is_golden),
		cmocka_unit_test(kept_records_say_the_same),
		cmocka_unit_test(matrix_is_golden),
		cmocka_unit_test(headlines),
		cmocka_unit_test(benches_are_recognised),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
