/* SPDX-License-Identifier: BSD-2-Clause */
/* The screen's pure parts: figures, sparkline, history, order, filter, columns, keys, page. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/clock.h"
#include "cmd/screen/frame.h"
#include "cmd/screen/test-readings.h"

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define LONGEST_MS 500 /* checks of each access take their time */
#endif
#endif
#ifndef LONGEST_MS
#define LONGEST_MS 50
#endif

static void figures_have_few_columns(void **state)
{
	static const struct {
		enum screen_kind kind;
		double value;
		const char *text;
	} cases[] = {{SCREEN_RATE, -1, "-"}, {SCREEN_RATE, 0, "0"}, {SCREEN_RATE, 0.01, "<0.1"},
		{SCREEN_RATE, 0.4, "0.4"}, {SCREEN_RATE, 9.94, "9.9"}, {SCREEN_RATE, 9.96, "10"},
		{SCREEN_RATE, 999.4, "999"}, {SCREEN_RATE, 999.6, "1.00k"},
		{SCREEN_RATE, 12345, "12.3k"}, {SCREEN_RATE, 99960, "100k"},
		{SCREEN_RATE, 1.234e6, "1.23M"}, {SCREEN_RATE, 5e9, "5.00G"},
		{SCREEN_RATE, 1e300, "999999P"}, {SCREEN_SHARE, -0.5, "-"}, {SCREEN_SHARE, 0, "0"},
		{SCREEN_SHARE, 0.0001, "<0.1"}, {SCREEN_SHARE, 0.973, "97.3"},
		{SCREEN_SHARE, 0.9996, "100"}, {SCREEN_SHARE, 2.5, "250"},
		{SCREEN_COUNT, 1000, "1000"}, {SCREEN_COUNT, 123456, "123k"},
		{SCREEN_NS, 812000, "812 us"}, {SCREEN_NS, 0, "0 ns"}, {SCREEN_NS, 0.0 / 0.0, "-"}};
	char text[16];

	(void)state;
	for (size_t i = 0; i < ZH_ARRAY_SIZE(cases); i++)
		assert_string_equal(
			screen_format(cases[i].kind, cases[i].value, text, sizeof(text)),
			cases[i].text);
}

static void long_names_keep_both_ends(void **state)
{
	char text[32];

	(void)state;
	assert_string_equal(screen_shorten("veth0", text, 5), "veth0");
	assert_string_equal(screen_shorten("pod shop/cart-x2x4z", text, 11), "pod s~x2x4z");
	assert_string_equal(screen_shorten("veth0", text, 1), "~");
	assert_string_equal(screen_shorten("veth0", text, 0), "");
}

static void sparklines_tell_nothing_from_not_known(void **state)
{
	static const float samples[] = {-1, 0, 0.001f, 0.5f, 1, 2};
	char text[64];

	(void)state;
	assert_string_equal(screen_sparkline(samples, 6, 1, false, text), " ▁▂▅██");
	assert_string_equal(screen_sparkline(samples, 6, 0, false, text), " ▁▂▄▅█");
	assert_string_equal(screen_sparkline(samples, 6, 1, true, text), " _.=##");
	assert_string_equal(screen_sparkline(samples, 2, 0, true, text), " _");
}

static void history_follows_rows_and_is_bounded(void **state)
{
	struct screen_history *history = screen_history_new();
	float got[4];

	(void)state;
	for (int reading = 1; reading <= 3; reading++) {
		screen_history_begin(history);
		screen_history_add(history, 7, reading);
		if (reading != 2)
			screen_history_add(history, 8, 10 * reading);
	}
	screen_history_get(history, 7, got, 4);
	assert_memory_equal(got, ((float[]){-1, 1, 2, 3}), sizeof(got));
	screen_history_get(history, 8, got, 4); /* it was away for one reading */
	assert_memory_equal(got, ((float[]){-1, 10, -1, 30}), sizeof(got));
	screen_history_get(history, 9, got, 4);
	assert_memory_equal(got, ((float[]){-1, -1, -1, -1}), sizeof(got));
	/* More rows than it takes, each seen once; then all are forgotten. */
	for (uint64_t i = 0; i < 3 * SCREEN_HISTORIES; i++)
		screen_history_add(history, 1000 + i, 1);
	assert_int_equal(screen_history_count(history), SCREEN_HISTORIES);
	for (int i = 0; i < 2 * SCREEN_SAMPLES; i++) {
		screen_history_begin(history);
		screen_history_add(history, 7, i);
	}
	assert_int_equal(screen_history_count(history), 1);
	screen_history_get(history, 7, got, 2);
	assert_float_equal(got[0], 2 * SCREEN_SAMPLES - 2, 0);
	screen_history_free(history);
}

