/* SPDX-License-Identifier: BSD-2-Clause */
/* Figures and names in few columns; the sparkline. All pure. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

enum screen_kind {
	SCREEN_TEXT,
	SCREEN_RATE,  /* a second, or bytes a second: "12.3k" */
	SCREEN_SHARE, /* 0.973: "97.3" */
	SCREEN_COUNT, /* "1000" */
	SCREEN_NS,    /* "812 us" */
	SCREEN_HISTORY,
};

/* What a figure that is not known looks like. */
#define SCREEN_UNKNOWN "-"

/* At most 7 characters. What is negative (or no number) is not known: "-"; what is more than
 * nothing never looks like 0. Returns buf. */
char *screen_format(enum screen_kind kind, double value, char *buf, size_t size);

/* A name that fits: head and tail with '~' between them, since names of pods differ at their end.
 * Returns buf, which has room for width + 1. */
char *screen_shorten(const char *text, char *buf, size_t width);

/*
 * Draws samples (oldest first; negative: not known, a blank) as one character each, scaled so that
 * `full` has the full height; full <= 0: the largest sample has. Zero has a line of its own at the
 * ground. Eighths of blocks, or ASCII where the terminal has no other characters. `buf` has room
 * for 3 n + 1 bytes. Returns buf.
 */
char *screen_sparkline(const float *samples, size_t n, double full, bool ascii, char *buf);
