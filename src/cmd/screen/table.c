/* SPDX-License-Identifier: BSD-2-Clause */
#include "cmd/screen/table.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/util.h"

#define TEXT 128 /* the longest text of a cell; with its end */

struct key {
	size_t row;
	bool is_apart;
	double figure, tie;
	char text[64];
};

static bool matches(const struct screen_view *view, const void *row, const char *filter)
{
	char text[TEXT];

	for (size_t i = 0; i < view->n_columns; i++) {
		if (!view->columns[i].text)
			continue;
		view->columns[i].text(row, text, sizeof(text));
		if (strcasestr(text, filter))
			return true;
	}
	return false;
}

static int by_figure(double a, double b, bool reverse)
{
	bool has_a = a >= 0, has_b = b >= 0;

	if (!has_a || !has_b)
		return has_b - has_a;
	if (a == b)
		return 0;
	return (a > b) != reverse ? -1 : 1;
}

static int compare(const void *left, const void *right, void *context)
{
	const struct screen_order *order = context;
	const struct key *a = left, *b = right;
	int by = a->is_apart - b->is_apart;

	if (!by)
		by = by_figure(a->figure, b->figure, order->reverse);
	if (!by)
		by = strverscmp(a->text, b->text) * (order->reverse ? -1 : 1);
	if (!by)
		by = by_figure(a->tie, b->tie, false);
	return by ? by : (a->row > b->row) - (a->row < b->row);
}

static struct key *make_keys(const struct screen_table *table, const struct screen_order *order,
	size_t n_rows, size_t *ret_n)
{
	const struct screen_view *view = table->view;
	const struct screen_column *column = &view->columns[order->sorted_by];
	struct key *keys = calloc(n_rows + 1, sizeof(*keys));

	*ret_n = 0;
	for (size_t i = 0; keys && i < n_rows; i++) {
		const void *row = screen_row(view, table->reading, i);
		struct key *key = &keys[*ret_n];

		if (order->filter[0] && !matches(view, row, order->filter))
			continue;
		key->row = i;
		key->is_apart = view->is_apart && view->is_apart(row);
		key->tie = view->figure(row);
		if (column->number)
			key->figure = column->number(row);
		else if (column->text)
			column->text(row, key->text, sizeof(key->text));
		++*ret_n;
	}
	return keys;
}

int screen_table_make(struct screen_table *table, const struct screen_view *view,
	const struct zh_top_reading *reading, const struct screen_order *order)
{
	size_t n_rows = screen_rows(view, reading);
	zh_autofree struct key *keys = NULL;

	*table = (struct screen_table){.view = view, .reading = reading};
	keys = make_keys(table, order, n_rows, &table->n);
	table->rows = calloc(n_rows + 1, sizeof(*table->rows));
	if (!keys || !table->rows) {
		screen_table_done(table);
		return -ENOMEM;
	}
	qsort_r(keys, table->n, sizeof(*keys), compare, (void *)order);
	for (size_t i = 0; i < table->n; i++) {
		table->rows[i] = keys[i].row;
		table->n_apart += keys[i].is_apart;
	}
	return 0;
}

void screen_table_done(struct screen_table *table)
{
	free(table->rows);
	*table = (struct screen_table){.view = table->view, .reading = table->reading};
}

size_t screen_table_lines(const struct screen_table *table)
{
	return table->n + (table->n_apart > 0);
}

static void add_place(struct screen_layout *layout, size_t column, size_t width)
{
	layout->places[layout->n].column = column;
	layout->places[layout->n++].width = width;
}

void screen_table_measure(const struct screen_table *table, size_t first, size_t n, uint8_t *wanted)
{
	for (size_t i = first; i < table->n && i - first < n; i++) {
		const void *row = screen_row(table->view, table->reading, table->rows[i]);

		for (size_t c = 0; c < table->view->n_columns; c++) {
			const struct screen_column *column = &table->view->columns[c];
			char text[TEXT];

			if (!column->text)
				continue;
			column->text(row, text, sizeof(text));
			wanted[c] = (uint8_t)ZH_MAX(
				wanted[c], ZH_MIN(strlen(text), (size_t)column->max));
		}
	}
}

/* Gives columns the width that they want, the first ones first; texts, or the history what is
 * left. Returns how much that was. */
static size_t widen(struct screen_layout *layout, const struct screen_view *view, size_t spare,
	const uint8_t *wanted, bool history)
{
	size_t used = 0;

	for (size_t i = 0; i < layout->n; i++) {
		size_t number = layout->places[i].column, *width = &layout->places[i].width;
		size_t goal = history ? view->columns[number].max : wanted[number];

		if ((view->columns[number].kind == SCREEN_HISTORY) != history || goal <= *width)
			continue;
		goal = ZH_MIN(goal, *width + spare - used);
		used += goal - *width;
		*width = goal;
	}
	return used;
}

