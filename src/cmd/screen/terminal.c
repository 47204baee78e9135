/* SPDX-License-Identifier: BSD-2-Clause */
#include "cmd/screen/terminal.h"

#include <curses.h>
#include <errno.h>
#include <langinfo.h>
#include <locale.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/util.h"
#include "cmd/screen/keys.h"
#include "cmd/screen/terminal-signals.h"
#include "cmd/screen/terminal-type.h"

#define ESCAPE_MS 100 /* how long an arrow key's bytes may be apart */
#define EMPTY_MAX 3   /* input without a key so often: the other end is gone */

struct screen_terminal {
	SCREEN *screen;
	attr_t tones[SCREEN_TONES];
	bool utf8, blocks;
	unsigned int n_empty; /* times in a row that there was input, but no key */
};

static void choose_tones(struct screen_terminal *terminal, bool no_color)
{
	const char *unwanted = getenv("NO_COLOR");
	short ground;

	terminal->tones[SCREEN_STRONG] = A_BOLD;
	terminal->tones[SCREEN_WARN] = A_BOLD;
	terminal->tones[SCREEN_BAD] = A_BOLD;
	terminal->tones[SCREEN_BAR] = A_REVERSE;
	if (no_color || (unwanted && unwanted[0]) || !has_colors() || start_color() == ERR)
		return;
	ground = use_default_colors() == OK ? -1 : COLOR_BLACK;
	init_pair(1, COLOR_YELLOW, ground);
	init_pair(2, COLOR_RED, ground);
	init_pair(3, COLOR_CYAN, ground);
	terminal->tones[SCREEN_DIM] = (attr_t)COLOR_PAIR(3);
	terminal->tones[SCREEN_WARN] = (attr_t)COLOR_PAIR(1);
	terminal->tones[SCREEN_BAD] = (attr_t)COLOR_PAIR(2) | A_BOLD;
}

/* The Linux console's fonts have only some of the block elements. */
static void choose_characters(struct screen_terminal *terminal)
{
	const char *type = getenv("TERM");

	setlocale(LC_CTYPE, "");
	terminal->utf8 = !strcmp(nl_langinfo(CODESET), "UTF-8");
	terminal->blocks = terminal->utf8 && strcmp(type, "linux") != 0;
}

int screen_terminal_open(size_t min_lines, size_t min_columns, bool no_color,
	struct screen_terminal **ret, struct zh_err *err)
{
	struct screen_terminal *terminal;
	struct termios before;
	char restore[256];

	if (screen_type_check(min_lines, min_columns, err))
		return 1;
	terminal = calloc(1, sizeof(*terminal));
	if (!terminal)
		return zh_err_set(err, -ENOMEM, "out of memory");
	choose_characters(terminal);
	if (tcgetattr(STDIN_FILENO, &before) < 0) {
		free(terminal);
		return zh_err_sys(err, -errno, "cannot read the terminal's settings");
	}
	use_tioctl(TRUE); /* the size is the kernel's, not that of old variables */
	screen_signals_take(&before);
	terminal->screen = newterm(NULL, stdout, stdin);
	if (!terminal->screen) {
		screen_signals_return();
		free(terminal);
		return zh_err_set(err, -ENOTTY, "the terminal cannot be prepared for a screen");
	}
	screen_signals_set_restore(restore, screen_type_restore(restore, sizeof(restore)));
	cbreak();
	noecho();
	nonl();
	keypad(stdscr, TRUE);
	nodelay(stdscr, TRUE);
	set_escdelay(ESCAPE_MS);
	curs_set(0);
	choose_tones(terminal, no_color);
	*ret = terminal;
	return 0;
}

struct screen_terminal *screen_terminal_close(struct screen_terminal *terminal)
{
	if (!terminal)
		return NULL;
	endwin();
	delscreen(terminal->screen);
	screen_signals_return();
	free(terminal);
	return NULL;
}

void screen_terminal_size(
	const struct screen_terminal *terminal, size_t *ret_lines, size_t *ret_columns)
{
	(void)terminal;
	*ret_lines = (size_t)getmaxy(stdscr);
	*ret_columns = (size_t)getmaxx(stdscr);
}

bool screen_terminal_blocks(const struct screen_terminal *terminal, bool *ret_utf8)
{
	*ret_utf8 = terminal->utf8;
	return terminal->blocks;
}

