/* SPDX-License-Identifier: BSD-2-Clause */
/* tune list, tune show: the catalogue. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/util.h"
#include "cmd/measure.h"
#include "cmd/tune.h"

static void paragraph(struct zh_node *root, const char *key, const char *title, const char *text)
{
	zh_node_value(root, key, NULL, zh_string(text));
	zh_node_text(zh_node_object(root, NULL, title), text);
}

struct zh_doc *cmd_describe_knob(const char *command, const struct zh_knob *knob)
{
	struct zh_doc *doc = zh_doc_new(command);
	struct zh_node *root = zh_doc_root(doc);
	char text[320];

	snprintf(text, sizeof(text), "%s: %s", knob->id, knob->summary);
	zh_node_headline(root, NULL, text);
	zh_node_value(root, "id", NULL, zh_string(knob->id));
	zh_node_value(root, "summary", NULL, zh_string(knob->summary));
	zh_node_value(root, "target", "set for each", zh_string(zh_knob_target_name(knob->target)));
	zh_node_value(
		root, "values", "it takes", zh_string(zh_knob_values(knob, text, sizeof(text))));
	zh_node_value(root, "kept_by", "kept over a boot by",
		zh_string(zh_knob_persist_name(knob->persist)));
	zh_node_value(root, "where", "it is", zh_string(knob->arg));
	paragraph(root, "why", "When it helps", knob->why);
	paragraph(root, "cost", "What it costs", knob->cost);
	paragraph(root, "verify", "How its effect is seen", knob->verify);
	return doc;
}

int tune_list(const struct tune_config *tune, int n_words, char **words, struct zh_err *err)
{
	static const struct zh_column columns[] = {
		{"id", "knob"}, {"target", "of each"}, {"summary", "what it sets"}};
	zh_cleanup(cmd_doc_freep) struct zh_doc *doc = zh_doc_new("tune");
	struct zh_node *root = zh_doc_root(doc), *table;
	const struct zh_knob *knob;

	(void)n_words;
	(void)words;
	zh_node_headline(root, NULL, "Settings (zerohop tune show KNOB tells more)");
	zh_node_value(root, "verb", NULL, zh_string("list"));
	table = zh_node_table(root, "knobs", "Knobs", columns, ZH_ARRAY_SIZE(columns));
	for (size_t i = 0; (knob = zh_knob_at(i)); i++)
		zh_node_row(table, (struct zh_cell[]){zh_string(knob->id),
					   zh_string(zh_knob_target_name(knob->target)),
					   zh_string(knob->summary)});
	return cmd_print(&tune->common, doc, err);
}

int tune_show(const struct tune_config *tune, int n_words, char **words, struct zh_err *err)
{
	const struct zh_knob *knob = zh_knob_find(words[0]);
	zh_cleanup(cmd_doc_freep) struct zh_doc *doc = NULL;

	(void)n_words;
	if (!knob) {
		zh_err_set(err, -EINVAL, "there is no knob '%.60s' (zerohop tune list shows all)",
			words[0]);
		return ZH_EXIT_USAGE;
	}
	doc = cmd_describe_knob("tune", knob);
	zh_node_value(zh_doc_root(doc), "verb", NULL, zh_string("show"));
	return cmd_print(&tune->common, doc, err);
}