void screen_layout_make(struct screen_layout *layout, const struct screen_view *view, size_t width,
	const uint8_t *wanted, bool wide, size_t skip)
{
	size_t used = 0, at = 0;

	*layout = (struct screen_layout){};
	for (size_t i = 0; i < view->n_columns; i++) {
		const struct screen_column *column = &view->columns[i];
		size_t least = !wide                            ? column->min
			       : column->kind == SCREEN_HISTORY ? ZH_MIN(column->max, 30)
								: column->max;

		if (wide && i > 0 && i < skip)
			continue;
		/* What is scrolled to is shown, cut if it must be. */
		if (wide && layout->n == 1 && used < width)
			least = ZH_MIN(least, width - used);
		if (used + least > width && i > 0)
			break;
		add_place(layout, i, least);
		used += least + 1;
	}
	if (!wide) {
		used += widen(layout, view, width + 1 - ZH_MIN(used, width + 1), wanted, false);
		widen(layout, view, width + 1 - ZH_MIN(used, width + 1), wanted, true);
	}
	for (size_t i = 0; i < layout->n; i++) {
		layout->places[i].at = at;
		at += layout->places[i].width + 1;
	}
}

static bool is_left(const struct screen_column *column)
{
	return column->kind == SCREEN_TEXT || column->kind == SCREEN_HISTORY;
}

static void put_aligned(struct screen_canvas *canvas, size_t line, size_t at, size_t width,
	bool left, enum screen_tone tone, const char *text)
{
	size_t length = strlen(text), pad = left || length >= width ? 0 : width - length;

	screen_put(canvas, line, at + pad, width - pad, tone, text);
}

void screen_table_titles(const struct screen_table *table, const struct screen_layout *layout,
	size_t sorted_by, struct screen_canvas *canvas, size_t line)
{
	screen_tint(canvas, line, 0, canvas->columns, SCREEN_BAR);
	for (size_t i = 0; i < layout->n; i++) {
		const struct screen_column *column =
			&table->view->columns[layout->places[i].column];
		bool is_sorted = layout->places[i].column == sorted_by;

		put_aligned(canvas, line, layout->places[i].at, layout->places[i].width,
			is_left(column), is_sorted ? SCREEN_STRONG : SCREEN_BAR, column->title);
	}
}

static enum screen_tone tone_of(const struct screen_column *column, double value)
{
	if (column->bad > 0 && value >= column->bad)
		return SCREEN_BAD;
	return column->warn > 0 && value >= column->warn ? SCREEN_WARN : SCREEN_PLAIN;
}

/* The history starts where its title does, and its newest sample is at the right. */
static void draw_history(const struct screen_table *table, const struct screen_history *history,
	bool ascii, const void *row, struct screen_canvas *canvas, size_t line, size_t at,
	size_t width)
{
	float samples[SCREEN_SAMPLES];
	char text[3 * SCREEN_SAMPLES + 1];

	width = ZH_MIN(width, (size_t)SCREEN_SAMPLES);
	screen_history_get(history, table->view->identity(row), samples, width);
	screen_put(canvas, line, at, width, SCREEN_PLAIN,
		screen_sparkline(samples, width, table->view->full, ascii, text));
}

static void draw_row(const struct screen_table *table, const struct screen_layout *layout,
	const struct screen_history *history, bool ascii, const void *row, bool is_apart,
	struct screen_canvas *canvas, size_t line)
{
	for (size_t i = 0; i < layout->n; i++) {
		const struct screen_column *column =
			&table->view->columns[layout->places[i].column];
		size_t at = layout->places[i].at, width = layout->places[i].width;
		enum screen_tone tone = SCREEN_PLAIN;
		char text[TEXT] = "", cut[TEXT];

		if (column->kind == SCREEN_HISTORY) {
			draw_history(table, history, ascii, row, canvas, line, at, width);
			continue;
		}
		if (column->number) {
			tone = tone_of(column, column->number(row));
			screen_format(column->kind, column->number(row), text, sizeof(text));
		} else {
			column->text(row, text, sizeof(text));
		}
		put_aligned(canvas, line, at, width, is_left(column), is_apart ? SCREEN_DIM : tone,
			screen_shorten(text, cut, ZH_MIN(width, sizeof(cut) - 1)));
	}
}

void screen_table_draw(const struct screen_table *table, const struct screen_layout *layout,
	const struct screen_history *history, bool ascii, size_t first,
	struct screen_canvas *canvas, size_t line, size_t n)
{
	size_t n_main = table->n - table->n_apart;

	for (size_t i = first; i < screen_table_lines(table) && i - first < n; i++) {
		bool is_apart = i >= n_main;
		const void *row;

		if (i == n_main) {
			screen_put(canvas, line + i - first, 0, SIZE_MAX, SCREEN_DIM,
				table->view->apart);
			continue;
		}
		row = screen_row(table->view, table->reading, table->rows[i - is_apart]);
		draw_row(table, layout, history, ascii, row, is_apart, canvas, line + i - first);
	}
}
