/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * One document with every node and cell type, drawn in every style and compared byte for byte with
 * tests/golden/. ZH_GOLDEN_UPDATE=1 writes the files anew; look at the difference before keeping
 * it. "@VERSION@" in a golden file stands for the program's version.
 */
#include "report/doc.h"

#include <jansson.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/buf.h"
#include "base/util.h"
#include "report/utf8.h"

static void add_values(struct zh_node *root)
{
	struct zh_node *host, *deep;

	zh_node_line(root, "reply 0 from 127.0.0.1: 6.41 us");
	zh_node_line(root, "reply 1 from 127.0.0.1: 5.98 us");
	zh_node_text(root, "A paragraph for people. It is long enough to need a second line on a "
			   "page of ninety-nine columns, and it\nkeeps its own line breaks.");
	host = zh_node_object(root, "host", "Host");
	zh_node_value(host, "name", "name", zh_string("näme-with-ümlauts"));
	zh_node_value(host, "p50_ns", "round trip p50", zh_ns(6413));
	zh_node_value(host, "rmem_bytes", "receive buffer", zh_bytes(212992));
	zh_node_value(host, "copy_bytes_per_s", "copies", zh_bytes_per_s(2791728742));
	zh_node_value(host, "dropped_pkts", "dropped", zh_packets(1));
	zh_node_value(host, "received_pkts", "received", zh_packets(1009));
	zh_node_value(host, "cpus", "CPUs", zh_count(2));
	zh_node_value(host, "secret", NULL, zh_count(UINT64_MAX));
	zh_node_value(host, "steal_share", "steal", zh_share(0.0312));
	zh_node_value(host, NULL, "all", zh_share(1));
	zh_node_value(host, NULL, "nearly all", zh_share(0.9999));
	zh_node_value(host, "none_share", "no share", zh_share(0));
	zh_node_value(host, "p_value", "p-value", zh_real(0.00012345));
	zh_node_value(host, "nan", "not a number", zh_real(NAN));
	zh_node_value(host, "inf_share", "infinite", zh_share(INFINITY));
	zh_node_value(host, "virtual", "virtual", zh_bool(true));
	zh_node_value(host, "isolated", "isolated CPUs", zh_cpus("1,3-5"));
	zh_node_value(host, "nothing", "nothing", zh_null());
	zh_node_value(host, "missing", "missing text", zh_string(NULL));
	zh_node_value(host, "exit_ns", "idle exit",
		zh_unavailable("the hypervisor keeps its idle states to itself, so this machine "
			       "cannot know how long leaving one takes"));
	deep = zh_node_object(host, "deep", "One level deeper");
	zh_node_headline(deep, "answer", "A headline inside a section");
	zh_node_value(deep, "x", "x", zh_count(1));
	zh_node_object(host, "empty", "Not drawn: nothing in it");
	zh_node_value(zh_node_object(root, "machine", NULL), "y", "not drawn", zh_count(2));
	zh_node_value(zh_node_object(root, NULL, "For people only"), "z", "z", zh_count(3));
}

static void add_lists(struct zh_node *root)
{
	struct zh_node *list = zh_node_list(root, "notes", "Notes");

	zh_node_item(list, "short");
	zh_node_item(list,
		"an item that goes on for so long that it cannot stay on one line and has "
		"to hang under its own first word");
	zh_node_list(root, "no_notes", "No notes");
	zh_node_item(zh_node_list(root, "quiet", NULL), "JSON only");
}

