/* SPDX-License-Identifier: BSD-2-Clause */
/* The answer of a path run, put together. */
#include "explain/path.h"

#include <stdio.h>
#include <string.h>

#include "base/util.h"
#include "explain/finding.h"
#include "explain/path-describe.h"
#include "explain/path-facts.h"

bool zh_path_is(const struct zh_record *record)
{
	return zh_fact_find(zh_path_facts(record), "path.target") != NULL;
}

bool zh_path_has_findings(const struct zh_record *record, const struct zh_explanation *explanation)
{
	size_t i;

	for (i = 0; i < explanation->n_findings; i++)
		if (zh_path_judges(record, explanation, &explanation->findings[i]))
			return true;
	return false;
}

static void describe_run(const struct zh_record *record, struct zh_node *root)
{
	struct zh_node *run = zh_node_object(root, "run", NULL);

	zh_node_value(run, "target", NULL, zh_path_cell(record, "path.target"));
	zh_node_value(run, "transport", NULL, zh_path_cell(record, "path.transport"));
	zh_node_value(run, "started_unix_ns", NULL, zh_count(record->start_realtime_ns));
	zh_node_value(run, "took_ns", NULL, zh_ns(record->end_ns - record->start_ns));
	zh_node_value(run, "interrupted", NULL, zh_bool(record->interrupted));
}

static bool same_text(const char *a, const char *b)
{
	return a && b ? strcmp(a, b) == 0 : a == b;
}

/* Whether two ways lead through the same hops. */
static bool is_same_way(const struct zh_record *record, size_t a, size_t b)
{
	size_t n = zh_path_n_hops_of(record, a), i;

	if (n != zh_path_n_hops_of(record, b))
		return false;
	for (i = 0; i < n; i++) {
		if (!same_text(zh_path_text(record, "path.way.%zu.hop.%zu.kind", a, i),
			    zh_path_text(record, "path.way.%zu.hop.%zu.kind", b, i)) ||
			!same_text(zh_path_text(record, "path.way.%zu.hop.%zu.dev", a, i),
				zh_path_text(record, "path.way.%zu.hop.%zu.dev", b, i)) ||
			zh_path_text(record, "path.way.%zu.hop.%zu.ends", b, i))
			return false;
	}
	return true;
}

/* For people: the answer, and the picture where it is another one. */
static void show_other_way(const struct zh_record *record, size_t way, struct zh_node *root)
{
	struct zh_node *node = zh_node_object(root, NULL, "Another address");
	zh_autobuf line = {};

	zh_path_headline(record, way, &line);
	zh_node_text(node, line.text ? line.text : "");
	if (!is_same_way(record, 0, way) || zh_path_lost(record, way)) {
		zh_path_describe_decision(record, way, true, node);
		zh_path_describe_hops(record, way, "The way", node);
	}
	zh_path_describe_proof(record, way, true, node);
}

static void describe_other_ways(const struct zh_record *record, struct zh_node *root)
{
	static const struct zh_column columns[] = {{"address", NULL}};
	struct zh_node *table = zh_node_table(root, "other_ways", NULL, columns, 1), *row;
	size_t n = zh_path_n_ways(record), way;

	for (way = 1; way < n; way++) {
		row = zh_node_row(table,
			(struct zh_cell[]){zh_path_cell(record, "path.way.%zu.address", way)});
		zh_path_describe_decision(record, way, false, row);
		zh_path_describe_hops(record, way, NULL, row);
		zh_path_describe_proof(record, way, false, row);
		show_other_way(record, way, root);
	}
}

static void describe_findings(const struct zh_record *record,
	const struct zh_explanation *explanation, struct zh_node *root)
{
	struct zh_node *list = zh_node_findings(root, "findings", "Findings");
	size_t i;

	for (i = 0; i < explanation->n_findings; i++)
		if (zh_path_shows(record, explanation, &explanation->findings[i]))
			zh_finding_describe(&explanation->findings[i], list);
}

void zh_path_describe(const struct zh_record *record, const struct zh_explanation *explanation,
	struct zh_node *root)
{
	bool found = zh_path_has_findings(record, explanation);
	zh_autobuf line = {};

	if (zh_path_n_ways(record)) {
		zh_path_headline(record, 0, &line);
		zh_path_add_other_ways(record, &line);
	} else {
		zh_buf_adds(&line, "no way was found");
	}
	zh_node_headline(root, NULL, line.text ? line.text : "");
	describe_run(record, root);
	zh_node_value(root, "verdict", NULL, zh_string(found ? "findings" : "healthy"));
	zh_path_describe_name(record, root);
	zh_path_describe_decision(record, 0, true, root);
	zh_path_describe_unix(record, 0, root);
	zh_path_describe_hops(record, 0, "The way", root);
	zh_path_describe_proof(record, 0, true, root);
	describe_other_ways(record, root);
	zh_path_describe_loopback(record, root);
	describe_findings(record, explanation, root);
	zh_path_describe_not_measured(record, root);
}

size_t zh_path_n_hops(const struct zh_record *record)
{
	return zh_path_n_hops_of(record, 0);
}

struct zh_doc *zh_path_describe_hop(const struct zh_record *record, size_t hop)
{
	struct zh_doc *doc = zh_doc_new("path");
	char title[64];

	snprintf(title, sizeof(title), "Step %zu of %zu", hop + 1, zh_path_n_hops(record));
	zh_path_add_hop(record, 0, hop, zh_node_way(zh_doc_root(doc), "hops", title));
	return doc;
}
