/* SPDX-License-Identifier: BSD-2-Clause */
#include "report/doc.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/util.h"
#include "report/node.h"
#include "report/utf8.h"

bool zh_cell_is_number(const struct zh_cell *cell)
{
	return cell->type == ZH_CELL_NS || cell->type == ZH_CELL_NS_SIGNED ||
	       cell->type == ZH_CELL_BYTES || cell->type == ZH_CELL_BYTES_PER_S ||
	       cell->type == ZH_CELL_PACKETS || cell->type == ZH_CELL_COUNT ||
	       cell->type == ZH_CELL_SHARE || cell->type == ZH_CELL_RATE ||
	       cell->type == ZH_CELL_REAL;
}

static void finding_free(struct zh_finding_view *finding)
{
	size_t i;

	if (!finding)
		return;
	for (i = 0; finding->evidence && finding->evidence[i]; i++)
		free((char *)finding->evidence[i]);
	for (i = 0; finding->remedies && finding->remedies[i]; i++)
		free((char *)finding->remedies[i]);
	free((void *)finding->evidence);
	free((void *)finding->remedies);
	free((char *)finding->id);
	free((char *)finding->kind);
	free((char *)finding->severity);
	free((char *)finding->confidence);
	free((char *)finding->summary);
	free((char *)finding->cure);
	free((char *)finding->cost);
	free(finding);
}

static void step_free(struct zh_step_view *step)
{
	size_t i;

	if (!step)
		return;
	for (i = 0; step->notes && step->notes[i]; i++)
		free((char *)step->notes[i]);
	free((void *)step->notes);
	free((char *)step->place);
	free((char *)step->kind);
	free((char *)step->dev);
	free((char *)step->hook);
	free((char *)step->title);
	free((char *)step->unseen);
	free((char *)step->ends);
	free(step);
}

static void node_free(struct zh_node *node)
{
	struct zh_node *child, *next;
	size_t i;

	if (!node)
		return;
	for (child = node->first; child; child = next) {
		next = child->next;
		node_free(child);
	}
	for (i = 0; node->columns && i < node->n; i++) {
		free((char *)node->columns[i].key);
		free((char *)node->columns[i].heading);
	}
	for (i = 0; node->cells && i < node->n; i++)
		free((char *)node->cells[i].s);
	free(node->columns);
	free(node->cells);
	free(node->edges_ns);
	free(node->counts);
	free(node->values_ns);
	free(node->marks);
	finding_free(node->finding);
	step_free(node->step);
	free(node->key);
	free(node->title);
	free(node->text);
	free(node);
}

/* A clean copy owned by the document; notes a failed allocation. NULL stays NULL. */
static char *copy_text(struct zh_doc *doc, const char *text)
{
	char *copy = zh_utf8_clean(text);

	if (text && !copy)
		doc->failed = true;
	return copy;
}

/* A zeroed array owned by the document (n 0: one element); notes a failed allocation. */
static void *new_array(struct zh_doc *doc, size_t n, size_t element_bytes)
{
	size_t size;
	void *array = NULL;

	if (!__builtin_mul_overflow(n ? n : 1, element_bytes, &size) && size < PTRDIFF_MAX)
		array = calloc(1, size);
	if (!array)
		doc->failed = true;
	return array;
}

static void *copy_array(struct zh_doc *doc, const void *from, size_t n, size_t element_bytes)
{
	void *copy = new_array(doc, n, element_bytes);

	if (copy && n > 0)
		memcpy(copy, from, n * element_bytes);
	return copy;
}

/* Appends a node to `parent`; NULL when the parent is NULL or memory ran out. */
static struct zh_node *add(
	struct zh_node *parent, enum zh_node_type type, const char *key, const char *title)
{
	struct zh_node *node;

	if (!parent)
		return NULL;
	node = new_array(parent->doc, 1, sizeof(*node));
	if (!node)
		return NULL;
	node->type = type;
	node->doc = parent->doc;
	node->key = copy_text(node->doc, key);
	node->title = copy_text(node->doc, title);
	if (parent->last)
		parent->last->next = node;
	else
		parent->first = node;
	parent->last = node;
	return node;
}

