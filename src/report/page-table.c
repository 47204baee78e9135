/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Tables: columns as wide as their content, numbers on the right, words wrapped inside their
 * column when the page is too narrow. A value that is not available shows a number in brackets,
 * and its reason stands below the table.
 */
#include "report/page.h"

#include <stdio.h>
#include <string.h>

#include "base/util.h"
#include "report/utf8.h"

#define GAP 2        /* between columns */
#define MIN_COLUMN 3 /* columns are not made narrower than this */

struct column {
	size_t index;       /* into the node's columns and the rows' cells */
	size_t width, word; /* of the column; of its longest word */
	bool is_number;
	const char *rest; /* of the row being drawn: what is not drawn yet */
	char buf[48];
};

struct table {
	const struct zh_node *node;
	struct column *columns; /* those with a heading */
	size_t n;
	const char **reasons; /* different reasons of unavailable cells, in order */
	size_t n_reasons;
};

/* Number of the reason from 1, adding it when new. The array has room for one a cell. */
static size_t reason_number(struct table *table, const char *why)
{
	size_t i;

	for (i = 0; i < table->n_reasons; i++)
		if (!strcmp(table->reasons[i], why))
			return i + 1;
	table->reasons[table->n_reasons++] = why;
	return table->n_reasons;
}

/* Makes the cell's text the rest to draw of its column. */
static void load_cell(struct table *table, struct column *column, const struct zh_cell *cell)
{
	if (cell->type == ZH_CELL_UNAVAILABLE && cell->s) {
		snprintf(column->buf, sizeof(column->buf), "n/a [%zu]",
			reason_number(table, cell->s));
		column->rest = column->buf;
		return;
	}
	column->rest = zh_cell_text(cell, column->buf, sizeof(column->buf));
}

static bool column_is_number(const struct zh_node *node, size_t index)
{
	const struct zh_node *row;
	bool any = false;

	for (row = node->first; row; row = row->next) {
		const struct zh_cell *cell = &row->cells[index];

		if (zh_cell_is_number(cell))
			any = true;
		else if (cell->type != ZH_CELL_NULL && cell->type != ZH_CELL_UNAVAILABLE)
			return false;
	}
	return any;
}

static size_t longest_word(const char *text)
{
	size_t longest = 0, len;

	for (; *text; text += len) {
		text += strspn(text, " \n");
		len = strcspn(text, " \n");
		longest = ZH_MAX(longest, zh_utf8_columns(text, len));
	}
	return longest;
}

static void widen(struct column *column, const char *text)
{
	column->width = ZH_MAX(column->width, zh_utf8_columns(text, strlen(text)));
	column->word = ZH_MAX(column->word, longest_word(text));
}

static void measure(struct table *table)
{
	const struct zh_node *row;
	struct column *column;
	size_t i;

	for (i = 0; i < table->n; i++) {
		column = &table->columns[i];
		column->is_number = column_is_number(table->node, column->index);
		widen(column, table->node->columns[column->index].heading);
		for (row = table->node->first; row; row = row->next) {
			load_cell(table, column, &row->cells[column->index]);
			widen(column, column->rest);
		}
		if (column->is_number)
			column->word = column->width;
	}
}

/* Narrows the widest column that is wider than its own longest word, or than `min` if that is
 * not 0; false when there is none. */
static bool narrow_one(struct table *table, size_t min)
{
	struct column *found = NULL, *column;
	size_t i;

	for (i = 0; i < table->n; i++) {
		column = &table->columns[i];
		if (column->width > (min ? min : column->word) &&
			(!found || column->width > found->width))
			found = column;
	}
	if (found)
		found->width--;
	return found;
}

/* Narrows columns until the table fits into `room`: between words first, then within them. */
static void fit(struct table *table, size_t room)
{
	size_t total = 0, i;

	for (i = 0; i < table->n; i++)
		total += table->columns[i].width + (i ? GAP : 0);
	for (; total > room; total--)
		if (!narrow_one(table, 0) && !narrow_one(table, MIN_COLUMN))
			return;
}

/* Draws what the columns hold in `rest`, in as many lines as the longest needs. */
static void draw_rest(struct zh_page *page, size_t indent, struct table *table)
{
	size_t i, len, next;
	bool more = true;

	while (more) {
		zh_autobuf line = {};

		more = false;
		for (i = 0; i < table->n; i++) {
			struct column *column = &table->columns[i];

			len = zh_page_break(column->rest, column->width, &next);
			if (i > 0)
				zh_page_pad(&line, "", 0, GAP, false);
			zh_page_pad(&line, column->rest, len, column->width, column->is_number);
			column->rest += next;
			more |= *column->rest != '\0';
		}
		if (line.failed)
			page->out.failed = true;
		else
			zh_page_line(page, indent, line.text ? line.text : "", "", 0);
	}
}

static void draw(struct zh_page *page, size_t indent, struct table *table)
{
	const struct zh_node *row;
	char number[48];
	size_t i;

	for (i = 0; i < table->n; i++)
		table->columns[i].rest = table->node->columns[table->columns[i].index].heading;
	draw_rest(page, indent, table);
	for (row = table->node->first; row; row = row->next) {
		for (i = 0; i < table->n; i++)
			load_cell(table, &table->columns[i], &row->cells[table->columns[i].index]);
		draw_rest(page, indent, table);
	}
	for (i = 0; i < table->n_reasons; i++) {
		snprintf(number, sizeof(number), "[%zu] not available: ", i + 1);
		zh_page_wrap(page, indent, number, "", table->reasons[i]);
	}
}

void zh_page_table(struct zh_page *page, size_t indent, const struct zh_node *node)
{
	zh_autofree struct column *columns = calloc(node->n + 1, sizeof(*columns));
	zh_autofree const char **reasons = NULL;
	struct table table = {.node = node, .columns = columns};
	const struct zh_node *row;
	size_t rows = 0, i;

	zh_page_line(page, indent, node->title, ZH_STYLE_BOLD, strlen(node->title));
	indent += ZH_PAGE_INDENT;
	for (row = node->first; row; row = row->next)
		rows++;
	if (rows == 0) {
		zh_page_line(page, indent, "none", "", 0);
		return;
	}
	table.reasons = reasons = calloc(rows * (node->n + 1), sizeof(*reasons));
	if (!columns || !reasons) {
		page->out.failed = true;
		return;
	}
	for (i = 0; i < node->n; i++)
		if (node->columns[i].heading)
			columns[table.n++].index = i;
	measure(&table);
	fit(&table, page->width > indent ? page->width - indent : 1);
	draw(page, indent, &table);
}
