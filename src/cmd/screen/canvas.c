/* SPDX-License-Identifier: BSD-2-Clause */
#include "cmd/screen/canvas.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/util.h"
#include "report/utf8.h"

int screen_canvas_reset(struct screen_canvas *canvas, size_t lines, size_t columns)
{
	size_t n = lines * columns;

	if (n != canvas->lines * canvas->columns) {
		free(canvas->cells);
		canvas->cells = calloc(n ? n : 1, sizeof(*canvas->cells));
	}
	canvas->lines = canvas->cells ? lines : 0;
	canvas->columns = canvas->cells ? columns : 0;
	if (!canvas->cells)
		return -ENOMEM;
	for (size_t i = 0; i < n; i++)
		canvas->cells[i] = (struct screen_cell){.text = " "};
	return 0;
}

void screen_canvas_done(struct screen_canvas *canvas)
{
	free(canvas->cells);
	*canvas = (struct screen_canvas){};
}

/* Latin letters and block elements: all have one column in every terminal that has them. */
static bool is_narrow(const unsigned char *text, size_t bytes)
{
	if (bytes == 1)
		return text[0] >= 0x20 && text[0] < 0x7f;
	if (bytes == 2)
		return text[0] >= 0xc2 && text[0] < 0xcc && (text[0] > 0xc2 || text[1] >= 0xa0);
	return bytes == 3 && text[0] == 0xe2 && text[1] == 0x96;
}

size_t screen_put(struct screen_canvas *canvas, size_t line, size_t column, size_t width,
	enum screen_tone tone, const char *text)
{
	size_t n = 0, left = strlen(text);

	if (line >= canvas->lines || column >= canvas->columns)
		return 0;
	width = ZH_MIN(width, canvas->columns - column);
	for (; n < width && left; n++) {
		struct screen_cell *cell = &canvas->cells[line * canvas->columns + column + n];
		size_t bytes = ZH_MAX(zh_utf8_fit(text, left, 1), (size_t)1);

		*cell = (struct screen_cell){.text = "?", .tone = (uint8_t)tone};
		if (bytes <= sizeof(cell->text) && (canvas->utf8 || bytes == 1) &&
			is_narrow((const unsigned char *)text, bytes)) {
			memset(cell->text, 0, sizeof(cell->text));
			memcpy(cell->text, text, bytes);
		}
		text += bytes;
		left -= bytes;
	}
	return n;
}

size_t screen_putf(struct screen_canvas *canvas, size_t line, size_t column, enum screen_tone tone,
	const char *fmt, ...)
{
	char text[512];
	va_list args;

	va_start(args, fmt);
	vsnprintf(text, sizeof(text), fmt, args);
	va_end(args);
	return screen_put(canvas, line, column, SIZE_MAX, tone, text);
}

void screen_tint(struct screen_canvas *canvas, size_t line, size_t column, size_t width,
	enum screen_tone tone)
{
	if (line >= canvas->lines)
		return;
	for (; column < canvas->columns && width; column++, width--)
		canvas->cells[line * canvas->columns + column].tone = (uint8_t)tone;
}

void screen_canvas_line(const struct screen_canvas *canvas, size_t line, struct zh_buf *out)
{
	const struct screen_cell *cells = &canvas->cells[line * canvas->columns];
	size_t end = canvas->columns;

	while (end && !strncmp(cells[end - 1].text, " ", 2))
		end--;
	for (size_t i = 0; i < end; i++)
		zh_buf_add(out, cells[i].text, strnlen(cells[i].text, sizeof(cells[i].text)));
}
