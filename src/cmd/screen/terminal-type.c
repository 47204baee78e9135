/* SPDX-License-Identifier: BSD-2-Clause */
#include "cmd/screen/terminal-type.h"

#include <curses.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <term.h> /* defines words like "lines" and "columns" */
#include <unistd.h>

#include "base/util.h"

/* The kernel's size, else what the environment or the terminal's description say. */
static void find_size(size_t *ret_height, size_t *ret_width)
{
	struct winsize size;

	*ret_height = (size_t)ZH_MAX(tigetnum("lines"), 0);
	*ret_width = (size_t)ZH_MAX(tigetnum("cols"), 0);
	if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) < 0 || !size.ws_row || !size.ws_col)
		return;
	*ret_height = size.ws_row;
	*ret_width = size.ws_col;
}

/* Whether there is a terminal of a known type: then its description is loaded. */
static bool find_type(const char *type, struct zh_err *err)
{
	int status;

	if (!isatty(STDIN_FILENO) || !isatty(STDOUT_FILENO))
		zh_err_set(err, -ENOTTY, "standard %s is no terminal",
			isatty(STDIN_FILENO) ? "output" : "input");
	else if (!type || !type[0])
		zh_err_set(err, -ENOTTY, "TERM is not set, so the terminal's type is not known");
	else if (setupterm(NULL, STDOUT_FILENO, &status) == ERR)
		zh_err_set(err, -ENOTTY, "nothing is known of terminals with TERM=%.40s", type);
	else
		return true;
	return false;
}

int screen_type_check(size_t min_lines, size_t min_columns, struct zh_err *err)
{
	const char *type = getenv("TERM");
	size_t height, width;
	int r = 0;

	if (!find_type(type, err))
		return 1;
	find_size(&height, &width);
	if (!cursor_address || !clear_screen)
		r = zh_err_set(
			err, -ENOTTY, "a terminal with TERM=%.40s cannot move its cursor", type);
	else if (height < min_lines || width < min_columns)
		r = zh_err_set(err, -ENOTTY,
			"the terminal is too small: %zux%zu, needed is %zux%zu", width, height,
			min_columns, min_lines);
	del_curterm(cur_term);
	return r < 0;
}

/* tputs() takes a function without a context. */
static char restore_text[256];
static size_t restore_length;

static int put_restore(int c)
{
	if (restore_length < sizeof(restore_text))
		restore_text[restore_length++] = (char)c;
	return c;
}

size_t screen_type_restore(char *buf, size_t size)
{
	/* Plain characters, a visible cursor, the keypad off, the page of before. */
	const char *const strings[] = {
		exit_attribute_mode, cursor_normal, keypad_local, exit_ca_mode};
	size_t n;

	restore_length = 0;
	for (size_t i = 0; i < ZH_ARRAY_SIZE(strings); i++)
		if (strings[i])
			tputs(strings[i], 1, put_restore);
	n = ZH_MIN(restore_length, size);
	memcpy(buf, restore_text, n);
	return n;
}
