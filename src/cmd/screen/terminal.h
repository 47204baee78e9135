/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The terminal: shows a canvas, gives keys, tells of signals. The only code that knows ncurses. One
 * at a time, since signals and ncurses have one state in a process.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "cmd/screen/canvas.h"

struct screen_terminal;

/* Takes the terminal. 0; 1 when it cannot show a screen of this size (the reason is in `err`,
 * nothing was written); or a negative errno. */
int screen_terminal_open(size_t min_lines, size_t min_columns, bool no_color,
	struct screen_terminal **ret, struct zh_err *err);
/* Gives it back as it was. */
struct screen_terminal *screen_terminal_close(struct screen_terminal *terminal);

void screen_terminal_size(
	const struct screen_terminal *terminal, size_t *ret_lines, size_t *ret_columns);
/* Whether characters beyond ASCII (ret_utf8), and block elements, too (returned) can be shown. */
bool screen_terminal_blocks(const struct screen_terminal *terminal, bool *ret_utf8);
void screen_terminal_show(struct screen_terminal *terminal, const struct screen_canvas *canvas);
/* The next show writes everything anew. */
void screen_terminal_redraw(struct screen_terminal *terminal);

enum screen_event {
	SCREEN_TIMEOUT, /* the time is over */
	SCREEN_INPUT,   /* keys can be read */
	SCREEN_CHANGED, /* new size, or back from a stop: draw again */
	SCREEN_END,     /* a signal, or the terminal went away */
};

/* Waits until then (CLOCK_MONOTONIC). Ctrl-Z stops the process in here. */
enum screen_event screen_terminal_wait(struct screen_terminal *terminal, uint64_t until_ns);
/* An enum screen_key or a character; SCREEN_KEY_NONE when no more were pressed. */
int screen_terminal_key(struct screen_terminal *terminal);