static void history_of_a_row_that_was_away_long_has_gaps(void **state)
{
	struct screen_history *history = screen_history_new();
	float got[SCREEN_SAMPLES];

	(void)state;
	for (int i = 1; i <= 1000; i++) {
		screen_history_begin(history);
		if (i < 50 || i == 150 || i == 1000)
			screen_history_add(history, 7, i);
		screen_history_get(history, 7, got, SCREEN_SAMPLES);
		for (int back = 0; back < SCREEN_SAMPLES; back++) {
			int at = i - back;
			bool has = at > 0 && (at < 50 || at == 150 || at == 1000);
			float value = got[SCREEN_SAMPLES - 1 - back];

			/* A forgotten row has no history; what it has is never wrong. */
			assert_true(value == (has ? at : -1) || value == -1);
		}
	}
	assert_float_equal(got[SCREEN_SAMPLES - 1], 1000, 0);
	screen_history_free(history);
}

/* The first column's text of each line, or the title of those apart. */
static void assert_rows(const struct zh_top_reading *reading, enum screen_views view,
	const struct screen_order *order, const char *wanted)
{
	struct screen_table table;
	struct screen_layout layout = {.n = 1, .places[0].width = 20};
	struct screen_history *history = screen_history_new();
	struct screen_canvas canvas = {};
	zh_autobuf got = {};

	layout.places[0].column = view == SCREEN_FLOWS || view == SCREEN_DROPS;
	assert_int_equal(screen_table_make(&table, screen_views[view], reading, order), 0);
	assert_int_equal(screen_canvas_reset(&canvas, 10, 20), 0);
	screen_table_draw(&table, &layout, history, true, 0, &canvas, 0, 10);
	for (size_t i = 0; i < screen_table_lines(&table); i++) {
		screen_canvas_line(&canvas, i, &got);
		zh_buf_addc(&got, '|');
	}
	assert_string_equal(got.text ? got.text : "", wanted);
	screen_table_done(&table);
	screen_canvas_done(&canvas);
	screen_history_free(history);
}

static void rows_are_ordered_and_filtered(void **state)
{
	struct zh_top_reading reading;

	(void)state;
	test_small_reading(&reading);
	assert_rows(&reading, SCREEN_CPUS, &(struct screen_order){1, false, ""}, "1|0|");
	assert_rows(&reading, SCREEN_CPUS, &(struct screen_order){1, true, ""}, "0|1|");
	assert_rows(&reading, SCREEN_CPUS, &(struct screen_order){0, false, ""}, "0|1|");
	/* by DROP/s, then by packets */
	assert_rows(&reading, SCREEN_DEVICES, &(struct screen_order){4, false, ""},
		"eth0|vethcafe0001|eth0|mv0 (down)|");
	/* by name; equal ones by packets */
	assert_rows(&reading, SCREEN_DEVICES, &(struct screen_order){0, false, ""},
		"eth0|eth0|mv0 (down)|vethcafe0001|");
	assert_rows(
		&reading, SCREEN_DEVICES, &(struct screen_order){0, false, "BLUE"}, "mv0 (down)|");
	/* the peer's place, too */
	assert_rows(&reading, SCREEN_DEVICES, &(struct screen_order){0, false, "cart-"},
		"eth0|vethcafe0001|");
	assert_rows(&reading, SCREEN_DEVICES, &(struct screen_order){0, false, "none"}, "");
	assert_rows(&reading, SCREEN_DROPS, &(struct screen_order){0, true, ""},
		"NO_SOCKET|CPU_BACKLOG|freed, but no loss:|QUEUE_PURGE|");
	test_reading_done(&reading);
}

static void what_is_not_known_comes_last_either_way(void **state)
{
	struct zh_top_reading reading;

	(void)state;
	test_small_reading(&reading);
	reading.cpus[1].softirq_share[0] = -1;
	assert_rows(&reading, SCREEN_CPUS, &(struct screen_order){1, false, ""}, "0|1|");
	assert_rows(&reading, SCREEN_CPUS, &(struct screen_order){1, true, ""}, "0|1|");
	test_reading_done(&reading);
}

