/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The document as a page for people: the answer first, then sections with their headings, two
 * columns deeper a level. Everything is drawn with Unicode; the plain style is a rewriting of the
 * finished page, character by character, so both have the same shape.
 */
#include "report/doc.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/util.h"
#include "report/page.h"
#include "report/utf8.h"

#define DEFAULT_WIDTH 99
#define MIN_WIDTH 40

static bool is_shown(const struct zh_node *node)
{
	const struct zh_node *child;

	switch (node->type) {
	case ZH_NODE_HEADLINE:
		return node->text && *node->text;
	case ZH_NODE_TEXT:
	case ZH_NODE_LINE:
		return true;
	case ZH_NODE_STRIP:
		return node->n > 0;
	case ZH_NODE_OBJECT:
		for (child = node->first; node->title && child; child = child->next)
			if (is_shown(child))
				return true;
		return false;
	default:
		return node->title != NULL;
	}
}

/* The next child that people see, from `node` on. */
static const struct zh_node *next_shown(const struct zh_node *node)
{
	while (node && !is_shown(node))
		node = node->next;
	return node;
}

static void draw_value(
	struct zh_page *page, size_t indent, const struct zh_node *node, size_t title_width)
{
	const struct zh_cell *cell = &node->cells[0];
	zh_autobuf first = {}, text = {};
	char buf[48];

	zh_page_pad(&first, node->title, strlen(node->title), title_width + 2, false);
	if (cell->type == ZH_CELL_UNAVAILABLE)
		zh_buf_adds(&text, "not available: ");
	zh_buf_adds(&text, zh_cell_text(cell, buf, sizeof(buf)));
	if (cell->type == ZH_CELL_PACKETS)
		zh_buf_adds(&text, cell->u == 1 ? " packet" : " packets");
	if (first.failed || text.failed)
		page->out.failed = true;
	else
		zh_page_wrap(page, indent, first.text, "", text.text);
}

/* Draws a run of values with their titles aligned; returns the last one drawn. */
static const struct zh_node *draw_values(
	struct zh_page *page, size_t indent, const struct zh_node *first)
{
	const struct zh_node *node, *last = first;
	size_t width = 0;

	for (node = first; node && node->type == ZH_NODE_VALUE; node = next_shown(node->next))
		width = ZH_MAX(width, zh_utf8_columns(node->title, strlen(node->title)));
	width = ZH_MIN(width, page->width / 2);
	for (node = first; node && node->type == ZH_NODE_VALUE; node = next_shown(node->next)) {
		draw_value(page, indent, node, width);
		last = node;
	}
	return last;
}

static void draw_list(struct zh_page *page, size_t indent, const struct zh_node *node)
{
	const struct zh_node *item;

	zh_page_line(page, indent, node->title, ZH_STYLE_BOLD, strlen(node->title));
	indent += ZH_PAGE_INDENT;
	if (!node->first)
		zh_page_line(page, indent, "none", "", 0);
	for (item = node->first; item; item = item->next)
		zh_page_wrap(page, indent, "• ", "", item->text);
}

static void draw_children(struct zh_page *page, size_t indent, const struct zh_node *parent);

static void draw_object(struct zh_page *page, size_t indent, const struct zh_node *node)
{
	zh_page_line(page, indent, node->title, ZH_STYLE_BOLD, strlen(node->title));
	draw_children(page, indent + ZH_PAGE_INDENT, node);
}

/* Text that belongs to people only, as it is or wrapped. */
static void draw_text(struct zh_page *page, size_t indent, const struct zh_node *node)
{
	if (node->type == ZH_NODE_LINE)
		zh_page_raw(page, indent, node->text);
	else
		zh_page_wrap(page, indent, "", "", node->text);
}

/* Bold, the whole of it. */
static void draw_headline(struct zh_page *page, size_t indent, const struct zh_node *node)
{
	const char *text = node->text;
	size_t len, next;

	while (*text) {
		zh_autobuf line = {};

		len = zh_page_break(text, page->width - ZH_MIN(indent, page->width - 1), &next);
		zh_buf_add(&line, text, len);
		if (line.failed)
			page->out.failed = true;
		else
			zh_page_line(page, indent, line.text, ZH_STYLE_BOLD, len);
		text += next;
	}
}

/* Draws one block; returns the node that was drawn last. */
static const struct zh_node *draw(struct zh_page *page, size_t indent, const struct zh_node *node)
{
	switch (node->type) {
	case ZH_NODE_OBJECT:
		draw_object(page, indent, node);
		break;
	case ZH_NODE_HEADLINE:
		draw_headline(page, indent, node);
		break;
	case ZH_NODE_VALUE:
		return draw_values(page, indent, node);
	case ZH_NODE_TEXT:
	case ZH_NODE_LINE:
		draw_text(page, indent, node);
		break;
	case ZH_NODE_LIST:
		draw_list(page, indent, node);
		break;
	case ZH_NODE_TABLE:
		zh_page_table(page, indent, node);
		break;
	case ZH_NODE_HISTOGRAM:
		zh_page_histogram(page, indent, node);
		break;
	case ZH_NODE_STRIP:
		zh_page_strip(page, indent, node);
		break;
	case ZH_NODE_FINDINGS:
		zh_page_findings(page, indent, node);
		break;
	case ZH_NODE_WAY:
		zh_page_way(page, indent, node);
		break;
	default: /* items, rows, findings and steps are drawn by their parents */
		break;
	}
	return node;
}

/* The root's headline is drawn before everything else, see draw_root(). */
static bool is_drawn_here(const struct zh_node *node)
{
	bool in_root = node->type == ZH_NODE_HEADLINE && node->is_answer;

	return is_shown(node) && !in_root;
}

static void draw_children(struct zh_page *page, size_t indent, const struct zh_node *parent)
{
	const struct zh_node *node, *before = NULL;

	for (node = parent->first; node; node = node->next) {
		if (!is_drawn_here(node))
			continue;
		if (before && (before->type != ZH_NODE_LINE || node->type != ZH_NODE_LINE))
			zh_page_gap(page);
		before = node = draw(page, indent, node);
	}
}

static void draw_root(struct zh_page *page, const struct zh_node *root)
{
	const struct zh_node *node;

	for (node = root->first; node; node = node->next)
		if (is_shown(node) && !is_drawn_here(node))
			draw_headline(page, 0, node);
	zh_page_gap(page);
	draw_children(page, 0, root);
}

int zh_render_text(
	const struct zh_doc *doc, const struct zh_text_style *style, FILE *out, struct zh_err *err)
{
	struct zh_page page = {
		.width = style->width ? style->width : DEFAULT_WIDTH, .color = style->color};
	zh_autofree char *text = NULL;

	page.width = ZH_MAX(page.width, (size_t)MIN_WIDTH);
	if (doc && !doc->failed)
		draw_root(&page, doc->root);
	if (!doc || doc->failed || page.out.failed) {
		zh_buf_done(&page.out);
		return zh_err_sys(err, -ENOMEM, "cannot write the document");
	}
	text = zh_buf_take(&page.out);
	if (!text)
		return zh_err_sys(err, -ENOMEM, "cannot write the document");
	if (style->ascii)
		zh_utf8_to_ascii(text);
	errno = 0;
	if (fputs(text, out) < 0 || fflush(out) < 0)
		return zh_err_sys(err, errno ? -errno : -EIO, "cannot write the output");
	return 0;
}