struct zh_doc *zh_doc_new(const char *command)
{
	struct zh_doc *doc = calloc(1, sizeof(*doc));

	if (!doc)
		return NULL;
	doc->root = calloc(1, sizeof(*doc->root));
	if (!doc->root)
		return zh_doc_free(doc);
	doc->root->type = ZH_NODE_OBJECT;
	doc->root->doc = doc;
	doc->command = copy_text(doc, command);
	return doc;
}

struct zh_doc *zh_doc_free(struct zh_doc *doc)
{
	if (!doc)
		return NULL;
	node_free(doc->root);
	free(doc->command);
	free(doc);
	return NULL;
}

struct zh_node *zh_doc_root(struct zh_doc *doc)
{
	return doc ? doc->root : NULL;
}

/* Adds a node that carries one string. */
static void add_text(
	struct zh_node *parent, enum zh_node_type type, const char *key, const char *text)
{
	struct zh_node *node = add(parent, type, key, NULL);

	if (node)
		node->text = copy_text(node->doc, text ? text : "");
}

void zh_node_headline(struct zh_node *parent, const char *key, const char *text)
{
	add_text(parent, ZH_NODE_HEADLINE, key, text);
	if (parent && parent->last && parent == parent->doc->root)
		parent->last->is_answer = parent->last->type == ZH_NODE_HEADLINE;
}

struct zh_node *zh_node_object(struct zh_node *parent, const char *key, const char *title)
{
	return add(parent, ZH_NODE_OBJECT, key, title);
}

/* Gives the node copies of n cells. */
static void set_cells(struct zh_node *node, const struct zh_cell *cells, size_t n)
{
	size_t i;

	node->cells = copy_array(node->doc, cells, n, sizeof(*cells));
	if (!node->cells)
		return;
	node->n = n;
	for (i = 0; i < n; i++)
		node->cells[i].s = copy_text(node->doc, cells[i].s);
}

void zh_node_value(struct zh_node *parent, const char *key, const char *title, struct zh_cell cell)
{
	struct zh_node *node = add(parent, ZH_NODE_VALUE, key, title);

	if (node)
		set_cells(node, &cell, 1);
}

void zh_node_text(struct zh_node *parent, const char *text)
{
	add_text(parent, ZH_NODE_TEXT, NULL, text);
}

void zh_node_line(struct zh_node *parent, const char *text)
{
	add_text(parent, ZH_NODE_LINE, NULL, text);
}

struct zh_node *zh_node_list(struct zh_node *parent, const char *key, const char *title)
{
	return add(parent, ZH_NODE_LIST, key, title);
}

void zh_node_item(struct zh_node *list, const char *text)
{
	assert(!list || list->type == ZH_NODE_LIST);
	add_text(list, ZH_NODE_ITEM, NULL, text);
}

void zh_node_item_value(struct zh_node *list, struct zh_cell cell)
{
	struct zh_node *node;

	assert(!list || (list->type == ZH_NODE_LIST && !list->title));
	node = add(list, ZH_NODE_ITEM, NULL, NULL);
	if (node)
		set_cells(node, &cell, 1);
}

struct zh_node *zh_node_table(struct zh_node *parent, const char *key, const char *title,
	const struct zh_column *columns, size_t n_columns)
{
	struct zh_node *table = add(parent, ZH_NODE_TABLE, key, title);
	size_t i;

	if (!table)
		return NULL;
	table->columns = new_array(table->doc, n_columns, sizeof(*columns));
	if (!table->columns)
		return NULL;
	table->n = n_columns;
	for (i = 0; i < n_columns; i++) {
		table->columns[i].key = copy_text(table->doc, columns[i].key);
		table->columns[i].heading = copy_text(table->doc, columns[i].heading);
	}
	return table;
}

struct zh_node *zh_node_row(struct zh_node *table, const struct zh_cell *cells)
{
	struct zh_node *row;

