/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Findings: a head line (how bad, what, how much of the time, how sure), the summary, the evidence
 * in numbers, the cure and what it costs.
 */
#include "report/page.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/units.h"
#include "base/util.h"

static const struct mark {
	const char *severity, *mark, *style;
} marks[] = {
	{"critical", "✖", ZH_STYLE_RED},
	{"warning", "▲", ZH_STYLE_YELLOW},
	{"low", "○", ZH_STYLE_CYAN},
	{"info", "·", ""},
};

static const struct mark *mark_of(const char *severity)
{
	size_t i;

	for (i = 0; i < ZH_ARRAY_SIZE(marks) - 1; i++)
		if (severity && !strcmp(severity, marks[i].severity))
			break;
	return &marks[i];
}

/* "12.3 ms (71 % of the excess) in 23 samples", or "23 lost probes (71 % of all lost)". */
static void add_attribution(struct zh_buf *buf, const struct zh_finding_view *view)
{
	const struct zh_cell share = zh_share(view->attributed_share);
	char ns[32], percent[32];

	zh_cell_text(&share, percent, sizeof(percent));
	if (view->of_lost) {
		zh_buf_addf(buf, "  %" PRIu64 " lost probe%s (%s of all lost)", view->samples,
			view->samples == 1 ? "" : "s", percent);
		return;
	}
	zh_buf_addf(buf, "  %s (%s of the excess) in %" PRIu64 " sample%s",
		zh_format_ns(ns, sizeof(ns), view->attributed_ns), percent, view->samples,
		view->samples == 1 ? "" : "s");
}

static void draw_head(struct zh_page *page, size_t indent, const struct zh_finding_view *view)
{
	const struct mark *mark = mark_of(view->severity);
	zh_autobuf line = {};
	char first[64];

	snprintf(first, sizeof(first), "%s %s  ", mark->mark, mark->severity);
	zh_buf_addf(&line, "%s", view->id ? view->id : "?");
	if (view->has_attribution)
		add_attribution(&line, view);
	if (view->confidence)
		zh_buf_addf(&line, "  %s confidence", view->confidence);
	if (line.failed)
		page->out.failed = true;
	else
		zh_page_wrap(page, indent, first, mark->style, line.text);
}

static bool is_info(const struct zh_finding_view *view)
{
	return view->severity && !strcmp(view->severity, "info");
}

/* What is only worth knowing gets one line; JSON and zerohop-explain have the rest. */
static void draw_info(struct zh_page *page, size_t indent, const struct zh_finding_view *view)
{
	zh_autobuf line = {};

	zh_buf_addf(&line, "%s: %s", view->id ? view->id : "?", view->summary ? view->summary : "");
	if (line.failed)
		page->out.failed = true;
	else
		zh_page_wrap(page, indent, "· info  ", "", line.text);
}

static void draw_finding(struct zh_page *page, size_t indent, const struct zh_finding_view *view)
{
	size_t i;

	draw_head(page, indent, view);
	indent += ZH_PAGE_INDENT;
	if (view->summary)
		zh_page_wrap(page, indent, "", "", view->summary);
	for (i = 0; view->evidence && view->evidence[i]; i++)
		zh_page_wrap(page, indent, "• ", "", view->evidence[i]);
	if (view->cure)
		zh_page_wrap(page, indent, "cure: ", "", view->cure);
	if (view->cost)
		zh_page_wrap(page, indent, "cost: ", "", view->cost);
}

void zh_page_findings(struct zh_page *page, size_t indent, const struct zh_node *node)
{
	const struct zh_node *child;

	zh_page_line(page, indent, node->title, ZH_STYLE_BOLD, strlen(node->title));
	indent += ZH_PAGE_INDENT;
	if (!node->first)
		zh_page_line(page, indent, "none", "", 0);
	for (child = node->first; child; child = child->next) {
		bool info = is_info(child->finding);

		if (info)
			draw_info(page, indent, child->finding);
		else
			draw_finding(page, indent, child->finding);
		if (child->next && !(info && is_info(child->next->finding)))
			zh_page_gap(page);
	}
}