/* Columns never overlap or leave the window; a wider one never shows fewer. */
static void columns_fit_every_window(void **state)
{
	struct screen_layout layout;
	uint8_t wanted[SCREEN_COLUMNS];

	(void)state;
	for (size_t v = 0; v < SCREEN_VIEWS; v++) {
		size_t before = 0;

		for (size_t i = 0; i < screen_views[v]->n_columns; i++)
			wanted[i] = screen_views[v]->columns[i].max;

		for (size_t width = SCREEN_MIN_COLUMNS; width < 500; width++) {
			screen_layout_make(&layout, screen_views[v], width, wanted, false, 0);
			assert_true(layout.n >= before);
			before = layout.n;
			for (size_t i = 0; i < layout.n; i++) {
				size_t end = layout.places[i].at + layout.places[i].width;

				assert_true(end <= width);
				assert_true(i + 1 == layout.n || end < layout.places[i + 1].at);
			}
		}
		assert_int_equal(before, screen_views[v]->n_columns);
		/* Wide: the first stays, the last can be reached in any window. */
		screen_layout_make(&layout, screen_views[v], SCREEN_MIN_COLUMNS, wanted, true,
			screen_views[v]->n_columns - 1);
		assert_int_equal(layout.n, 2);
		assert_int_equal(layout.places[0].column, 0);
		assert_int_equal(layout.places[1].column, screen_views[v]->n_columns - 1);
	}
}

static bool shows(const struct screen_view *view, const char *title)
{
	static const uint8_t wanted[SCREEN_COLUMNS];
	struct screen_layout layout;

	screen_layout_make(&layout, view, SCREEN_MIN_COLUMNS, wanted, false, 0);
	for (size_t i = 0; i < layout.n; i++)
		if (!strcmp(view->columns[layout.places[i].column].title, title))
			return true;
	return false;
}

static void eighty_columns_show_what_matters(void **state)
{
	static const char *const wanted[SCREEN_VIEWS][10] = {
		{"CPU", "SOFTIRQ%", "NET_RX%", "LONGEST", "RX/s", "BACKLOG", "DROP/s", "SQUEEZE",
			"KSOFT%", "HISTORY"},
		{"DEVICE", "WHERE", "RX/s", "TX/s", "DROP/s", "REASON", "CPU", "HISTORY"},
		{"PKT/s", "CPU%", "FROM", "TO", "RECEIVER", "HISTORY"},
		{"DROP/s", "REASON", "DEVICE", "WHERE", "FUNCTION", "TOTAL", "HISTORY"}};

	(void)state;
	for (size_t v = 0; v < SCREEN_VIEWS; v++)
		for (size_t i = 0; i < 10 && wanted[v][i]; i++)
			assert_true(shows(screen_views[v], wanted[v][i]));
}

static void press(struct screen_state *state, const char *keys)
{
	struct screen_page page = {
		.lines = 18, .n_lines = 1000, .help_lines = 22, .n_help_lines = 50, .columns = 80};

	for (; *keys; keys++)
		screen_press(state, &page, *keys);
}

static void keys_choose(void **unused)
{
	struct screen_state state;

	(void)unused;
	screen_state_init(&state, SCREEN_CPUS, ZH_NSEC_PER_SEC);
	press(&state, "2");
	assert_int_equal(state.view, SCREEN_DEVICES);
	press(&state, "\t\t\t");
	assert_int_equal(state.view, SCREEN_CPUS);
	assert_int_equal(state.choices[SCREEN_CPUS].sorted_by, 1);
	press(&state, "s");
	assert_int_equal(state.choices[SCREEN_CPUS].sorted_by, 2);
	press(&state, "SSr");
	assert_int_equal(state.choices[SCREEN_CPUS].sorted_by, 0);
	assert_true(state.choices[SCREEN_CPUS].reverse);
	press(&state, "S"); /* around, and past the history */
	assert_string_equal(
		screen_view_cpus.columns[state.choices[SCREEN_CPUS].sorted_by].title, "WAIT%");
	assert_int_equal(state.choices[SCREEN_DEVICES].sorted_by, 4);
	press(&state, "p");
	assert_true(state.is_paused);
	press(&state, " ++");
	assert_false(state.is_paused);
	assert_int_equal(state.interval_ns, 5 * ZH_NSEC_PER_SEC);
	press(&state, "----------");
	assert_int_equal(state.interval_ns, 100 * ZH_NSEC_PER_MSEC);
	press(&state, "w?");
	assert_true(state.is_wide && state.has_help && !state.quits);
	press(&state, "\33q");
	assert_true(!state.has_help && state.quits);
}

