/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Histograms. RTTs spread over decades and their tails are what matters, so: bars become
 * logarithmic when the counts span more than LINEAR_SPAN, empty bins at both ends are dropped,
 * long runs of empty bins in the middle become one line, and neighbouring bins are merged until
 * at most MAX_ROWS lines are left.
 */
#include "report/page.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/units.h"
#include "base/util.h"
#include "report/utf8.h"

#define MAX_ROWS 24
#define MAX_BAR 50
#define LINEAR_SPAN 40
#define GAP_ROWS 3 /* as many empty rows in a run are drawn as one line */

/* A view of the bins: from first to last non-empty one, `merge` bins a row. */
struct rows {
	const struct zh_node *node;
	size_t first, n, merge;
	uint64_t max, min; /* counts of the largest and smallest non-empty row */
	bool is_log;
	size_t count_width, label_width;
};

static uint64_t row_count(const struct rows *rows, size_t row)
{
	size_t i = rows->first + row * rows->merge, end = ZH_MIN(i + rows->merge, rows->node->n);
	uint64_t count = 0;

	for (; i < end; i++)
		count += rows->node->counts[i];
	return count;
}

static uint64_t row_edge(const struct rows *rows, size_t row)
{
	return rows->node->edges_ns[ZH_MIN(rows->first + row * rows->merge, rows->node->n)];
}

/* How many empty rows start at `row`. */
static size_t empty_run(const struct rows *rows, size_t row)
{
	size_t i = row;

	while (i < rows->n && row_count(rows, i) == 0)
		i++;
	return i - row;
}

/* Steps over one drawn line; *ret_gap says whether it is a gap. */
static size_t next_row(const struct rows *rows, size_t row, bool *ret_gap)
{
	size_t run = empty_run(rows, row);

	*ret_gap = run >= GAP_ROWS;
	return row + (*ret_gap ? run : 1);
}

static size_t count_lines(const struct rows *rows)
{
	size_t row, lines = 0;
	bool gap;

	for (row = 0; row < rows->n; row = next_row(rows, row, &gap))
		lines++;
	return lines;
}

/* Chooses the bins to draw; false when all are empty. */
static bool choose_rows(struct rows *rows)
{
	const struct zh_node *node = rows->node;
	size_t last = node->n;

	while (rows->first < node->n && node->counts[rows->first] == 0)
		rows->first++;
	if (rows->first == node->n)
		return false;
	while (node->counts[last - 1] == 0)
		last--;
	do {
		rows->merge++;
		rows->n = (last - rows->first + rows->merge - 1) / rows->merge;
	} while (count_lines(rows) > MAX_ROWS);
	return true;
}

static void edge_label(char *buf, size_t size, uint64_t ns)
{
	if (ns == UINT64_MAX)
		snprintf(buf, size, "more");
	else
		zh_format_ns(buf, size, ns);
}

static void measure(struct rows *rows)
{
	char text[32];
	uint64_t count;
	size_t row;

	rows->min = UINT64_MAX;
	for (row = 0; row < rows->n; row++) {
		count = row_count(rows, row);
		rows->max = ZH_MAX(rows->max, count);
		if (count > 0)
			rows->min = ZH_MIN(rows->min, count);
	}
	for (row = 0; row <= rows->n; row++) {
		edge_label(text, sizeof(text), row_edge(rows, row));
		rows->label_width = ZH_MAX(rows->label_width, strlen(text));
	}
	rows->count_width = (size_t)snprintf(text, sizeof(text), "%" PRIu64, rows->max);
	rows->is_log = rows->max / rows->min > LINEAR_SPAN;
}

/* Adds a bar of count / max of `columns`, in eighths of a column; never empty for a count. */
static void add_bar(struct zh_buf *buf, const struct rows *rows, uint64_t count, size_t columns)
{
	static const char *const parts[] = {"", "▏", "▎", "▍", "▌", "▋", "▊", "▉"};
	double share = (double)count / (double)rows->max;
	size_t eighths;

	if (count == 0)
		return;
	if (rows->is_log)
		share = log2(1 + (double)count) / log2(1 + (double)rows->max);
	eighths = (size_t)lround(share * 8 * (double)columns);
	eighths = ZH_MAX(eighths, 1u);
	for (; eighths >= 8; eighths -= 8)
		zh_buf_adds(buf, "█");
	zh_buf_adds(buf, parts[eighths]);
}

static void draw_row(struct zh_page *page, size_t indent, const struct rows *rows, size_t row)
{
	zh_autobuf line = {};
	char low[32], high[32];
	uint64_t count = row_count(rows, row);
	size_t used = 2 * rows->label_width + 3 + 2 + rows->count_width + 2, room;

	edge_label(low, sizeof(low), row_edge(rows, row));
	edge_label(high, sizeof(high), row_edge(rows, row + 1));
	room = page->width > indent + used ? page->width - indent - used : 1;
	zh_buf_addf(&line, "%*s – %*s  %*" PRIu64 "  ", (int)rows->label_width, low,
		(int)rows->label_width, high, (int)rows->count_width, count);
	add_bar(&line, rows, count, ZH_MIN(room, (size_t)MAX_BAR));
	if (line.failed)
		page->out.failed = true;
	else
		zh_page_line(page, indent, line.text, "", 0);
}

void zh_page_histogram(struct zh_page *page, size_t indent, const struct zh_node *node)
{
	struct rows rows = {.node = node};
	size_t row, next;
	bool gap;

	zh_page_line(page, indent, node->title, ZH_STYLE_BOLD, strlen(node->title));
	indent += ZH_PAGE_INDENT;
	if (!choose_rows(&rows)) {
		zh_page_line(page, indent, "none", "", 0);
		return;
	}
	measure(&rows);
	for (row = 0; row < rows.n; row = next) {
		next = next_row(&rows, row, &gap);
		if (gap)
			zh_page_line(page, indent + rows.label_width + 1, "…", "", 0);
		else
			draw_row(page, indent, &rows, row);
	}
	if (rows.is_log)
		zh_page_line(page, indent, "(bars are logarithmic)", "", 0);
}
