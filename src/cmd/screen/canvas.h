/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A page of characters, each with a tone, that a screen is made of before a terminal shows it: so
 * what is drawn is decided without a terminal, and can be compared with what was expected.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"

enum screen_tone {
	SCREEN_PLAIN,
	SCREEN_DIM,    /* less important: rows that are no loss */
	SCREEN_STRONG, /* the column that is sorted by */
	SCREEN_WARN,
	SCREEN_BAD,
	SCREEN_BAR, /* titles, the chosen view */
	SCREEN_TONES
};

struct screen_cell {
	char text[4]; /* one code point of one column; no end when it has 4 bytes */
	uint8_t tone;
};

struct screen_canvas {
	size_t lines, columns;
	struct screen_cell *cells; /* owned; by lines */
	bool utf8;                 /* else what is not ASCII becomes '?' */
};

/* Empties the canvas and gives it this size. 0, or -ENOMEM (then it is empty, of no size). */
int screen_canvas_reset(struct screen_canvas *canvas, size_t lines, size_t columns);
void screen_canvas_done(struct screen_canvas *canvas);

/* Writes text from there on, at most `width` columns and what the line has; returns how many
 * columns that were. What could move a cursor is shown as '?'. */
size_t screen_put(struct screen_canvas *canvas, size_t line, size_t column, size_t width,
	enum screen_tone tone, const char *text);
size_t screen_putf(struct screen_canvas *canvas, size_t line, size_t column, enum screen_tone tone,
	const char *fmt, ...) __attribute__((format(printf, 5, 6)));
/* Gives a stretch of a line this tone. */
void screen_tint(struct screen_canvas *canvas, size_t line, size_t column, size_t width,
	enum screen_tone tone);

/* Appends a line as UTF-8, without spaces at its end. */
void screen_canvas_line(const struct screen_canvas *canvas, size_t line, struct zh_buf *out);
