/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A strip of samples in time: a logarithmic bar a column, the slowest sample when a column stands
 * for several, and under it what was slow or lost.
 *
 * The height runs from the fastest to the slowest sample, but over at least a factor of two: the
 * noise of a healthy path must not look like mountains.
 */
#include "report/page.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/units.h"
#include "base/util.h"

#define LABEL 8   /* columns of the axis' labels */
#define LEVELS 8u /* eighths of a line */

struct strip {
	const struct zh_node *node;
	size_t columns, rows;
	uint64_t min_ns, max_ns;
	bool has_marks, has_lost, has_values;
};

struct bucket {
	uint64_t max_ns; /* of the answered ones */
	bool answered, lost, marked;
};

/* What column `c` stands for: samples c * n / columns up to the next column's first. */
static struct bucket bucket_of(const struct strip *strip, size_t c)
{
	const struct zh_node *node = strip->node;
	size_t i = c * node->n / strip->columns, end = (c + 1) * node->n / strip->columns;
	struct bucket bucket = {};

	for (; i < end; i++) {
		bucket.marked |= node->marks[i];
		if (node->values_ns[i] == UINT64_MAX) {
			bucket.lost = true;
			continue;
		}
		bucket.answered = true;
		bucket.max_ns = ZH_MAX(bucket.max_ns, node->values_ns[i]);
	}
	return bucket;
}

static void measure(struct strip *strip)
{
	const struct zh_node *node = strip->node;
	uint64_t ratio;
	size_t i;

	strip->min_ns = UINT64_MAX;
	for (i = 0; i < node->n; i++) {
		strip->has_marks |= node->marks[i];
		if (node->values_ns[i] == UINT64_MAX) {
			strip->has_lost = true;
			continue;
		}
		strip->has_values = true;
		strip->min_ns = ZH_MIN(strip->min_ns, ZH_MAX(node->values_ns[i], 1u));
		strip->max_ns = ZH_MAX(strip->max_ns, node->values_ns[i]);
	}
	if (!strip->has_values)
		return;
	ratio = strip->max_ns / strip->min_ns;
	strip->rows = ratio < 4 ? 2 : ratio < 32 ? 3 : 4;
}

/* Height of a bar in eighths of a line, from 1 to all lines. */
static unsigned int level_of(const struct strip *strip, uint64_t ns)
{
	double low = log((double)strip->min_ns);
	double high = ZH_MAX(log((double)ZH_MAX(strip->max_ns, 1u)), low + log(2));
	double share = (log((double)ZH_MAX(ns, 1u)) - low) / (high - low);
	unsigned int top = LEVELS * (unsigned int)strip->rows - 1;

	return 1 + (unsigned int)lround(share * top);
}

static void draw_bars(struct zh_page *page, size_t indent, const struct strip *strip, size_t row)
{
	static const char *const blocks[] = {" ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
	unsigned int below = (unsigned int)(strip->rows - 1 - row) * LEVELS, level;
	zh_autobuf line = {};
	char label[32] = "";
	struct bucket bucket;
	size_t c;

	if (row == 0)
		zh_format_ns(label, sizeof(label), strip->max_ns);
	else if (row == strip->rows - 1)
		zh_format_ns(label, sizeof(label), strip->min_ns);
	zh_page_pad(&line, label, strlen(label), LABEL, true);
	zh_buf_adds(&line, " ┤");
	for (c = 0; c < strip->columns; c++) {
		bucket = bucket_of(strip, c);
		level = bucket.answered ? level_of(strip, bucket.max_ns) : 0;
		zh_buf_adds(&line, blocks[level > below ? ZH_MIN(level - below, LEVELS) : 0]);
	}
	if (line.failed)
		page->out.failed = true;
	else
		zh_page_line(page, indent, line.text, "", 0);
}

static void draw_marks(struct zh_page *page, size_t indent, const struct strip *strip)
{
	zh_autobuf line = {};
	struct bucket bucket;
	size_t c;

	if (!strip->has_marks && !strip->has_lost)
		return;
	zh_page_pad(&line, "", 0, LABEL + 2, false);
	for (c = 0; c < strip->columns; c++) {
		bucket = bucket_of(strip, c);
		zh_buf_adds(&line, bucket.lost ? "×" : bucket.marked ? "^" : " ");
	}
	if (line.failed)
		page->out.failed = true;
	else
		zh_page_line(page, indent, line.text, "", 0);
}

static void draw_caption(struct zh_page *page, size_t indent, const struct strip *strip)
{
	size_t n = strip->node->n, most = (n + strip->columns - 1) / strip->columns;
	char text[160], each[64] = "";

	if (most > 1)
		snprintf(each, sizeof(each), ", each column the slowest of up to %zu", most);
	snprintf(text, sizeof(text), "%zu sample%s in order%s%s%s%s%s", n, n == 1 ? "" : "s", each,
		strip->has_marks || strip->has_lost ? "; " : "", strip->has_marks ? "^ slow" : "",
		strip->has_marks && strip->has_lost ? ", " : "", strip->has_lost ? "× lost" : "");
	zh_page_wrap(page, indent + LABEL + 2, "", "", text);
}

void zh_page_strip(struct zh_page *page, size_t indent, const struct zh_node *node)
{
	struct strip strip = {.node = node};
	size_t room, row;

	if (node->title) {
		zh_page_line(page, indent, node->title, ZH_STYLE_BOLD, strlen(node->title));
		indent += ZH_PAGE_INDENT;
	}
	room = page->width > indent + LABEL + 2 ? page->width - indent - LABEL - 2 : 1;
	strip.columns = ZH_MIN(node->n, room);
	measure(&strip);
	for (row = 0; row < strip.rows; row++)
		draw_bars(page, indent, &strip, row);
	draw_marks(page, indent, &strip);
	draw_caption(page, indent, &strip);
}
