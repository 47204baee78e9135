/* SPDX-License-Identifier: BSD-2-Clause */
/* The rows of a view in order, filtered; the columns that fit; and both on a canvas. Pure. */
#pragma once

#include "cmd/screen/canvas.h"
#include "cmd/screen/history.h"
#include "cmd/screen/view.h"

struct screen_order {
	size_t sorted_by;   /* column */
	bool reverse;       /* else figures fall and texts rise */
	const char *filter; /* part of any text of a row, in either case; "": all */
};

struct screen_table {
	const struct screen_view *view;
	const struct zh_top_reading *reading;
	size_t *rows;      /* owned: numbers of rows, in order */
	size_t n, n_apart; /* the last n_apart of them are apart */
};

struct screen_layout {
	size_t n;
	struct {
		size_t column, at, width;
	} places[SCREEN_COLUMNS];
};

/* Chooses and orders the rows. What is not known comes last, in either direction; ties are broken
 * by the view's figure, then by the reading's order. 0, or -ENOMEM. */
int screen_table_make(struct screen_table *table, const struct screen_view *view,
	const struct zh_top_reading *reading, const struct screen_order *order);
void screen_table_done(struct screen_table *table);

/* Lines that the table has: its rows, and a title above those that are apart. */
size_t screen_table_lines(const struct screen_table *table);

/* Notes how wide the texts of these rows are, where wider than noted (by column). */
void screen_table_measure(
	const struct screen_table *table, size_t first, size_t n, uint8_t *wanted);

/*
 * Which columns a window of this width shows, and where. Narrow: as many as fit from the first on;
 * what is left widens texts to what is wanted, then the history. Wide: all of them in their full
 * width, those after the first one only from number `skip` on. At least the first one is shown.
 */
void screen_layout_make(struct screen_layout *layout, const struct screen_view *view, size_t width,
	const uint8_t *wanted, bool wide, size_t skip);

/* The line of titles; the column `sorted_by` is marked. */
void screen_table_titles(const struct screen_table *table, const struct screen_layout *layout,
	size_t sorted_by, struct screen_canvas *canvas, size_t line);
/* Lines of the table from number `first` on, on `n` lines of the canvas from `line` on. */
void screen_table_draw(const struct screen_table *table, const struct screen_layout *layout,
	const struct screen_history *history, bool ascii, size_t first,
	struct screen_canvas *canvas, size_t line, size_t n);
