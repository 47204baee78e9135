/* SPDX-License-Identifier: BSD-2-Clause */
#include "report/page.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/units.h"
#include "base/util.h"
#include "report/utf8.h"

void zh_page_gap(struct zh_page *page)
{
	page->gap = page->out.len > 0;
}

static void begin_line(struct zh_page *page, size_t indent)
{
	if (page->gap)
		zh_buf_addc(&page->out, '\n');
	page->gap = false;
	zh_page_pad(&page->out, "", 0, indent, false);
}

static void end_line(struct zh_page *page)
{
	struct zh_buf *out = &page->out;

	while (!out->failed && out->len > 0 && out->text[out->len - 1] == ' ')
		out->text[--out->len] = '\0';
	zh_buf_addc(out, '\n');
}

/* Adds text with line breaks as spaces, which only wrapped text may have. */
static void add_flat(struct zh_buf *buf, const char *text, size_t bytes)
{
	size_t i;

	for (i = 0; i < bytes; i++)
		zh_buf_addc(buf, text[i] == '\n' ? ' ' : text[i]);
}

static void add_styled(struct zh_page *page, const char *text, size_t bytes, const char *style)
{
	bool has_style = page->color && *style && bytes > 0;

	if (has_style)
		zh_buf_addf(&page->out, "\033[%sm", style);
	add_flat(&page->out, text, bytes);
	if (has_style)
		zh_buf_adds(&page->out, "\033[0m");
}

void zh_page_line(
	struct zh_page *page, size_t indent, const char *text, const char *style, size_t styled)
{
	size_t room = page->width > indent ? page->width - indent : 1, bytes = strlen(text);
	bool cut = zh_utf8_columns(text, bytes) > room;

	if (cut)
		bytes = zh_utf8_fit(text, bytes, room - 1);
	styled = ZH_MIN(styled, bytes);
	begin_line(page, indent);
	add_styled(page, text, styled, style);
	add_flat(&page->out, text + styled, bytes - styled);
	if (cut)
		zh_buf_adds(&page->out, "…");
	end_line(page);
}

void zh_page_raw(struct zh_page *page, size_t indent, const char *text)
{
	begin_line(page, indent);
	zh_buf_adds(&page->out, text);
	end_line(page);
}

size_t zh_page_break(const char *text, size_t columns, size_t *ret_next)
{
	size_t bytes = strlen(text), line = strcspn(text, "\n");
	size_t fit = zh_utf8_fit(text, bytes, ZH_MAX(columns, 1u)), end;

	if (line <= fit) {
		*ret_next = line + (text[line] == '\n');
		return line;
	}
	for (end = fit; end > 0 && text[end] != ' '; end--)
		;
	if (end == 0) /* One word wider than the line. */
		end = fit;
	*ret_next = end + strspn(text + end, " ");
	while (end > 0 && text[end - 1] == ' ')
		end--;
	return end;
}

void zh_page_wrap(
	struct zh_page *page, size_t indent, const char *first, const char *style, const char *text)
{
	size_t hang = indent + zh_utf8_columns(first, strlen(first)), len, next;

	begin_line(page, indent);
	add_styled(page, first, strlen(first), style);
	for (;;) {
		len = zh_page_break(text, page->width > hang ? page->width - hang : 1, &next);
		zh_buf_add(&page->out, text, len);
		end_line(page);
		text += next;
		if (!*text)
			return;
		begin_line(page, hang);
	}
}

void zh_page_pad(struct zh_buf *buf, const char *text, size_t bytes, size_t columns, bool right)
{
	size_t used = zh_utf8_columns(text, bytes);

	if (!right)
		zh_buf_add(buf, text, bytes);
	for (; used < columns; used++)
		zh_buf_addc(buf, ' ');
	if (right)
		zh_buf_add(buf, text, bytes);
}

/* Percent with as many digits as say something; only nothing is "0 %" and only all "100 %". */
static void format_share(char *buf, size_t size, double share)
{
	double percent = 100 * share, magnitude = fabs(percent);

	if (magnitude > 0 && magnitude < 0.001)
		snprintf(buf, size, "<0.001 %%");
	else if (magnitude >= 99.95 && magnitude < 100)
		snprintf(buf, size, ">99.9 %%");
	else if (magnitude > 0 && magnitude < 0.0995)
		snprintf(buf, size, "%.3f %%", percent);
	else if ((magnitude > 0 && magnitude < 9.95) || (magnitude > 99 && magnitude < 100))
		snprintf(buf, size, "%.1f %%", percent);
	else
		snprintf(buf, size, "%.0f %%", percent);
}

static const char *format_signed(char *buf, size_t size, double ns)
{
	if (!isfinite(ns))
		return buf;
	buf[0] = ns < 0 ? '-' : '+';
	zh_format_ns(buf + 1, size - 1, (uint64_t)llround(fabs(ns)));
	return buf;
}

const char *zh_cell_text(const struct zh_cell *cell, char *buf, size_t size)
{
	snprintf(buf, size, "-");
	switch (cell->type) {
	case ZH_CELL_NS:
		return zh_format_ns(buf, size, cell->u);
	case ZH_CELL_NS_SIGNED:
		return format_signed(buf, size, cell->d);
	case ZH_CELL_BYTES:
		return zh_format_bytes(buf, size, cell->u);
	case ZH_CELL_BYTES_PER_S:
		zh_format_bytes(buf, size, cell->u);
		snprintf(buf + strlen(buf), size - strlen(buf), "/s");
		return buf;
	case ZH_CELL_PACKETS:
	case ZH_CELL_COUNT:
		snprintf(buf, size, "%" PRIu64, cell->u);
		return buf;
	case ZH_CELL_SHARE:
		if (isfinite(cell->d))
			format_share(buf, size, cell->d);
		return buf;
	case ZH_CELL_RATE:
		return isfinite(cell->d) ? zh_format_rate(buf, size, cell->d) : buf;
	case ZH_CELL_REAL:
		if (isfinite(cell->d))
			snprintf(buf, size, "%.3g", cell->d);
		return buf;
	case ZH_CELL_BOOL:
		return cell->u ? "yes" : "no";
	case ZH_CELL_STRING:
	case ZH_CELL_CPUS:
	case ZH_CELL_UNAVAILABLE:
		return cell->s ? cell->s : buf;
	case ZH_CELL_NULL:
		break;
	}
	return buf;
}
