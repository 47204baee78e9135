/* SPDX-License-Identifier: BSD-2-Clause */
#include <stdio.h>
#include <string.h>

#include "cmd/screen/frame.h"

static const char keys[] =
	"1 2 3 4         CPUs, devices, flows, drops; Tab, left and right: the next\n"
	"up down         scroll; PgUp, PgDn, Home and End as well\n"
	"/               filter: rows with this text; Enter keeps it, Esc ends it\n"
	"s S r           sort by the next, the previous column; reverse the order\n"
	"p space         pause; what is counted meanwhile is in the next reading\n"
	"+ -             longer, shorter interval\n"
	"w               wide: all columns, in full width; left and right scroll\n"
	"Ctrl-L          draw the screen anew\n"
	"q Ctrl-C        quit\n";

static const char legend[] =
	"Rates are per second, shares percent of one CPU.\n"
	"\"" SCREEN_UNKNOWN "\" is not known, which is not 0. "
	"A name with ~ in it was too long here.\n"
	"\"own cost\" is this program, and its programs in the kernel, of one CPU.\n"
	"\"counted N ms\": at high rates softirqs and flows are only counted so long.\n";

size_t screen_line_length(const char *text, size_t width)
{
	size_t length = strlen(text), cut = width;

	if (length <= width)
		return length;
	while (cut > width / 2 && text[cut] != ' ')
		cut--;
	return text[cut] == ' ' ? cut : width;
}

static void add_broken(struct zh_buf *out, const char *text, size_t width)
{
	while (*text) {
		size_t length = screen_line_length(text, width - 2);

		zh_buf_addf(out, "  %.*s\n", (int)length, text);
		text += length;
		text += strspn(text, " ");
	}
}

static void add_notes(const struct zh_record *notes, size_t width, struct zh_buf *out)
{
	char text[sizeof(struct zh_not_measured) + 4];

	if (!notes || !notes->n_not_measured)
		return;
	zh_buf_adds(out, "\nNot measured here:\n");
	for (size_t i = 0; i < notes->n_not_measured; i++) {
		snprintf(text, sizeof(text), "%s: %s", notes->not_measured[i].what,
			notes->not_measured[i].why);
		add_broken(out, text, width);
	}
}

void screen_help(const struct screen_view *view, const struct zh_record *notes, size_t width,
	struct zh_buf *out)
{
	zh_buf_adds(out, keys);
	zh_buf_addf(out, "\n%s", legend);
	add_notes(notes, width, out);
	zh_buf_addf(out, "\nColumns of %s:\n", view->name);
	for (size_t i = 0; i < view->n_columns; i++)
		zh_buf_addf(out, "  %-10s %s\n", view->columns[i].title, view->columns[i].help);
}
