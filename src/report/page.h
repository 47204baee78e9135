/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The page that the text renderer writes on. Private to this module. No line is wider than the
 * page; lines have no trailing blanks; two blocks are separated by at most one empty line.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"
#include "report/node.h"

/* Escape sequences' parameters; "" means plain. */
#define ZH_STYLE_BOLD "1"
#define ZH_STYLE_RED "1;31"
#define ZH_STYLE_YELLOW "33"
#define ZH_STYLE_CYAN "36"

struct zh_page {
	struct zh_buf out;
	size_t width;    /* columns */
	bool color, gap; /* gap: an empty line is due before the next one */
};

/* Asks for one empty line before whatever comes next (never at the top of the page). */
void zh_page_gap(struct zh_page *page);

/* One line at `indent`, cut with an ellipsis when too wide; its first `styled` bytes in `style`. */
void zh_page_line(
	struct zh_page *page, size_t indent, const char *text, const char *style, size_t styled);

/* `first` in `style` at `indent`, then `text` wrapped between the column where `first` ends and
 * the page's edge. '\n' in `text` starts a new line. */
void zh_page_wrap(struct zh_page *page, size_t indent, const char *first, const char *style,
	const char *text);

/* `text` as it is at `indent`, however long. */
void zh_page_raw(struct zh_page *page, size_t indent, const char *text);

/*
 * Length in bytes of the first line of `text` when it may have `columns` columns (at least 1), cut
 * between words where possible; *ret_next is where the next line starts.
 */
size_t zh_page_break(const char *text, size_t columns, size_t *ret_next);

/* Adds `text` (its first `bytes` bytes) to buf, padded to `columns` on the left or right. */
void zh_page_pad(struct zh_buf *buf, const char *text, size_t bytes, size_t columns, bool right);

/* A cell as text: what does not need `buf` points into the cell. */
const char *zh_cell_text(const struct zh_cell *cell, char *buf, size_t size);

/* The blocks; each draws its own title. `indent` is the title's. */
void zh_page_table(struct zh_page *page, size_t indent, const struct zh_node *node);
void zh_page_histogram(struct zh_page *page, size_t indent, const struct zh_node *node);
void zh_page_strip(struct zh_page *page, size_t indent, const struct zh_node *node);
void zh_page_findings(struct zh_page *page, size_t indent, const struct zh_node *node);
void zh_page_way(struct zh_page *page, size_t indent, const struct zh_node *node);

#define ZH_PAGE_INDENT 2