static void a_filter_is_typed(void **unused)
{
	struct screen_state state;

	(void)unused;
	screen_state_init(&state, SCREEN_DEVICES, ZH_NSEC_PER_SEC);
	press(&state, "/q1?x\177");
	assert_true(state.is_typing && !state.quits && !state.has_help);
	assert_string_equal(state.filter, "q1?");
	assert_int_equal(state.view, SCREEN_DEVICES);
	press(&state, "\n1");
	assert_string_equal(state.filter, "q1?");
	assert_int_equal(state.view, SCREEN_CPUS);
	press(&state, "\33");
	assert_string_equal(state.filter, "");
	press(&state, "/");
	for (int i = 0; i < 200; i++)
		press(&state, "x");
	assert_int_equal(strlen(state.filter), SCREEN_FILTER - 1);
	press(&state, "\33");
	assert_true(!state.is_typing && !state.filter[0]);
}

static void scrolling_stops_at_the_ends(void **unused)
{
	struct screen_page page = {
		.lines = 18, .n_lines = 1000, .help_lines = 5, .n_help_lines = 7};
	struct screen_state state;
	size_t *first;

	(void)unused;
	screen_state_init(&state, SCREEN_DEVICES, ZH_NSEC_PER_SEC);
	first = &state.choices[SCREEN_DEVICES].first;
	screen_press(&state, &page, SCREEN_KEY_UP);
	assert_int_equal(*first, 0);
	screen_press(&state, &page, SCREEN_KEY_PAGE_DOWN);
	screen_press(&state, &page, SCREEN_KEY_DOWN);
	assert_int_equal(*first, 18);
	screen_press(&state, &page, SCREEN_KEY_END);
	screen_press(&state, &page, SCREEN_KEY_DOWN);
	assert_int_equal(*first, 982);
	page.n_lines = 20; /* rows went away */
	screen_press(&state, &page, SCREEN_KEY_UP);
	assert_int_equal(*first, 1);
	page.n_lines = 3;
	screen_press(&state, &page, SCREEN_KEY_DOWN);
	assert_int_equal(*first, 0);
	state.has_help = true;
	screen_press(&state, &page, SCREEN_KEY_END);
	assert_int_equal(state.help_first, 2);
	assert_int_equal(*first, 0);
}

static void names_cannot_move_the_cursor(void **state)
{
	struct screen_canvas canvas = {.utf8 = true};
	zh_autobuf line = {};

	(void)state;
	assert_int_equal(screen_canvas_reset(&canvas, 1, 20), 0);
	assert_int_equal(screen_put(&canvas, 0, 0, SIZE_MAX, SCREEN_PLAIN,
				 "a\33[2J\xc3\xa9\xff\x9b\xe4\xbd\xa0▁"),
		9);
	screen_canvas_line(&canvas, 0, &line);
	assert_string_equal(line.text, "a?[2Jé??▁");
	assert_int_equal(screen_put(&canvas, 0, 15, SIZE_MAX, SCREEN_PLAIN, "much too long"), 5);
	assert_int_equal(screen_put(&canvas, 1, 0, SIZE_MAX, SCREEN_PLAIN, "below"), 0);
	screen_canvas_done(&canvas);
}

/* Draws one page of the view and appends it to `out`. */
static void draw(const struct zh_top_reading *reading, struct screen_state *state, size_t lines,
	size_t columns, struct zh_buf *out)
{
	struct screen_history *history = screen_history_new();
	struct screen_frame frame = {
		.reading = reading, .history = history, .now_ns = TEST_TIME_NS, .ascii = true};
	struct screen_canvas canvas = {};
	struct screen_page page = {};

	screen_remember(history, reading);
	assert_int_equal(screen_canvas_reset(&canvas, lines, columns), 0);
	assert_int_equal(screen_frame_draw(&frame, state, &canvas, &page), 0);
	for (size_t i = 0; i < lines; i++) {
		screen_canvas_line(&canvas, i, out);
		zh_buf_addc(out, '\n');
	}
	screen_canvas_done(&canvas);
	screen_history_free(history);
}

static void a_page_says_what_matters(void **unused)
{
	struct zh_top_reading reading;
	struct screen_state state;
	zh_autobuf page = {}, small = {};

	(void)unused;
	test_small_reading(&reading);
	screen_state_init(&state, SCREEN_DEVICES, ZH_NSEC_PER_SEC);
	state.is_paused = true;
	draw(&reading, &state, 24, 80, &page);
	assert_non_null(strstr(page.text, "CPU 1 is full"));
	assert_non_null(strstr(page.text, "own cost 0.4% + BPF 1.1%"));
	assert_non_null(strstr(page.text, "PAUSED"));
	assert_non_null(strstr(page.text, "12.4k CPU_BACKLOG"));
	draw(&reading, &state, 23, 80, &small);
	assert_memory_equal(small.text, "terminal too small: 80x24 needed\n\n", 34);
	test_reading_done(&reading);
}

/* Whatever is pressed, in whatever window, on whatever reading: the page stays within its bounds.
 */