static void add_tables(struct zh_node *root)
{
	static const struct zh_column columns[] = {{"id", "stage"}, {"p50_ns", "p50"},
		{"slow_share", "slow"}, {"count", "packets"}, {"on", "on"}, {"text", "remark"},
		{"internal", NULL}, {NULL, "for people"}};
	const struct zh_cell rows[][ZH_ARRAY_SIZE(columns)] = {
		{zh_string("tx-queue"), zh_ns(812), zh_share(0.005), zh_packets(1009), zh_bool(1),
			zh_string(
				"a remark that is far too long for its column and therefore has to "
				"be broken into several lines"),
			zh_count(1), zh_string("a")},
		{zh_string("run-queue"), zh_ns(4123456), zh_share(0.71), zh_null(), zh_bool(0),
			zh_string("short"), zh_count(2), zh_null()},
		{zh_string("softirq"), zh_unavailable("no tracepoint softirq_entry"), zh_share(NAN),
			zh_packets(23), zh_bool(1), zh_unavailable("no tracepoint softirq_entry"),
			zh_count(3), zh_unavailable("another reason")},
	};
	static const struct zh_column narrow[] = {{"gap_ns", "gap"}, {"n", "n"}};
	struct zh_node *table = zh_node_table(
			       root, "stages", "Stages", columns, ZH_ARRAY_SIZE(columns)),
		       *row;
	size_t i;

	for (i = 0; i < ZH_ARRAY_SIZE(rows); i++) {
		row = zh_node_row(table, rows[i]);
		zh_node_value(zh_node_object(row, "rtt", NULL), "max_ns", NULL, zh_ns(i));
	}
	zh_node_table(root, "empty_table", "No rows", narrow, 2);
	table = zh_node_table(root, "quiet_table", NULL, narrow, 2);
	zh_node_row(table, (struct zh_cell[]){zh_ns(1), zh_count(2)});
}

/* Bins of a quarter octave; a peak, a long empty stretch, and a few far outliers. */
static void add_charts(struct zh_node *root)
{
	enum { BINS = 64, SAMPLES = 1000 };
	uint64_t edges[BINS + 1], counts[BINS] = {}, values[SAMPLES];
	bool marks[SAMPLES] = {};
	size_t i;

	for (i = 0; i <= BINS; i++)
		edges[i] = (uint64_t)llround(1000 * exp2((double)i / 4));
	counts[10] = 3;
	counts[11] = 812;
	counts[12] = 140;
	counts[13] = 40;
	counts[42] = 4;
	counts[43] = 1;
	zh_node_histogram(root, "histogram", "RTT", edges, counts, BINS);
	zh_node_histogram(root, "even", "RTT, even", edges, (uint64_t[]){0, 5, 8, 2, 0}, 5);
	zh_node_histogram(root, "no_histogram", "RTT, nothing", edges, counts, 5);
	for (i = 0; i < SAMPLES; i++) {
		values[i] = 5000 + i * i % 977;
		if (i % 100 == 42) {
			values[i] = 1500000 + 1000 * i;
			marks[i] = true;
		}
	}
	values[500] = UINT64_MAX;
	zh_node_strip(root, "RTT in time", values, marks, SAMPLES);
	zh_node_strip(root, "Few and even", values, NULL, 30);
	zh_node_strip(root, "Only lost", values + 500, NULL, 1);
	zh_node_strip(root, "Not drawn: no samples", values, NULL, 0);
}

static void add_findings(struct zh_node *root)
{
	static const char *const evidence[] = {
		"23 of 31 slow samples waited in the run queue of CPU 1, 4.12 ms in the median, while "
		"'hog' (pid 812, SCHED_FIFO 50) ran",
		"the other CPU was idle", NULL};
	static const char *const remedies[] = {"cpu-affinity", "sched-policy", NULL};
	static const struct zh_finding_view views[] = {
		{"run-queue-wait", "cause", "critical", "high", true, 94761234, 0.713, 23,
			"The responder waited for its CPU while 'hog' (pid 812) ran.", evidence,
			remedies,
			"Move one of the two to another CPU, or give the responder a higher "
			"real-time priority than the hog has on this CPU.",
			"The other CPU loses that time."},
		{"lo-down", "check", "warning", "medium", false, 0, 0, 0, "lo is down.", NULL, NULL,
			"ip link set lo up", NULL},
		{"host-steal", "cause", "low", "low", true, 812, 0.004, 1, "The host took time.",
			NULL, NULL, NULL, NULL},
		{"note", "check", "info", "high", false, 0, 0, 0, "Just so.", NULL, NULL, NULL,
			NULL},
	};
	struct zh_node *findings = zh_node_findings(root, "findings", "Findings");
	size_t i;

	for (i = 0; i < ZH_ARRAY_SIZE(views); i++)
		zh_node_finding(findings, &views[i]);
	zh_node_findings(root, "no_findings", "No findings");
}

