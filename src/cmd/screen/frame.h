/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The whole screen, from a reading and the user's choices: views and time, the answer in two lines,
 * what the program costs and what is chosen, the table (or help), and the keys. Pure.
 */
#pragma once

#include "cmd/screen/canvas.h"
#include "cmd/screen/history.h"
#include "cmd/screen/keys.h"
#include "record/record.h"

#define SCREEN_MIN_LINES 24
#define SCREEN_MIN_COLUMNS 80

struct screen_frame {
	const struct zh_top_reading *reading; /* NULL: there is none yet */
	const struct screen_history *history;
	const struct zh_record *notes; /* what could not be measured; or NULL */
	uint64_t now_ns;               /* CLOCK_REALTIME */
	bool ascii;                    /* history without block characters */
};

/* Draws on a canvas that has its size already; sets *ret_page and corrects what is scrolled to.
 * 0, or -ENOMEM. */
int screen_frame_draw(const struct screen_frame *frame, struct screen_state *state,
	struct screen_canvas *canvas, struct screen_page *ret_page);

/* Adds the figures of a reading to the history, once per reading. */
void screen_remember(struct screen_history *history, const struct zh_top_reading *reading);

/* Help as lines of text for this view; long ones are broken at `width`. */
void screen_help(const struct screen_view *view, const struct zh_record *notes, size_t width,
	struct zh_buf *out);
/* How much of the text goes on a line of this width: whole words, where it has any. */
size_t screen_line_length(const char *text, size_t width);
