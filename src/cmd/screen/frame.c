/* SPDX-License-Identifier: BSD-2-Clause */
#include "cmd/screen/frame.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/util.h"

#define ANSWER_LINE 1
#define WIDE_COLUMNS 120 /* from here on the answer needs a line less */

static size_t answer_lines(const struct screen_canvas *canvas)
{
	return canvas->columns < WIDE_COLUMNS ? 3 : 2;
}

static size_t status_line(const struct screen_canvas *canvas)
{
	return ANSWER_LINE + answer_lines(canvas);
}

/* Titles; rows below. */
static size_t table_line(const struct screen_canvas *canvas)
{
	return status_line(canvas) + 1;
}

static double seconds(uint64_t ns)
{
	return (double)ns / ZH_NSEC_PER_SEC;
}

static void draw_views(const struct screen_frame *frame, const struct screen_state *state,
	struct screen_canvas *canvas)
{
	size_t at = screen_put(canvas, 0, 0, SIZE_MAX, SCREEN_STRONG, "zerohop top") + 2;
	const struct zh_top_reading *reading = frame->reading;
	char right[80] = "", clock[16] = "";

	for (size_t i = 0; i < SCREEN_VIEWS; i++)
		at += screen_putf(canvas, 0, at, i == state->view ? SCREEN_BAR : SCREEN_PLAIN,
			" %zu %s ", i + 1, screen_views[i]->name);
	if (reading) {
		time_t time = (time_t)(reading->time_ns / ZH_NSEC_PER_SEC);
		uint64_t age_ns = frame->now_ns - ZH_MIN(frame->now_ns, reading->time_ns);
		struct tm local;

		if (localtime_r(&time, &local))
			strftime(clock, sizeof(clock), "%H:%M:%S", &local);
		snprintf(right, sizeof(right), "%s age %.0fs every %gs", clock, seconds(age_ns),
			seconds(state->interval_ns));
	}
	if (strlen(right) + at < canvas->columns)
		screen_put(
			canvas, 0, canvas->columns - strlen(right), SIZE_MAX, SCREEN_PLAIN, right);
}

static void draw_answer(const struct screen_frame *frame, struct screen_canvas *canvas)
{
	char answer[400] = "counting: the first reading comes in a second";
	enum screen_tone tone = SCREEN_PLAIN;
	const char *rest = answer;

	if (frame->reading && zh_top_answer(frame->reading, answer, sizeof(answer)))
		tone = SCREEN_BAD;
	for (size_t i = 0; i < answer_lines(canvas) && *rest; i++) {
		size_t length = screen_line_length(rest, canvas->columns);

		screen_put(canvas, ANSWER_LINE + i, 0, length, tone, rest);
		rest += length;
		rest += strspn(rest, " ");
	}
	if (*rest)
		screen_put(canvas, status_line(canvas) - 1, canvas->columns - 1, 1, tone, "~");
}

/* "own cost 0.3% + BPF 0.8%"; a cost that matters stands out. */
static size_t draw_cost(const struct zh_top_reading *reading, struct screen_canvas *canvas)
{
	char own[16], bpf[16];
	double sum = ZH_MAX(reading->own_cpu_share, 0.0) + ZH_MAX(reading->own_bpf_share, 0.0);

	screen_format(SCREEN_SHARE, reading->own_cpu_share, own, sizeof(own));
	screen_format(SCREEN_SHARE, reading->own_bpf_share, bpf, sizeof(bpf));
	return screen_putf(canvas, status_line(canvas), 0, sum > 0.05 ? SCREEN_WARN : SCREEN_DIM,
		"own cost %s%% + BPF %s%%", own, bpf);
}

static void draw_status(const struct screen_frame *frame, const struct screen_state *state,
	const struct screen_table *table, const struct screen_page *page,
	struct screen_canvas *canvas)
{
	const struct screen_choice *choice = &state->choices[state->view];
	const struct screen_column *sorted = &table->view->columns[choice->sorted_by];
	size_t line = status_line(canvas), at = draw_cost(frame->reading, canvas) + 2;

	if (state->is_paused)
		at += screen_put(canvas, line, at, SIZE_MAX, SCREEN_BAR, " PAUSED ") + 2;
	if (table->n)
		at += screen_putf(canvas, line, at, SCREEN_PLAIN, "%zu-%zu of %zu",
			      choice->first + 1, ZH_MIN(choice->first + page->lines, page->n_lines),
			      page->n_lines) +
		      2;
	at += screen_putf(canvas, line, at, SCREEN_PLAIN, "by %s%s", sorted->title,
		      choice->reverse ? " reversed" : "") +
	      2;
	if (frame->reading->window_ns)
		at += screen_putf(canvas, line, at, SCREEN_PLAIN, "counted %.0f ms",
			      seconds(frame->reading->window_ns) * 1000) +
		      2;
	if (frame->reading->lost)
		at += screen_putf(canvas, line, at, SCREEN_WARN, "%llu rows lost",
			      (unsigned long long)frame->reading->lost) +
		      2;
	if (frame->notes && frame->notes->n_not_measured)
		at += screen_putf(canvas, line, at, SCREEN_WARN, "%zu not measured: ?",
			      frame->notes->n_not_measured) +
		      2;
	if (state->filter[0] && !state->is_typing)
		screen_putf(canvas, line, at, SCREEN_WARN, "filter \"%s\"", state->filter);
}