static void add_way(struct zh_node *root)
{
	static const char *const notes[] = {"nft inet filter output: policy accept",
		"a note that says so much about the chain that it needs more than one line of the "
		"picture to do so",
		NULL};
	static const struct zh_step_view steps[] = {
		{.place = "here",
			.kind = "socket",
			.title = "ICMP echo",
			.has_requests = true,
			.has_replies = true,
			.requests = 12,
			.replies = 9},
		{.place = "here",
			.kind = "netfilter",
			.hook = "output",
			.title = "output hook: 2 chains",
			.notes = notes,
			.has_requests = true,
			.requests = 12},
		{.place = "here",
			.kind = "tc",
			.dev = "veth-with-a-name",
			.unseen = "not permitted"},
		{.place = "netns blue",
			.kind = "device",
			.dev = "a-device-with-a-long-name",
			.title = "veth, MTU 1500",
			.unseen = "its offloads: not permitted",
			.has_requests = true,
			.has_replies = true,
			.requests = 9,
			.replies = 9},
		{.place = "netns blue", .kind = "routing", .title = "lookup", .ends = "no route"},
		{.place = "netns blue"},
	};
	struct zh_node *way = zh_node_way(root, "hops", "Way");
	size_t i;

	for (i = 0; i < ZH_ARRAY_SIZE(steps); i++)
		zh_node_step(way, &steps[i]);
	way = zh_node_way(root, "short_way", "A short way");
	zh_node_step(way, &steps[4]);
	zh_node_step(zh_node_way(root, "quiet_way", NULL), &steps[0]);
	zh_node_way(root, "no_hops", "No way");
}

static struct zh_doc *kitchen_sink(void)
{
	struct zh_doc *doc = zh_doc_new("doctor");
	struct zh_node *root = zh_doc_root(doc);

	add_values(root);
	zh_node_headline(root, "verdict", "4 findings: run-queue wait explains 71 % of the excess");
	add_lists(root);
	add_tables(root);
	add_charts(root);
	add_findings(root);
	add_way(root);
	return doc;
}

static char *read_file(const char *path)
{
	zh_autobuf buf = {};
	char part[4096];
	size_t len;
	FILE *f = fopen(path, "r");

	if (!f)
		return NULL;
	while ((len = fread(part, 1, sizeof(part), f)) > 0)
		zh_buf_add(&buf, part, len);
	fclose(f);
	return zh_buf_take(&buf);
}

/* `text` with every `from` replaced. */
static char *replace(const char *text, const char *from, const char *to)
{
	zh_autobuf buf = {};
	const char *hit;

	while ((hit = strstr(text, from))) {
		zh_buf_add(&buf, text, (size_t)(hit - text));
		zh_buf_adds(&buf, to);
		text = hit + strlen(from);
	}
	zh_buf_adds(&buf, text);
	return zh_buf_take(&buf);
}

static void compare(const char *name, const char *text)
{
	zh_autofree char *golden = NULL, *raw = NULL;
	char path[500];
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s", GOLDEN_DIR, name);
	if (getenv("ZH_GOLDEN_UPDATE")) {
		f = fopen(path, "w");
		assert_non_null(f);
		raw = replace(
			text, "\"zerohop\": \"" ZH_VERSION "\"", "\"zerohop\": \"@VERSION@\"");
		fputs(raw, f);
		assert_int_equal(fclose(f), 0);
		return;
	}
	raw = read_file(path);
	if (!raw)
		fail_msg("cannot read %s", path);
	golden = replace(raw, "@VERSION@", ZH_VERSION);
	assert_string_equal(text, golden);
}

static char *text_of(const struct zh_doc *doc, struct zh_text_style style)
{
	char *text = NULL;
	size_t size;
	FILE *f = open_memstream(&text, &size);

	assert_int_equal(zh_render_text(doc, &style, f, NULL), 0);
	fclose(f);
	return text;
}

static char *json_of(const struct zh_doc *doc)
{
	char *text = NULL;
	size_t size;
	FILE *f = open_memstream(&text, &size);

	assert_int_equal(zh_render_json(doc, f, NULL), 0);
	fclose(f);
	return text;
}

