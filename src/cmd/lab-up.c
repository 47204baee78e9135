/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * zerohop lab up, down, list: topologies that stay up under a name.
 */
#include <errno.h>
#include <stdio.h>

#include "base/buf.h"
#include "base/util.h"
#include "cmd/lab.h"
#include "cmd/measure.h"
#include "lab/named.h"
#include "lab/scenario.h"

static int unknown_topology(const char *id, struct zh_err *err)
{
	zh_autobuf known = {0};
	size_t i;

	for (i = 0; zh_topology_registry[i]; i++)
		zh_buf_addf(&known, "%s%s", i ? ", " : "", zh_topology_registry[i]->id);
	zh_err_set(
		err, -EINVAL, "there is no topology '%.40s': %s", id, known.text ? known.text : "");
	return ZH_EXIT_USAGE;
}

int lab_up(const struct lab_config *lab, char **words, struct zh_err *err)
{
	zh_cleanup(cmd_doc_freep) struct zh_doc *doc = NULL;
	const struct zh_named_config config = {.topology = zh_topology_find(words[0]),
		.name = lab->name ? lab->name : ZH_LAB_NAME_DEFAULT,
		.steer = lab->steer,
		.rules = (unsigned int)lab->rules};
	struct zh_named_lab named;
	char line[160];
	int r;

	if (!config.topology)
		return unknown_topology(words[0], err);
	r = zh_named_up(&config, &named, err);
	if (r < 0)
		return r == -EINVAL || r == -EEXIST ? ZH_EXIT_USAGE : ZH_EXIT_UNABLE;
	doc = zh_doc_new("lab");
	snprintf(line, sizeof(line), "Lab %s is up; zerohop lab down %s ends it.", named.name,
		named.name);
	zh_node_headline(zh_doc_root(doc), NULL, line);
	zh_named_describe(&named, zh_doc_root(doc));
	return cmd_print(&lab->common, doc, err);
}

int lab_down(const struct lab_config *lab, char **words, struct zh_err *err)
{
	const char *name = words[0] ? words[0] : lab->name ? lab->name : ZH_LAB_NAME_DEFAULT;
	int r = zh_named_down(name, err);

	return r < 0 ? ZH_EXIT_USAGE : ZH_EXIT_OK;
}

static void list_up(struct zh_node *root)
{
	static const struct zh_column columns[] = {
		{"name", "lab"}, {"topology", "topology"}, {"keeper_pid", "kept by process"}};
	struct zh_named_lab labs[ZH_LABS_MAX];
	size_t n = zh_named_list(labs, ZH_LABS_MAX), i;
	struct zh_node *table =
		zh_node_table(root, "up", n ? "Up" : NULL, columns, ZH_ARRAY_SIZE(columns));

	for (i = 0; i < n; i++)
		zh_node_row(table,
			(struct zh_cell[]){zh_string(labs[i].name), zh_string(labs[i].topology->id),
				zh_count((uint64_t)labs[i].keeper)});
}

static void list_topologies(struct zh_node *root)
{
	static const struct zh_column columns[] = {
		{"id", "topology"}, {"address", "server"}, {"summary", "what it is"}};
	struct zh_node *table = zh_node_table(
		root, "topologies", "Topologies (zerohop lab up)", columns, ZH_ARRAY_SIZE(columns));
	size_t i;

	for (i = 0; zh_topology_registry[i]; i++)
		zh_node_row(table, (struct zh_cell[]){zh_string(zh_topology_registry[i]->id),
					   zh_string(zh_topology_registry[i]->address),
					   zh_string(zh_topology_registry[i]->summary)});
}

static void list_scenarios(struct zh_node *root)
{
	static const struct zh_column columns[] = {
		{"id", "scenario"}, {"topology", "topology"}, {"summary", "what it shows"}};
	struct zh_node *table = zh_node_table(
		root, "scenarios", "Scenarios (zerohop lab run)", columns, ZH_ARRAY_SIZE(columns));
	const struct zh_scenario *scenario;
	size_t i;

	for (i = 0; (scenario = zh_scenario_registry[i]); i++)
		zh_node_row(table,
			(struct zh_cell[]){zh_string(scenario->id),
				zh_string(scenario->topology->id), zh_string(scenario->summary)});
}

static void list_faults(struct zh_node *root)
{
	static const struct zh_column columns[] = {{"id", "fault"}, {"expects", "must be named"},
		{"topology", "topology"}, {"summary", "what it does"}};
	struct zh_node *table = zh_node_table(root, "faults",
		"Faults with known answers (zerohop lab score)", columns, ZH_ARRAY_SIZE(columns));
	const struct zh_fault *fault;
	size_t i;

	for (i = 0; (fault = zh_fault_registry[i]); i++)
		zh_node_row(
			table, (struct zh_cell[]){zh_string(fault->id), zh_string(fault->expects),
				       zh_string(fault->topology->id), zh_string(fault->summary)});
}

int lab_list(const struct lab_config *lab, char **words, struct zh_err *err)
{
	zh_cleanup(cmd_doc_freep) struct zh_doc *doc = zh_doc_new("lab");

	(void)words;
	list_up(zh_doc_root(doc));
	list_topologies(zh_doc_root(doc));
	list_scenarios(zh_doc_root(doc));
	list_faults(zh_doc_root(doc));
	return cmd_print(&lab->common, doc, err);
}
