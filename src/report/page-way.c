/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The way of a packet as a vertical picture:
 *
 *   ┌ here
 *   │   socket       ICMP echo                                                     12 → ← 12
 *   │   device lo    loopback, MTU 65536                                           12 → ← 12
 *   ├ netns blue
 *   │ ? netfilter    not seen: not permitted
 *   └   end          answered by the kernel
 *
 * Counts stand at the right edge, requests before replies; where fewer packets came than earlier on
 * they are marked. A step where the way breaks off is crossed out.
 */
#include "report/page.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/util.h"
#include "report/utf8.h"

#define LABEL_MAX 24
#define TEXT_MIN 4
#define NOTE_INDENT 2

/* What all lines of the picture share: where its columns are, in columns of the page. */
struct layout {
	size_t indent;
	size_t label;           /* width of the labels */
	int requests, replies;  /* digits of the largest counts; 0: none is counted */
	uint64_t most_requests; /* the largest count drawn so far */
};

/* One step while it is drawn. */
struct pen {
	struct zh_page *page;
	struct layout *layout;
	const struct zh_step_view *step;
	const char *spine, *next_spine; /* on its first line; on the others */
	const char *label;              /* of the next line */
	size_t hang;                    /* columns by which the text is indented */
	bool has_counts;                /* the next line carries them */
};

static int digits_of(uint64_t value)
{
	return snprintf(NULL, 0, "%" PRIu64, value);
}

static void make_label(char *label, size_t size, const struct zh_step_view *step)
{
	snprintf(label, size, "%s%s%s", step->kind ? step->kind : "?", step->dev ? " " : "",
		step->dev ? step->dev : "");
}

static struct layout measure(size_t page_width, size_t indent, const struct zh_node *way)
{
	struct layout layout = {.indent = indent};
	const struct zh_node *node;
	char label[64];

	for (node = way->first; node; node = node->next) {
		const struct zh_step_view *step = node->step;

		make_label(label, sizeof(label), step);
		layout.label = ZH_MAX(layout.label, zh_utf8_columns(label, strlen(label)));
		if (step->has_requests)
			layout.requests = ZH_MAX(layout.requests, digits_of(step->requests));
		if (step->has_replies)
			layout.replies = ZH_MAX(layout.replies, digits_of(step->replies));
	}
	layout.label = ZH_MIN(layout.label, ZH_MIN(page_width / 4, (size_t)LABEL_MAX));
	return layout;
}

/* Columns of "12 → ← 12" with the blanks before it. */
static size_t counts_width(const struct layout *layout)
{
	size_t width = 0;

	if (layout->requests)
		width += 2 + (size_t)layout->requests + 2;
	if (layout->replies)
		width += 3 + (size_t)layout->replies;
	return width;
}

/* Where the text of a line begins: behind spine, mark and label. */
static size_t text_column(const struct layout *layout)
{
	return layout->indent + 2 + 2 + layout->label + 2;
}

static size_t text_width(const struct pen *pen)
{
	size_t taken = text_column(pen->layout) + counts_width(pen->layout);

	taken += pen->hang;
	return pen->page->width > taken + TEXT_MIN ? pen->page->width - taken : TEXT_MIN;
}

static void add_styled(struct zh_page *page, const char *text, const char *style)
{
	bool has_style = page->color && *style && *text;

	if (has_style)
		zh_buf_addf(&page->out, "\033[%sm", style);
	zh_buf_adds(&page->out, text);
	if (has_style)
		zh_buf_adds(&page->out, "\033[0m");
}

static void add_counts(struct pen *pen)
{
	struct layout *layout = pen->layout;
	const struct zh_step_view *step = pen->step;
	bool is_less = step->has_requests && step->requests < layout->most_requests;
	zh_autobuf counts = {};

	if (step->has_requests)
		zh_buf_addf(&counts, "  %*" PRIu64 " →", layout->requests, step->requests);
	else if (layout->requests)
		zh_buf_addf(&counts, "  %*s", layout->requests + 2, "");
	if (step->has_replies)
		zh_buf_addf(&counts, " ← %*" PRIu64, layout->replies, step->replies);
	if (counts.failed) {
		pen->page->out.failed = true;
		return;
	}
	add_styled(pen->page, counts.text ? counts.text : "", is_less ? ZH_STYLE_YELLOW : "");
	if (step->has_requests)
		layout->most_requests = ZH_MAX(layout->most_requests, step->requests);
}