static void show_line(
	struct screen_terminal *terminal, const struct screen_canvas *canvas, size_t line)
{
	const struct screen_cell *cells = &canvas->cells[line * canvas->columns];
	char text[256];

	move((int)line, 0);
	for (size_t i = 0; i < canvas->columns;) {
		uint8_t tone = cells[i].tone;
		size_t n = 0;

		for (; i < canvas->columns && cells[i].tone == tone && n + 4 < sizeof(text); i++) {
			size_t bytes = strnlen(cells[i].text, sizeof(cells[i].text));

			memcpy(text + n, cells[i].text, bytes);
			n += bytes;
		}
		attrset((int)terminal->tones[tone]);
		addnstr(text, (int)n);
	}
}

void screen_terminal_show(struct screen_terminal *terminal, const struct screen_canvas *canvas)
{
	erase();
	for (size_t line = 0; line < canvas->lines; line++)
		show_line(terminal, canvas, line);
	refresh();
}

void screen_terminal_redraw(struct screen_terminal *terminal)
{
	(void)terminal;
	clearok(stdscr, TRUE);
}

static void take_new_size(void)
{
	struct winsize size;

	if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_row && size.ws_col)
		resizeterm(size.ws_row, size.ws_col);
}

/* Leaves the screen to the shell until the process runs again. */
static void stop(void)
{
	endwin();
	screen_signals_stop_now();
}

/* After a stop the shell may have changed modes, size and page. */
static void come_back(void)
{
	reset_prog_mode();
	take_new_size();
	clearok(stdscr, TRUE);
}

static bool has_changed(void)
{
	bool changed = false;

	if (screen_signals_stop()) {
		stop();
		changed = true;
	}
	if (screen_signals_continued() || changed) {
		come_back();
		changed = true;
	}
	if (screen_signals_resized()) {
		take_new_size();
		changed = true;
	}
	return changed;
}

enum screen_event screen_terminal_wait(struct screen_terminal *terminal, uint64_t until_ns)
{
	struct pollfd input = {.fd = STDIN_FILENO, .events = POLLIN};
	uint64_t now = zh_now_ns(), left = until_ns > now ? until_ns - now : 0;
	struct timespec timeout = {.tv_sec = (time_t)(left / ZH_NSEC_PER_SEC),
		.tv_nsec = (long)(left % ZH_NSEC_PER_SEC)};
	int n = screen_signals_poll(&input, &timeout);

	if (screen_signals_end() || terminal->n_empty > EMPTY_MAX)
		return SCREEN_END;
	if (has_changed())
		return SCREEN_CHANGED;
	if (n > 0 && (input.revents & (POLLHUP | POLLERR | POLLNVAL)))
		return SCREEN_END;
	if (n > 0)
		terminal->n_empty++;
	return n > 0 ? SCREEN_INPUT : SCREEN_TIMEOUT;
}

static int special_key(int key)
{
	static const struct {
		int theirs, ours;
	} keys[] = {{KEY_UP, SCREEN_KEY_UP}, {KEY_DOWN, SCREEN_KEY_DOWN},
		{KEY_LEFT, SCREEN_KEY_LEFT}, {KEY_RIGHT, SCREEN_KEY_RIGHT},
		{KEY_PPAGE, SCREEN_KEY_PAGE_UP}, {KEY_NPAGE, SCREEN_KEY_PAGE_DOWN},
		{KEY_HOME, SCREEN_KEY_HOME}, {KEY_END, SCREEN_KEY_END}, {KEY_FIND, SCREEN_KEY_HOME},
		{KEY_SELECT, SCREEN_KEY_END}, {KEY_BTAB, SCREEN_KEY_BACK_TAB},
		{KEY_BACKSPACE, SCREEN_KEY_BACKSPACE}, {KEY_DC, SCREEN_KEY_BACKSPACE},
		{KEY_ENTER, SCREEN_KEY_ENTER}, {8, SCREEN_KEY_BACKSPACE}, {'\r', SCREEN_KEY_ENTER}};

	for (size_t i = 0; i < ZH_ARRAY_SIZE(keys); i++)
		if (keys[i].theirs == key)
			return keys[i].ours;
	return key < SCREEN_KEY_UP ? key : -1; /* one that means nothing here */
}

int screen_terminal_key(struct screen_terminal *terminal)
{
	int key = getch();

	if (key == ERR)
		return SCREEN_KEY_NONE;
	terminal->n_empty = 0;
	return special_key(key);
}