static void random_keys_never_leave_the_page(void **unused)
{
	static const int special[] = {SCREEN_KEY_UP, SCREEN_KEY_DOWN, SCREEN_KEY_LEFT,
		SCREEN_KEY_RIGHT, SCREEN_KEY_PAGE_UP, SCREEN_KEY_PAGE_DOWN, SCREEN_KEY_HOME,
		SCREEN_KEY_END, SCREEN_KEY_BACK_TAB, SCREEN_KEY_TAB, SCREEN_KEY_ENTER,
		SCREEN_KEY_ESC, SCREEN_KEY_BACKSPACE, SCREEN_KEY_CLEAR, -1};
	struct screen_history *history = screen_history_new();
	struct zh_record *notes = test_notes();
	struct zh_top_reading readings[3], empty = {};
	struct screen_canvas canvas = {};
	struct screen_page page = {};
	struct screen_state state;

	(void)unused;
	srand(4711);
	test_small_reading(&readings[0]);
	test_unknown_reading(&readings[1]);
	test_large_reading(&readings[2], 0);
	screen_state_init(&state, SCREEN_CPUS, ZH_NSEC_PER_SEC);
	for (int i = 0; i < 20000; i++) {
		int which = rand() % 5, key = rand() % 2 ? ' ' + rand() % 95 : special[rand() % 15];
		struct screen_frame frame = {.history = history, .notes = notes};

		frame.reading = which < 3 ? &readings[which] : which == 3 ? &empty : NULL;
		screen_press(&state, &page, key);
		if (i % 10 == 0) {
			assert_int_equal(screen_canvas_reset(&canvas, (size_t)(rand() % 60),
						 (size_t)(rand() % 300)),
				0);
			if (frame.reading)
				screen_remember(history, frame.reading);
		}
		assert_int_equal(screen_frame_draw(&frame, &state, &canvas, &page), 0);
		assert_true(
			state.choices[state.view].sorted_by < screen_views[state.view]->n_columns);
		assert_true(state.interval_ns >= 100 * ZH_NSEC_PER_MSEC);
	}
	screen_canvas_done(&canvas);
	screen_history_free(history);
	zh_record_free(notes);
	for (size_t i = 0; i < 3; i++)
		test_reading_done(&readings[i]);
}

/* Own CPU time of the fastest of some pages: nobody else's load is in it. */
static uint64_t page_ns(struct zh_top_reading *reading, struct screen_state *state)
{
	uint64_t best = UINT64_MAX;

	for (int i = 0; i < 10; i++) {
		zh_autobuf page = {};
		uint64_t start = zh_clock_ns(CLOCK_PROCESS_CPUTIME_ID);

		draw(reading, state, 24, 80, &page);
		best = ZH_MIN(best, zh_clock_ns(CLOCK_PROCESS_CPUTIME_ID) - start);
	}
	return best;
}

/* With all rows in, as a filter that all match and an order by text make it most expensive. */
static void large_machines_are_drawn_in_time(void **unused)
{
	struct zh_top_reading reading;
	struct screen_state state;
	uint64_t ns;

	(void)unused;
	test_large_reading(&reading, 0);
	screen_state_init(&state, SCREEN_DEVICES, ZH_NSEC_PER_SEC);
	state.choices[SCREEN_DEVICES].sorted_by = 1;
	memcpy(state.filter, "veth", 5);
	ns = page_ns(&reading, &state);
	print_message("# 256 CPUs, 1000 devices: %.2f ms a page\n", (double)ns / 1e6);
	assert_true(ns < LONGEST_MS * ZH_NSEC_PER_MSEC);
	test_reading_done(&reading);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(figures_have_few_columns),
		cmocka_unit_test(long_names_keep_both_ends),
		cmocka_unit_test(sparklines_tell_nothing_from_not_known),
		cmocka_unit_test(history_follows_rows_and_is_bounded),
		cmocka_unit_test(history_of_a_row_that_was_away_long_has_gaps),
		cmocka_unit_test(rows_are_ordered_and_filtered),
		cmocka_unit_test(what_is_not_known_comes_last_either_way),
		cmocka_unit_test(columns_fit_every_window),
		cmocka_unit_test(eighty_columns_show_what_matters),
		cmocka_unit_test(keys_choose),
		cmocka_unit_test(a_filter_is_typed),
		cmocka_unit_test(scrolling_stops_at_the_ends),
		cmocka_unit_test(names_cannot_move_the_cursor),
		cmocka_unit_test(a_page_says_what_matters),
		cmocka_unit_test(random_keys_never_leave_the_page),
		cmocka_unit_test(large_machines_are_drawn_in_time),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