static void draw_keys(const struct screen_state *state, struct screen_canvas *canvas)
{
	size_t line = canvas->lines - 1, at;

	if (state->is_typing) {
		at = screen_putf(canvas, line, 0, SCREEN_STRONG, "/%s", state->filter);
		at += screen_put(canvas, line, at, 1, SCREEN_BAR, " ");
		screen_put(canvas, line, at + 2, SIZE_MAX, SCREEN_DIM,
			"Enter keeps the filter, Esc ends it");
		return;
	}
	screen_put(canvas, line, 0, SIZE_MAX, SCREEN_DIM,
		state->has_help ? "? or Esc back  arrows, PgUp, PgDn scroll  q quit"
				: "? help  / filter  s sort  r reverse  p pause  +/- interval  "
				  "w wide  q quit");
}

static int draw_table(const struct screen_frame *frame, struct screen_state *state,
	struct screen_canvas *canvas, struct screen_page *page)
{
	const struct screen_view *view = screen_views[state->view];
	struct screen_choice *choice = &state->choices[state->view];
	struct screen_order order = {choice->sorted_by, choice->reverse, state->filter};
	struct screen_layout layout;
	struct screen_table table;

	if (screen_table_make(&table, view, frame->reading, &order) < 0)
		return -ENOMEM;
	page->lines = canvas->lines - table_line(canvas) - 2;
	page->n_lines = screen_table_lines(&table);
	choice->first = screen_first_line(choice->first, page->lines, page->n_lines);
	screen_table_measure(&table, choice->first, page->lines, choice->wanted);
	screen_layout_make(
		&layout, view, canvas->columns, choice->wanted, state->is_wide, choice->skip);
	draw_status(frame, state, &table, page, canvas);
	screen_table_titles(&table, &layout, choice->sorted_by, canvas, table_line(canvas));
	screen_table_draw(&table, &layout, frame->history, frame->ascii, choice->first, canvas,
		table_line(canvas) + 1, page->lines);
	if (!table.n)
		screen_put(canvas, table_line(canvas) + 1, 0, SIZE_MAX, SCREEN_DIM,
			screen_rows(view, frame->reading) ? "no row has the text of the filter"
							  : view->empty(frame->reading));
	screen_table_done(&table);
	return 0;
}

static int draw_help(const struct screen_frame *frame, struct screen_state *state,
	struct screen_canvas *canvas, struct screen_page *page)
{
	zh_autobuf text = {};
	char *rest, *line;
	size_t i = 0;

	screen_help(screen_views[state->view], frame->notes, canvas->columns, &text);
	if (text.failed)
		return -ENOMEM;
	page->help_lines = canvas->lines - 2;
	page->n_help_lines = 0;
	for (const char *c = text.text; *c; c++)
		page->n_help_lines += *c == '\n';
	state->help_first =
		screen_first_line(state->help_first, page->help_lines, page->n_help_lines);
	for (rest = text.text; (line = strsep(&rest, "\n")); i++)
		if (i >= state->help_first && i - state->help_first < page->help_lines)
			screen_put(
				canvas, 1 + i - state->help_first, 0, SIZE_MAX, SCREEN_PLAIN, line);
	return 0;
}

int screen_frame_draw(const struct screen_frame *frame, struct screen_state *state,
	struct screen_canvas *canvas, struct screen_page *ret_page)
{
	int r = 0;

	if (canvas->lines < SCREEN_MIN_LINES || canvas->columns < SCREEN_MIN_COLUMNS) {
		screen_putf(canvas, 0, 0, SCREEN_PLAIN, "terminal too small: %dx%d needed",
			SCREEN_MIN_COLUMNS, SCREEN_MIN_LINES);
		return 0;
	}
	ret_page->columns = canvas->columns;
	draw_views(frame, state, canvas);
	draw_keys(state, canvas);
	if (state->has_help)
		return draw_help(frame, state, canvas, ret_page);
	draw_answer(frame, canvas);
	if (frame->reading)
		r = draw_table(frame, state, canvas, ret_page);
	return r;
}

void screen_remember(struct screen_history *history, const struct zh_top_reading *reading)
{
	screen_history_begin(history);
	for (size_t v = 0; v < SCREEN_VIEWS; v++) {
		const struct screen_view *view = screen_views[v];

		for (size_t i = 0; i < screen_rows(view, reading); i++) {
			const void *row = screen_row(view, reading, i);

			screen_history_add(history, view->identity(row), view->figure(row));
		}
	}
}
