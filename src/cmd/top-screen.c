/* SPDX-License-Identifier: BSD-2-Clause */
#include "cmd/top-screen.h"

#include <errno.h>

#include "base/clock.h"
#include "base/util.h"
#include "cmd/screen/frame.h"
#include "cmd/screen/terminal.h"

#define TICK_NS ZH_NSEC_PER_SEC /* the age is drawn anew at least so often */

struct screen {
	const struct cmd_top_screen_config *config;
	struct screen_terminal *terminal;
	struct screen_history *history;
	struct screen_canvas canvas;
	struct screen_state state;
	struct screen_page page;
	const struct zh_top_reading *reading; /* NULL before the first one */
	uint64_t read_ns;                     /* CLOCK_MONOTONIC: the last one, or the start */
	struct cmd_top_screen_stats stats;
};

static uint64_t real_ns(const struct cmd_top_source *source)
{
	return source->now_ns ? source->now_ns(source->context) : zh_clock_ns(CLOCK_REALTIME);
}

static int draw(struct screen *screen, struct zh_err *err)
{
	uint64_t start_ns = zh_clock_ns(CLOCK_PROCESS_CPUTIME_ID), cost_ns;
	struct screen_frame frame = {.reading = screen->reading,
		.history = screen->history,
		.notes = screen->config->source.notes,
		.now_ns = real_ns(&screen->config->source)};
	size_t lines, columns;

	frame.ascii = !screen_terminal_blocks(screen->terminal, &screen->canvas.utf8);
	screen_terminal_size(screen->terminal, &lines, &columns);
	if (screen_canvas_reset(&screen->canvas, lines, columns) < 0 ||
		screen_frame_draw(&frame, &screen->state, &screen->canvas, &screen->page) < 0)
		return zh_err_set(err, -ENOMEM, "out of memory");
	screen_terminal_show(screen->terminal, &screen->canvas);
	cost_ns = zh_clock_ns(CLOCK_PROCESS_CPUTIME_ID) - start_ns;
	screen->stats.refreshes++;
	screen->stats.refresh_cpu_ns += cost_ns;
	screen->stats.longest_refresh_cpu_ns =
		ZH_MAX(screen->stats.longest_refresh_cpu_ns, cost_ns);
	return 0;
}

static int take_reading(struct screen *screen, struct zh_err *err)
{
	const struct cmd_top_source *source = &screen->config->source;
	/* A read that fails may have changed what the last one gave. */
	int r = source->read(source->context, &screen->reading, err);

	if (r < 0)
		return r;
	screen->read_ns = zh_now_ns();
	screen->stats.readings++;
	screen_remember(screen->history, screen->reading);
	return 0;
}

static bool is_due(const struct screen *screen)
{
	return !screen->state.is_paused &&
	       zh_now_ns() >= screen->read_ns + screen->state.interval_ns;
}

/* What a key does depends on the page that the one before it gives. */
static int press_keys(struct screen *screen, struct zh_err *err)
{
	int key, n = 0, r = 0;

	while (r == 0 && !screen->state.quits &&
		(key = screen_terminal_key(screen->terminal)) != SCREEN_KEY_NONE) {
		if (n++)
			r = draw(screen, err);
		if (key == SCREEN_KEY_REDRAW)
			screen_terminal_redraw(screen->terminal);
		screen_press(&screen->state, &screen->page, key);
	}
	return r;
}

/* Waits for whatever comes next. 1: that is the end. */
static int wait(struct screen *screen, struct zh_err *err)
{
	uint64_t until_ns = zh_now_ns() + TICK_NS;
	int r = 0;

	if (!screen->state.is_paused)
		until_ns = ZH_MIN(until_ns, screen->read_ns + screen->state.interval_ns);
	switch (screen_terminal_wait(screen->terminal, until_ns)) {
	case SCREEN_END:
		return 1;
	case SCREEN_INPUT:
		r = press_keys(screen, err);
		break;
	case SCREEN_CHANGED:
	case SCREEN_TIMEOUT:
		break;
	}
	return r == 0 && screen->state.quits ? 1 : r;
}

static int loop(struct screen *screen, struct zh_err *err)
{
	uint64_t count = screen->config->count;
	int r;

	/* With a long interval the first reading is one of a second. */
	screen->read_ns =
		zh_now_ns() + TICK_NS - ZH_MAX(screen->state.interval_ns, (uint64_t)TICK_NS);
	do {
		r = is_due(screen) ? take_reading(screen, err) : 0;
		if (r == 0)
			r = draw(screen, err);
		if (r == 0 && count && screen->stats.readings >= count)
			return 0;
		if (r == 0)
			r = wait(screen, err);
	} while (r == 0);
	return r < 0 ? r : 0;
}

int cmd_top_screen(const struct cmd_top_screen_config *config,
	struct cmd_top_screen_stats *ret_stats, struct zh_err *err)
{
	struct screen screen = {.config = config};
	int r = screen_terminal_open(
		SCREEN_MIN_LINES, SCREEN_MIN_COLUMNS, config->no_color, &screen.terminal, err);

	if (r != 0)
		return r > 0 ? CMD_TOP_SCREEN_UNFIT : r;
	screen_state_init(&screen.state, config->view, config->interval_ns);
	screen.history = screen_history_new();
	r = screen.history ? loop(&screen, err) : zh_err_set(err, -ENOMEM, "out of memory");
	screen_terminal_close(screen.terminal);
	screen_history_free(screen.history);
	screen_canvas_done(&screen.canvas);
	if (ret_stats)
		*ret_stats = screen.stats;
	return r;
}
