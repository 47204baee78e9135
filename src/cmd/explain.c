/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * zerohop explain: what a check, cause, stage or fault means, its evidence, its cure.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/util.h"
#include "cmd/measure.h"
#include "cmd/tune.h"
#include "explain/advice.h"
#include "lab/lab.h"

struct explain_config {
	struct zh_common common;
};

static const struct zh_option options[] = {ZH_COMMON_OPTIONS, {}};
static const struct explain_config defaults = {};

static void paragraph(struct zh_node *root, const char *key, const char *title, const char *text)
{
	struct zh_node *section;

	zh_node_value(root, key, NULL, zh_string(text));
	if (!text || !text[0])
		return;
	section = zh_node_object(root, NULL, title);
	zh_node_text(section, text);
}

static void list_of(
	struct zh_node *root, const char *key, const char *title, const char *const *items)
{
	struct zh_node *list = zh_node_list(root, key, items && items[0] ? title : NULL);

	for (; items && *items; items++)
		zh_node_item(list, *items);
}

static struct zh_doc *describe_rule(const struct zh_rule *rule)
{
	struct zh_doc *doc = zh_doc_new("explain");
	struct zh_node *root = zh_doc_root(doc);
	char head[300];

	snprintf(head, sizeof(head), "%s (%s): %s", rule->title, rule->code, rule->summary);
	zh_node_headline(root, NULL, head);
	zh_node_value(root, "id", NULL, zh_string(rule->id));
	zh_node_value(root, "code", NULL, zh_string(rule->code));
	zh_node_value(root, "title", NULL, zh_string(rule->title));
	zh_node_value(root, "summary", NULL, zh_string(rule->summary));
	paragraph(root, "why", "Why it makes traffic slow or lossy", rule->why);
	paragraph(root, "evidence", "Evidence", rule->evidence);
	paragraph(root, "cure", "Cure", rule->cure);
	paragraph(root, "cost", "What the cure costs", rule->cost);
	paragraph(root, "verify", "How to verify it", rule->verify);
	list_of(root, "remedies", "Settings", rule->remedies);
	list_of(root, "needs", "Needs these facts", rule->needs);
	return doc;
}

static struct zh_doc *describe_fault(const struct zh_fault *fault)
{
	struct zh_doc *doc = zh_doc_new("explain");
	struct zh_node *root = zh_doc_root(doc);
	char head[300];

	snprintf(head, sizeof(head), "Fault %s: %s", fault->id, fault->summary);
	zh_node_headline(root, NULL, head);
	zh_node_value(root, "id", NULL, zh_string(fault->id));
	zh_node_value(root, "summary", NULL, zh_string(fault->summary));
	zh_node_value(root, "expects", "must be named", zh_string(fault->expects));
	return doc;
}

static const struct zh_column columns[] = {
	{"id", "id"}, {"code", "code"}, {"kind", NULL}, {"summary", "what it is"}};

static void add_row(struct zh_node *table, const struct zh_rule *rule, const char *kind)
{
	const struct zh_cell cells[] = {zh_string(rule->id), zh_string(rule->code), zh_string(kind),
		zh_string(rule->summary)};

	zh_node_row(table, cells);
}

static struct zh_doc *describe_all(void)
{
	struct zh_doc *doc = zh_doc_new("explain");
	struct zh_node *root = zh_doc_root(doc), *table;
	size_t i;

	zh_node_headline(root, NULL, "What zerohop can name (zerohop explain ID tells more)");
	table = zh_node_table(root, "causes", "Causes: what took the time of a sample, or lost it",
		columns, ZH_ARRAY_SIZE(columns));
	for (i = 0; zh_cause_registry[i]; i++)
		add_row(table, &zh_cause_registry[i]->rule, "cause");
	table = zh_node_table(root, "checks",
		"Checks: what is set up wrong, or counted up meanwhile", columns,
		ZH_ARRAY_SIZE(columns));
	for (i = 0; zh_check_registry[i]; i++)
		add_row(table, &zh_check_registry[i]->rule, "check");
	table = zh_node_table(
		root, "stages", "Stages of a round trip", columns, ZH_ARRAY_SIZE(columns));
	for (i = 0; zh_stage_rules[i].id; i++)
		add_row(table, &zh_stage_rules[i], "stage");
	table = zh_node_table(
		root, "faults", "Faults that the lab can inject", columns, ZH_ARRAY_SIZE(columns));
	for (i = 0; zh_fault_registry[i]; i++)
		zh_node_row(table,
			(struct zh_cell[]){zh_string(zh_fault_registry[i]->id), zh_null(),
				zh_string("fault"), zh_string(zh_fault_registry[i]->summary)});
	return doc;
}

static const struct zh_fault *find_fault(const char *id)
{
	size_t i;

	for (i = 0; zh_fault_registry[i]; i++)
		if (!strcmp(zh_fault_registry[i]->id, id))
			return zh_fault_registry[i];
	return NULL;
}

static struct zh_doc *describe_advice(const struct zh_advice *advice)
{
	struct zh_doc *doc = zh_doc_new("explain");
	struct zh_node *root = zh_doc_root(doc);
	char head[400];

	snprintf(head, sizeof(head), "%s: %s", advice->id, advice->text);
	zh_node_headline(root, NULL, head);
	zh_node_value(root, "id", NULL, zh_string(advice->id));
	zh_node_value(root, "summary", NULL, zh_string(advice->text));
	return doc;
}

static struct zh_doc *describe(const char *id, struct zh_err *err)
{
	const struct zh_rule *rule = zh_rule_find(id);
	const struct zh_fault *fault = find_fault(id);

	if (rule)
		return describe_rule(rule);
	if (fault)
		return describe_fault(fault);
	if (zh_knob_find(id))
		return cmd_describe_knob("explain", zh_knob_find(id));
	if (zh_advice_find(id))
		return describe_advice(zh_advice_find(id));
	zh_err_set(err, -EINVAL, "nothing is called '%.100s' (zerohop explain lists all ids)", id);
	return NULL;
}

static int run(const void *config, int n_words, char **words, struct zh_err *err)
{
	const struct explain_config *explain = config;
	zh_cleanup(cmd_doc_freep) struct zh_doc *doc = NULL;

	if (n_words > 1) {
		zh_err_set(err, -EINVAL, "explain takes one id");
		return ZH_EXIT_USAGE;
	}
	doc = n_words ? describe(words[0], err) : describe_all();
	if (!doc)
		return ZH_EXIT_USAGE;
	return cmd_print(&explain->common, doc, err);
}

const struct zh_command zh_command_explain = {
	.name = "explain",
	.summary = "what does a check, cause, stage or fault mean, and what cures it?",
	.usage = "[OPTIONS] [ID]",
	.examples = "  zerohop explain                    # everything zerohop can name\n"
		    "  zerohop explain run-queue-wait     # one of them\n",
	.options = options,
	.config_size = sizeof(struct explain_config),
	.defaults = &defaults,
	.run = run,
};