	assert(!table || table->type == ZH_NODE_TABLE);
	row = add(table, ZH_NODE_ROW, NULL, NULL);
	if (row)
		set_cells(row, cells, table->n);
	return row;
}

void zh_node_histogram(struct zh_node *parent, const char *key, const char *title,
	const uint64_t *edges_ns, const uint64_t *counts, size_t n_bins)
{
	struct zh_node *node = add(parent, ZH_NODE_HISTOGRAM, key, title);

	if (!node)
		return;
	node->counts = copy_array(node->doc, counts, n_bins, sizeof(*counts));
	if (node->counts)
		node->edges_ns =
			copy_array(node->doc, edges_ns, n_bins ? n_bins + 1 : 0, sizeof(*edges_ns));
	node->n = node->edges_ns ? n_bins : 0;
}

void zh_node_strip(struct zh_node *parent, const char *title, const uint64_t *values_ns,
	const bool *marks, size_t n)
{
	struct zh_node *node = add(parent, ZH_NODE_STRIP, NULL, title);

	if (!node)
		return;
	node->values_ns = copy_array(node->doc, values_ns, n, sizeof(*values_ns));
	node->marks = marks ? copy_array(node->doc, marks, n, sizeof(*marks))
			    : new_array(node->doc, n, sizeof(*marks));
	node->n = node->values_ns && node->marks ? n : 0;
}

struct zh_node *zh_node_findings(struct zh_node *parent, const char *key, const char *title)
{
	return add(parent, ZH_NODE_FINDINGS, key, title);
}

/* Copies a NULL-terminated list of strings; NULL gives an empty list. */
static const char *const *copy_list(struct zh_doc *doc, const char *const *list)
{
	const char **copy;
	size_t n = 0, i;

	while (list && list[n])
		n++;
	copy = new_array(doc, n + 1, sizeof(*copy));
	for (i = 0; copy && i < n; i++)
		copy[i] = copy_text(doc, list[i]);
	return copy;
}

void zh_node_finding(struct zh_node *findings, const struct zh_finding_view *view)
{
	struct zh_node *node;
	struct zh_finding_view *copy;

	assert(!findings || findings->type == ZH_NODE_FINDINGS);
	node = add(findings, ZH_NODE_FINDING, NULL, NULL);
	if (!node)
		return;
	copy = node->finding = copy_array(node->doc, view, 1, sizeof(*view));
	if (!copy)
		return;
	copy->id = copy_text(node->doc, view->id);
	copy->kind = copy_text(node->doc, view->kind);
	copy->severity = copy_text(node->doc, view->severity);
	copy->confidence = copy_text(node->doc, view->confidence);
	copy->summary = copy_text(node->doc, view->summary);
	copy->cure = copy_text(node->doc, view->cure);
	copy->cost = copy_text(node->doc, view->cost);
	copy->evidence = copy_list(node->doc, view->evidence);
	copy->remedies = copy_list(node->doc, view->remedies);
}

struct zh_node *zh_node_way(struct zh_node *parent, const char *key, const char *title)
{
	return add(parent, ZH_NODE_WAY, key, title);
}

void zh_node_step(struct zh_node *way, const struct zh_step_view *view)
{
	struct zh_node *node;
	struct zh_step_view *copy;

	assert(!way || way->type == ZH_NODE_WAY);
	node = add(way, ZH_NODE_STEP, NULL, NULL);
	if (!node)
		return;
	copy = node->step = copy_array(node->doc, view, 1, sizeof(*view));
	if (!copy)
		return;
	copy->place = copy_text(node->doc, view->place);
	copy->kind = copy_text(node->doc, view->kind);
	copy->dev = copy_text(node->doc, view->dev);
	copy->hook = copy_text(node->doc, view->hook);
	copy->title = copy_text(node->doc, view->title);
	copy->unseen = copy_text(node->doc, view->unseen);
	copy->ends = copy_text(node->doc, view->ends);
	copy->notes = copy_list(node->doc, view->notes);
}
