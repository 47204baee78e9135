/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The document as one JSON object. What could not be measured is null, and so is a number that
 * JSON cannot hold (NaN, infinity). Integers stay integers; those above INT64_MAX, which no clock
 * or counter of ours reaches, are clamped there because the JSON library has 64-bit signed ones.
 */
#include "report/doc.h"

#include <errno.h>
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/util.h"
#include "report/node.h"

#define SCHEMA 1
/* 15 significant digits: every decimal of that length survives, and 0.1 stays "0.1". */
#define DUMP_FLAGS (JSON_INDENT(2) | JSON_REAL_PRECISION(15))

static json_t *json_u64(uint64_t value)
{
	return json_integer((json_int_t)ZH_MIN(value, (uint64_t)INT64_MAX));
}

static json_t *json_number(double value)
{
	return isfinite(value) ? json_real(value) : json_null();
}

static json_t *json_text(const char *text)
{
	return text ? json_string(text) : json_null();
}

static json_t *json_cell(const struct zh_cell *cell)
{
	switch (cell->type) {
	case ZH_CELL_NS:
	case ZH_CELL_BYTES:
	case ZH_CELL_BYTES_PER_S:
	case ZH_CELL_PACKETS:
	case ZH_CELL_COUNT:
		return json_u64(cell->u);
	case ZH_CELL_NS_SIGNED:
		return isfinite(cell->d) ? json_integer(llround(cell->d)) : json_null();
	case ZH_CELL_SHARE:
	case ZH_CELL_RATE:
	case ZH_CELL_REAL:
		return json_number(cell->d);
	case ZH_CELL_BOOL:
		return json_boolean(cell->u);
	case ZH_CELL_STRING:
	case ZH_CELL_CPUS:
		return json_text(cell->s);
	case ZH_CELL_NULL:
	case ZH_CELL_UNAVAILABLE:
		break;
	}
	return json_null();
}

/* Puts `value` (may be NULL: out of memory) under `key`; returns false on failure. */
static bool put(json_t *object, const char *key, json_t *value)
{
	return json_object_set_new(object, key, value) == 0;
}

static bool put_children(json_t *object, const struct zh_node *parent);

static json_t *json_list(const char *const *list)
{
	json_t *array = json_array();
	size_t i;

	for (i = 0; array && list && list[i]; i++)
		if (json_array_append_new(array, json_text(list[i])) < 0) {
			json_decref(array);
			return NULL;
		}
	return array;
}

static json_t *json_numbers(const uint64_t *values, size_t n)
{
	json_t *array = json_array();
	size_t i;

	for (i = 0; array && i < n; i++)
		if (json_array_append_new(array, json_u64(values[i])) < 0) {
			json_decref(array);
			return NULL;
		}
	return array;
}

static bool put_finding(json_t *object, const struct zh_finding_view *view)
{
	bool has = view->has_attribution;

	return put(object, "id", json_text(view->id)) &&
	       put(object, "kind", json_text(view->kind)) &&
	       put(object, "severity", json_text(view->severity)) &&
	       put(object, "confidence", json_text(view->confidence)) &&
	       put(object, "attributed_ns", has ? json_u64(view->attributed_ns) : json_null()) &&
	       put(object, "attributed_share",
		       has ? json_number(view->attributed_share) : json_null()) &&
	       put(object, "samples", has ? json_u64(view->samples) : json_null()) &&
	       put(object, "summary", json_text(view->summary)) &&
	       put(object, "evidence", json_list(view->evidence)) &&
	       put(object, "remedies", json_list(view->remedies)) &&
	       put(object, "cure", json_text(view->cure)) &&
	       put(object, "cost", json_text(view->cost));
}

static bool put_step(json_t *object, const struct zh_step_view *view)
{
	return put(object, "place", json_text(view->place)) &&
	       put(object, "kind", json_text(view->kind)) &&
	       put(object, "dev", json_text(view->dev)) &&
	       put(object, "hook", json_text(view->hook)) &&
	       put(object, "title", json_text(view->title)) &&
	       put(object, "notes", json_list(view->notes)) &&
	       put(object, "unseen", json_text(view->unseen)) &&
	       put(object, "ends", json_text(view->ends)) &&
	       put(object, "requests",
		       view->has_requests ? json_u64(view->requests) : json_null()) &&
	       put(object, "replies", view->has_replies ? json_u64(view->replies) : json_null());
}

static bool put_row(json_t *object, const struct zh_node *table, const struct zh_node *row)
{
	size_t i;

	for (i = 0; i < table->n; i++)
		if (table->columns[i].key &&
			!put(object, table->columns[i].key, json_cell(&row->cells[i])))
			return false;
	return put_children(object, row);
}

/* One element of a list, table or findings array. */
static json_t *json_element(const struct zh_node *array, const struct zh_node *node)
{
	json_t *object;
	bool ok;

	if (node->type == ZH_NODE_ITEM)
		return node->cells ? json_cell(&node->cells[0]) : json_text(node->text);
	object = json_object();
	ok = object && (node->type == ZH_NODE_ROW           ? put_row(object, array, node)
			       : node->type == ZH_NODE_STEP ? put_step(object, node->step)
							    : put_finding(object, node->finding));
	if (ok)
		return object;
	json_decref(object);
	return NULL;
}

static json_t *json_elements(const struct zh_node *parent)
{
	json_t *array = json_array();
	const struct zh_node *node;

	for (node = parent->first; array && node; node = node->next)
		if (json_array_append_new(array, json_element(parent, node)) < 0) {
			json_decref(array);
			return NULL;
		}
	return array;
}

static json_t *json_histogram(const struct zh_node *node)
{
	json_t *object = json_object();

	if (object &&
		put(object, "edges_ns", json_numbers(node->edges_ns, node->n ? node->n + 1 : 0)) &&
		put(object, "counts", json_numbers(node->counts, node->n)))
		return object;
	json_decref(object);
	return NULL;
}

static json_t *json_node(const struct zh_node *node)
{
	json_t *object;

	switch (node->type) {
	case ZH_NODE_HEADLINE:
		return json_text(node->text);
	case ZH_NODE_VALUE:
		return json_cell(&node->cells[0]);
	case ZH_NODE_HISTOGRAM:
		return json_histogram(node);
	case ZH_NODE_LIST:
	case ZH_NODE_TABLE:
	case ZH_NODE_FINDINGS:
	case ZH_NODE_WAY:
		return json_elements(node);
	default:
		break;
	}
	object = json_object();
	if (object && put_children(object, node))
		return object;
	json_decref(object);
	return NULL;
}

static bool put_children(json_t *object, const struct zh_node *parent)
{
	const struct zh_node *node;

	for (node = parent->first; node; node = node->next)
		if (node->key && !put(object, node->key, json_node(node)))
			return false;
	return true;
}

int zh_render_json(const struct zh_doc *doc, FILE *out, struct zh_err *err)
{
	zh_autofree char *text = NULL;
	json_t *root = NULL;

	if (doc && !doc->failed)
		root = json_object();
	if (root && put(root, "zerohop", json_string(ZH_VERSION)) &&
		put(root, "schema", json_integer(SCHEMA)) &&
		put(root, "command", json_text(doc->command)) && put_children(root, doc->root))
		text = json_dumps(root, DUMP_FLAGS);
	json_decref(root);
	if (!text)
		return zh_err_sys(err, -ENOMEM, "cannot write the document");
	errno = 0;
	if (fputs(text, out) < 0 || fputc('\n', out) < 0 || fflush(out) < 0)
		return zh_err_sys(err, errno ? -errno : -EIO, "cannot write the output");
	return 0;
}