static void text_is_golden(void **state)
{
	zh_autofree char *plain = text_of(*state, (struct zh_text_style){});
	zh_autofree char *ascii = text_of(*state, (struct zh_text_style){.ascii = true});
	zh_autofree char *color = text_of(*state, (struct zh_text_style){.color = true});
	zh_autofree char *narrow = text_of(*state, (struct zh_text_style){.width = 60});

	compare("document.txt", plain);
	compare("document-ascii.txt", ascii);
	compare("document-color.txt", color);
	compare("document-60.txt", narrow);
}

/* At any width: no line wider than the page, no trailing blank, no two empty lines in a row. */
static void pages_keep_their_width(void **state)
{
	unsigned int width;

	for (width = 40; width <= 140; width += 7) {
		zh_autofree char *page = text_of(*state, (struct zh_text_style){.width = width});
		char *line, *rest = page;
		bool was_empty = true;

		while ((line = strsep(&rest, "\n")) && rest) {
			size_t len = strlen(line);

			assert_true(zh_utf8_columns(line, len) <= width);
			assert_false(len > 0 && line[len - 1] == ' ');
			assert_false(len == 0 && was_empty);
			was_empty = len == 0;
		}
		assert_false(was_empty);
	}
}

static void ascii_has_the_same_shape(void **state)
{
	zh_autofree char *plain = text_of(*state, (struct zh_text_style){});
	zh_autofree char *ascii = text_of(*state, (struct zh_text_style){.ascii = true});
	size_t i;

	assert_int_equal(strlen(ascii), zh_utf8_columns(plain, strlen(plain)));
	for (i = 0; ascii[i]; i++)
		assert_true(ascii[i] == '\n' || (ascii[i] >= ' ' && ascii[i] < 127));
}

static void json_is_golden_and_parses(void **state)
{
	zh_autofree char *text = json_of(*state);
	json_t *root, *part;

	compare("document.json", text);
	/* Rejecting duplicates and trailing text proves that it is exactly one document. */
	root = json_loads(text, JSON_REJECT_DUPLICATES, NULL);
	assert_non_null(root);
	assert_string_equal(json_object_iter_key(json_object_iter(root)), "zerohop");
	assert_string_equal(json_string_value(json_object_get(root, "zerohop")), ZH_VERSION);
	assert_int_equal(json_integer_value(json_object_get(root, "schema")), 1);
	assert_string_equal(json_string_value(json_object_get(root, "command")), "doctor");
	part = json_object_get(root, "host");
	assert_true(json_integer_value(json_object_get(part, "secret")) == INT64_MAX);
	assert_true(json_is_null(json_object_get(part, "nan")));
	assert_true(json_is_null(json_object_get(part, "inf_share")));
	assert_true(json_is_null(json_object_get(part, "exit_ns")));
	assert_true(json_is_null(json_object_get(part, "nothing")));
	assert_true(json_is_true(json_object_get(part, "virtual")));
	part = json_array_get(json_object_get(root, "stages"), 1);
	assert_int_equal(json_integer_value(json_object_get(part, "p50_ns")), 4123456);
	assert_int_equal(
		json_integer_value(json_object_get(json_object_get(part, "rtt"), "max_ns")), 1);
	part = json_array_get(json_object_get(root, "findings"), 1);
	assert_true(json_is_null(json_object_get(part, "attributed_ns")));
	assert_int_equal(json_array_size(json_object_get(part, "evidence")), 0);
	part = json_object_get(root, "histogram");
	assert_int_equal(json_array_size(json_object_get(part, "edges_ns")), 65);
	assert_int_equal(json_array_size(json_object_get(part, "counts")), 64);
	json_decref(root);
}

static int setup(void **state)
{
	*state = kitchen_sink();
	return *state ? 0 : -1;
}

static int teardown(void **state)
{
	*state = zh_doc_free(*state);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(text_is_golden),
		cmocka_unit_test(pages_keep_their_width),
		cmocka_unit_test(ascii_has_the_same_shape),
		cmocka_unit_test(json_is_golden_and_parses),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
