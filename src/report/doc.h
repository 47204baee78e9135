/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The typed document that every command builds and every renderer draws.
 *
 * A document is a tree of nodes. Each node has a JSON key and, when people should see it, a title.
 * Renderers know only this file; producers never format a number. One node serves text and JSON,
 * so the two cannot disagree. Units are in the cell's type; JSON keys carry them by name (`_ns`).
 *
 * All strings passed in are copied. Allocation failure makes the document `failed`: rendering then
 * returns -ENOMEM, and no builder function needs a check (they accept a NULL node).
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "base/err.h"
#include "report/cell.h"

struct zh_doc;
struct zh_node;

/* A document for `command` ("doctor"): the root object holds zerohop, schema, command. */
struct zh_doc *zh_doc_new(const char *command);
struct zh_doc *zh_doc_free(struct zh_doc *doc);
struct zh_node *zh_doc_root(struct zh_doc *doc);

/*
 * Builders. `key` NULL: shown to people only. `title` NULL: for JSON only.
 * The order of calls is the order in both outputs.
 */

/* The answer in one line, first in the text output. `key` as everywhere. */
void zh_node_headline(struct zh_node *parent, const char *key, const char *text);

/* A nested JSON object; in text a section with its title as heading. */
struct zh_node *zh_node_object(struct zh_node *parent, const char *key, const char *title);

/* key: value. In text, consecutive values of one object are drawn as aligned "title  value" lines.
 */
void zh_node_value(struct zh_node *parent, const char *key, const char *title, struct zh_cell cell);

/* A paragraph for people only; wrapped at the page width. */
void zh_node_text(struct zh_node *parent, const char *text);

/* A line printed as it is, never wrapped; people only (ping's one line a reply). */
void zh_node_line(struct zh_node *parent, const char *text);

/* JSON array of strings; in text a bullet list. */
struct zh_node *zh_node_list(struct zh_node *parent, const char *key, const char *title);
void zh_node_item(struct zh_node *list, const char *text);
/* A number in a list that is for JSON only (without a title). */
void zh_node_item_value(struct zh_node *list, struct zh_cell cell);

/*
 * A table: JSON array of objects, one a row, keyed by the columns' keys. Columns with a NULL
 * heading are for JSON only, with a NULL key for people only. The columns array is copied.
 */
struct zh_column {
	const char *key, *heading;
};
struct zh_node *zh_node_table(struct zh_node *parent, const char *key, const char *title,
	const struct zh_column *columns, size_t n_columns);
/* Adds a row of exactly n_columns cells; returns the row, an object that may get more JSON-only
 * children (nested lists, objects). */
struct zh_node *zh_node_row(struct zh_node *table, const struct zh_cell *cells);

/* A histogram: n bins, bin i covers [edges_ns[i], edges_ns[i+1]); JSON {edges_ns:[], counts:[]}. */
void zh_node_histogram(struct zh_node *parent, const char *key, const char *title,
	const uint64_t *edges_ns, const uint64_t *counts, size_t n_bins);

/* A strip of values in time (RTT of each sample in order), marks where mark[i] is set;
 * text: a few lines of block characters, at most page width columns; JSON-less (samples are in
 * the record). value UINT64_MAX means lost. */
void zh_node_strip(struct zh_node *parent, const char *title, const uint64_t *values_ns,
	const bool *marks, size_t n);

/* A finding, drawn as a block: severity mark, summary, evidence bullets, cure. */
struct zh_finding_view {
	const char *id, *kind;       /* "run-queue-wait", "cause" | "check" */
	const char *severity;        /* "info" | "low" | "warning" | "critical" */
	const char *confidence;      /* "low" | "medium" | "high" */
	bool has_attribution;        /* false: attributed_* and samples are JSON null */
	uint64_t attributed_ns;      /* summed over samples */
	double attributed_share;     /* of the excess of all explained samples, 0..1 */
	uint64_t samples;            /* how many samples it was found in */
	const char *summary;         /* one sentence */
	const char *const *evidence; /* NULL-terminated sentences with numbers */
	const char *const *remedies; /* NULL-terminated knob ids (JSON `remedies`) */
	const char *cure, *cost;     /* sentences for people; also JSON `cure`, `cost` */
	bool of_lost;                /* attributed_share is of all lost probes instead */
};
struct zh_node *zh_node_findings(struct zh_node *parent, const char *key, const char *title);
void zh_node_finding(struct zh_node *findings, const struct zh_finding_view *view);

/*
 * The way of a packet, drawn from top to bottom: a step a line with its counts at the right edge,
 * a section for each place (network namespace). JSON: an array of objects {place, kind, dev, hook,
 * title, notes, unseen, ends, requests, replies}.
 */
struct zh_step_view {
	const char *place;        /* "here", "netns blue"; a new section where it changes */
	const char *kind;         /* "device" */
	const char *dev, *hook;   /* may be NULL */
	const char *title;        /* one line; may be NULL */
	const char *const *notes; /* NULL-terminated further lines; may be NULL */
	const char *unseen;       /* why it could not be looked at, or NULL */
	const char *ends;         /* why the way ends here, or NULL */
	bool has_requests, has_replies;
	uint64_t requests, replies; /* packets counted there */
};
struct zh_node *zh_node_way(struct zh_node *parent, const char *key, const char *title);
void zh_node_step(struct zh_node *way, const struct zh_step_view *view);

/* Renderers: write the whole document. 0, or -ENOMEM / -EIO with err set. */
struct zh_text_style {
	unsigned int width; /* columns; 0 = 99 */
	bool color;
	bool ascii; /* no block characters */
};
int zh_render_text(
	const struct zh_doc *doc, const struct zh_text_style *style, FILE *out, struct zh_err *err);
int zh_render_json(const struct zh_doc *doc, FILE *out, struct zh_err *err);
