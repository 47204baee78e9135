/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * `zerohop top` on a terminal. Readings come from a source, so that the screen can be tried with
 * readings that were written by hand. The terminal is restored on every way out, also by signals.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "cmd/screen/view.h"
#include "record/record.h"

struct cmd_top_source {
	void *context;
	/* As zh_top_read(): what happened since the last read; valid until the next one. */
	int (*read)(void *context, const struct zh_top_reading **ret, struct zh_err *err);
	/* CLOCK_REALTIME; NULL: the clock itself */
	uint64_t (*now_ns)(void *context);
	const struct zh_record *notes; /* what cannot be measured; may grow; NULL: nothing */
};

struct cmd_top_screen_config {
	struct cmd_top_source source;
	uint64_t interval_ns; /* at the start; keys change it */
	uint64_t count;       /* end after so many readings; 0: never */
	enum screen_views view;
	bool no_color; /* also: NO_COLOR */
};

/* What the screen did, for those who ask. */
struct cmd_top_screen_stats {
	uint64_t readings, refreshes;
	uint64_t refresh_cpu_ns, longest_refresh_cpu_ns; /* own CPU time to draw, without reading */
};

/* The answer of cmd_top_screen() when nothing can be drawn here. */
#define CMD_TOP_SCREEN_UNFIT 1

/*
 * Shows readings until q, Ctrl-C, SIGTERM, SIGHUP, or the terminal's end: 0. Before anything is
 * drawn, CMD_TOP_SCREEN_UNFIT with the reason as a sentence in `err`: input or output is no
 * terminal, its type is not known or cannot move the cursor, or it is smaller than 80x24. Negative
 * errno when a reading failed. `ret_stats` may be NULL.
 */
int cmd_top_screen(const struct cmd_top_screen_config *config,
	struct cmd_top_screen_stats *ret_stats, struct zh_err *err);
