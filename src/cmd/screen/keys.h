/* SPDX-License-Identifier: BSD-2-Clause */
/* What the user has chosen, and how each key changes it. Pure. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cmd/screen/table.h"

/* Keys: characters as they are, and these. */
enum screen_key {
	SCREEN_KEY_NONE,
	SCREEN_KEY_TAB = 9,
	SCREEN_KEY_ENTER = 10,
	SCREEN_KEY_REDRAW = 12, /* Ctrl-L */
	SCREEN_KEY_CLEAR = 21,  /* Ctrl-U */
	SCREEN_KEY_ESC = 27,
	SCREEN_KEY_BACKSPACE = 127,
	SCREEN_KEY_UP = 256,
	SCREEN_KEY_DOWN,
	SCREEN_KEY_LEFT,
	SCREEN_KEY_RIGHT,
	SCREEN_KEY_PAGE_UP,
	SCREEN_KEY_PAGE_DOWN,
	SCREEN_KEY_HOME,
	SCREEN_KEY_END,
	SCREEN_KEY_BACK_TAB,
};

#define SCREEN_FILTER 64 /* with its end */

struct screen_state {
	enum screen_views view;
	struct screen_choice {
		size_t sorted_by, first, skip; /* column; first line shown; columns left out */
		bool reverse;
		/* Of each column, the longest text until now: columns grow, but never jump. */
		uint8_t wanted[SCREEN_COLUMNS];
	} choices[SCREEN_VIEWS];
	char filter[SCREEN_FILTER];
	bool is_typing; /* the filter */
	bool has_help, is_paused, is_wide, quits;
	size_t help_first; /* its first line shown */
	uint64_t interval_ns;
};

/* What the last page showed: bounds for scrolling, width for the columns to sort by. */
struct screen_page {
	size_t lines, n_lines; /* of the table: shown, all */
	size_t help_lines, n_help_lines;
	size_t columns; /* of the window */
};

void screen_state_init(struct screen_state *state, enum screen_views view, uint64_t interval_ns);
void screen_press(struct screen_state *state, const struct screen_page *page, int key);

/* The first line to show so that a page of `lines` is as full as it can be. */
size_t screen_first_line(size_t first, size_t lines, size_t n_lines);