/* The label, cut where it is too wide. */
static void add_label(struct zh_buf *line, const char *label, size_t width)
{
	size_t bytes = strlen(label);
	bool cut = zh_utf8_columns(label, bytes) > width;

	if (cut)
		zh_buf_add(line, label, zh_utf8_fit(label, bytes, width - 1));
	zh_page_pad(line, cut ? "…" : label, cut ? strlen("…") : bytes, cut ? 3 : width + 2, false);
}

/* One line; the first of a step also bears its label and its counts. */
static void put_line(
	struct pen *pen, const char *mark, const char *style, const char *text, size_t bytes)
{
	struct layout *layout = pen->layout;
	zh_autobuf line = {};

	zh_page_pad(&pen->page->out, "", 0, layout->indent, false);
	zh_buf_adds(&pen->page->out, pen->spine);
	zh_buf_addf(&line, " %s ", mark);
	add_label(&line, pen->label, layout->label);
	zh_page_pad(&line, "", 0, pen->hang, false);
	if (pen->has_counts)
		zh_page_pad(&line, text, bytes, text_width(pen), false);
	else
		zh_buf_add(&line, text, bytes);
	while (!pen->has_counts && line.len && line.text[line.len - 1] == ' ')
		line.text[--line.len] = '\0';
	if (line.failed)
		pen->page->out.failed = true;
	else
		add_styled(pen->page, line.text, style);
	if (pen->has_counts)
		add_counts(pen);
	zh_buf_addc(&pen->page->out, '\n');
	pen->spine = pen->next_spine;
	pen->label = "";
	pen->has_counts = false;
}

/* A text over as many lines as it needs. */
static void put_text(struct pen *pen, const char *mark, const char *style, const char *text)
{
	size_t len, next;

	do {
		len = zh_page_break(text, text_width(pen), &next);
		put_line(pen, mark, style, text, len);
		text += next;
		mark = " ";
	} while (*text);
}

static void put_prefixed(
	struct pen *pen, const char *mark, const char *style, const char *prefix, const char *text)
{
	zh_autobuf line = {};

	zh_buf_addf(&line, "%s%s", prefix, text);
	if (line.failed)
		pen->page->out.failed = true;
	else
		put_text(pen, mark, style, line.text);
}

static void draw_step(struct pen *pen)
{
	const struct zh_step_view *step = pen->step;
	size_t i;

	pen->has_counts = step->has_requests || step->has_replies;
	if (step->title || (!step->unseen && !step->ends))
		put_text(pen, step->unseen ? "?" : " ", "", step->title ? step->title : "");
	if (step->unseen)
		put_prefixed(
			pen, step->title ? " " : "?", ZH_STYLE_CYAN, "not seen: ", step->unseen);
	pen->hang = NOTE_INDENT;
	for (i = 0; step->notes && step->notes[i]; i++)
		put_text(pen, " ", "", step->notes[i]);
	pen->hang = 0;
	if (step->ends)
		put_prefixed(pen, "✖", ZH_STYLE_RED, "ends here: ", step->ends);
}

static void draw_place(struct zh_page *page, size_t indent, const char *spine, const char *place)
{
	zh_autobuf line = {};

	zh_buf_addf(&line, "%s %s", spine, place);
	if (line.failed)
		page->out.failed = true;
	else
		zh_page_line(page, indent, line.text, ZH_STYLE_BOLD, line.len);
}

void zh_page_way(struct zh_page *page, size_t indent, const struct zh_node *node)
{
	struct layout layout = measure(page->width, indent + ZH_PAGE_INDENT, node);
	const struct zh_node *child;
	const char *place = NULL;
	char label[64];

	zh_page_line(page, indent, node->title, ZH_STYLE_BOLD, strlen(node->title));
	if (!node->first)
		zh_page_line(page, layout.indent, "none", "", 0);
	for (child = node->first; child; child = child->next) {
		const struct zh_step_view *step = child->step;
		struct pen pen = {.page = page,
			.layout = &layout,
			.step = step,
			.label = label,
			.spine = child->next ? "│" : "└",
			.next_spine = child->next ? "│" : " "};

		make_label(label, sizeof(label), step);
		if (step->place && (!place || strcmp(place, step->place) != 0))
			draw_place(page, layout.indent, place ? "├" : "┌", step->place);
		place = step->place;
		draw_step(&pen);
	}
}
