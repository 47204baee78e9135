/* SPDX-License-Identifier: BSD-2-Clause */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/buf.h"
#include "lab/score.h"

static struct zh_cell share_or_null(double share)
{
	return share < 0 ? zh_null() : zh_share(share);
}

/* What came first most often; nothing at all is an answer, too. */
static struct zh_cell first_name(const struct zh_score_row *row)
{
	if (!row->n_named)
		return zh_null();
	return row->named[0].id[0] ? zh_string(row->named[0].id) : zh_null();
}

/* Other answers than the right ones: "bpf-program 2, nothing 1". NULL when there are none. */
static const char *others_text(const struct zh_score_row *row, struct zh_buf *buf)
{
	for (size_t i = 0; i < row->n_named; i++) {
		const struct zh_score_name *name = &row->named[i];

		if (!row->control && zh_fault_is_answer(row->fault, name->id))
			continue;
		zh_buf_addf(buf, "%s%s %u", buf->len ? ", " : "",
			name->id[0] ? name->id : "nothing", name->runs);
	}
	return buf->len ? buf->text : NULL;
}

/* The same for programs: [{id, runs}], id null for "nothing". */
static void others_list(const struct zh_score_row *row, struct zh_node *node)
{
	static const struct zh_column columns[] = {{"id", NULL}, {"runs", NULL}};
	struct zh_node *table =
		zh_node_table(node, "instead", NULL, columns, ZH_ARRAY_SIZE(columns));

	for (size_t i = 0; i < row->n_named; i++) {
		const struct zh_score_name *name = &row->named[i];

		if (row->control || !zh_fault_is_answer(row->fault, name->id))
			zh_node_row(table,
				(struct zh_cell[]){name->id[0] ? zh_string(name->id) : zh_null(),
					zh_count(name->runs)});
	}
}

static void describe_faults(const struct zh_score *score, struct zh_node *node)
{
	static const struct zh_column columns[] = {{"id", "fault"}, {"expects", "expected"},
		{"first", "named first"}, {"runs", "runs"}, {"correct", "right"},
		{"attributed_share", "attributed"}, {"unexplained_share", "unexplained"},
		{"disturbed", NULL}, {"failed", NULL}, {"why_failed", NULL}};
	struct zh_node *table =
		zh_node_table(node, "faults", "Faults", columns, ZH_ARRAY_SIZE(columns));

	for (size_t i = 0; i < score->n_faults; i++) {
		const struct zh_score_row *row = &score->faults[i];

		others_list(row,
			zh_node_row(table, (struct zh_cell[]){zh_string(row->fault->id),
						   zh_string(row->fault->expects), first_name(row),
						   zh_count(row->runs), zh_count(row->correct),
						   share_or_null(row->attributed_share),
						   share_or_null(row->unexplained_share),
						   zh_count(row->disturbed), zh_count(row->failed),
						   zh_string(row->failed ? row->why : NULL)}));
	}
}

static void describe_controls(const struct zh_score *score, struct zh_node *node)
{
	static const struct zh_column columns[] = {{"id", "control of"}, {"runs", "runs"},
		{"false", "false findings"}, {NULL, "named"}, {"disturbed", NULL}, {"failed", NULL},
		{"why_failed", NULL}};
	struct zh_node *table = zh_node_table(
		node, "controls", "Healthy controls", columns, ZH_ARRAY_SIZE(columns));

	for (size_t i = 0; i < score->n_controls; i++) {
		const struct zh_score_row *row = &score->controls[i];
		zh_autobuf buf = {0};

		others_list(row,
			zh_node_row(table,
				(struct zh_cell[]){zh_string(row->fault->id), zh_count(row->runs),
					zh_count(row->n_false), zh_string(others_text(row, &buf)),
					zh_count(row->disturbed), zh_count(row->failed),
					zh_string(row->failed ? row->why : NULL)}));
	}
}

/* For people: what was said instead when answers differ, and what could not be run. */
static void describe_misses(const struct zh_score_row *rows, size_t n, struct zh_node *node)
{
	for (size_t i = 0; i < n; i++) {
		const struct zh_score_row *row = &rows[i];
		zh_autobuf others = {0}, line = {0};

		if (!row->control && row->n_named > 1 && others_text(row, &others)) {
			zh_buf_addf(
				&line, "  %s was also taken for: %s", row->fault->id, others.text);
			zh_node_line(node, line.text);
		}
		line.len = 0;
		if (row->failed) {
			zh_buf_addf(&line, "  %s%s: %u not measured: %s", row->fault->id,
				row->control ? " (control)" : "", row->failed, row->why);
			zh_node_line(node, line.text);
		}
	}
}

static void describe_headline(const struct zh_score *score, struct zh_node *node)
{
	double recall = zh_score_recall(score);
	char text[160];
	int len;

	if (recall < 0)
		len = snprintf(text, sizeof(text), "no fault could be measured");
	else
		len = snprintf(text, sizeof(text), "the right cause came first in %.1f %% of runs",
			recall * 100);
	if (score->n_controls && len > 0)
		len += snprintf(text + len, sizeof(text) - (size_t)len,
			"; %u false findings in healthy controls", zh_score_controls_false(score));
	if (score->interrupted)
		snprintf(text + len, sizeof(text) - (size_t)len, " (ended early)");
	zh_node_headline(node, NULL, text);
}

static unsigned int count_disturbed(const struct zh_score_row *rows, size_t n)
{
	unsigned int disturbed = 0;

	for (size_t i = 0; i < n; i++)
		disturbed += rows[i].disturbed;
	return disturbed;
}

/* Findings about the machine's other work are true and count as false all the same. */
static void describe_disturbance(const struct zh_score *score, struct zh_node *node)
{
	unsigned int disturbed = count_disturbed(score->faults, score->n_faults) +
				 count_disturbed(score->controls, score->n_controls);
	zh_autobuf line = {0};

	if (!disturbed)
		return;
	zh_buf_addf(&line,
		"%u runs were disturbed: other programs used more than %.0f %% of a CPU meanwhile, "
		"also when repeated.",
		disturbed, ZH_SCORE_DISTURBED * 100);
	zh_node_text(node, line.text);
}

void zh_score_describe(const struct zh_score *score, struct zh_node *node)
{
	char seed[24];

	snprintf(seed, sizeof(seed), "%" PRIu64, score->seed);
	describe_headline(score, node);
	describe_faults(score, node);
	describe_misses(score->faults, score->n_faults, node);
	describe_controls(score, node);
	describe_misses(score->controls, score->n_controls, node);
	describe_disturbance(score, node);
	zh_node_value(node, "recall", NULL, share_or_null(zh_score_recall(score)));
	zh_node_value(node, "controls_false", NULL,
		score->n_controls ? zh_count(zh_score_controls_false(score)) : zh_null());
	zh_node_value(node, "seed", "seed", zh_string(seed));
	zh_node_value(node, "interrupted", NULL, zh_bool(score->interrupted));
}
