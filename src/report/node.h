/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The document's tree as renderers see it. Private to this module. Everything a node points to is
 * owned by it; all strings are valid UTF-8 without control characters other than '\n'.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "report/doc.h"

enum zh_node_type {
	ZH_NODE_OBJECT, /* children: anything but items, rows and findings */
	ZH_NODE_HEADLINE,
	ZH_NODE_VALUE,
	ZH_NODE_TEXT,
	ZH_NODE_LINE,
	ZH_NODE_LIST, /* children: items */
	ZH_NODE_ITEM,
	ZH_NODE_TABLE, /* children: rows */
	ZH_NODE_ROW,   /* children: JSON only */
	ZH_NODE_HISTOGRAM,
	ZH_NODE_STRIP,
	ZH_NODE_FINDINGS, /* children: findings */
	ZH_NODE_FINDING,
	ZH_NODE_WAY, /* children: steps */
	ZH_NODE_STEP,
};

struct zh_node {
	enum zh_node_type type;
	struct zh_doc *doc;
	char *key, *title; /* NULL: not in JSON; not for people */
	struct zh_node *first, *last, *next;

	char *text;     /* headline, text, line, item */
	bool is_answer; /* the document's own headline: first on the page */

	struct zh_column *columns; /* table */
	struct zh_cell *cells;     /* value: one; row: as many as the table has columns */
	size_t n;                  /* columns, cells, bins, or samples of a strip */

	uint64_t *edges_ns, *counts; /* histogram: n + 1, n */
	uint64_t *values_ns;         /* strip */
	bool *marks;

	struct zh_finding_view *finding; /* with owned strings */
	struct zh_step_view *step;
};

struct zh_doc {
	struct zh_node *root;
	char *command;
	bool failed; /* out of memory while building */
};

/* True for the cell types that are numbers and stand right-aligned in a column. */
bool zh_cell_is_number(const struct zh_cell *cell);
