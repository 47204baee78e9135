/* SPDX-License-Identifier: BSD-2-Clause */
/* The kernel's decision for the flow, and the socket of a Unix target. */
#include "explain/path-describe.h"

#include <stdio.h>
#include <string.h>

#include "base/util.h"
#include "explain/path-facts.h"

#define WAY_KEY "path.way.%zu."
#define DECISION_KEY WAY_KEY "decision."

/* "udp to 127.0.0.1 port 53, from 10.0.0.1, mark 0x10, user 0" */
static void add_question(const struct zh_record *record, size_t way, struct zh_buf *text)
{
	const char *protocol = zh_path_text(record, WAY_KEY "protocol", way);
	const char *from = zh_path_text(record, WAY_KEY "from", way);
	const char *iif = zh_path_text(record, WAY_KEY "iif", way);
	const char *address = zh_path_text(record, WAY_KEY "address", way);
	unsigned long long mark = zh_path_number(record, WAY_KEY "mark", way);

	if (!protocol)
		protocol = zh_path_text(record, "path.transport");
	zh_buf_addf(text, "%s to %s", protocol ? protocol : "?", address ? address : "?");
	if (zh_path_number(record, WAY_KEY "to_port", way))
		zh_buf_addf(text, " port %llu",
			(unsigned long long)zh_path_number(record, WAY_KEY "to_port", way));
	if (from)
		zh_buf_addf(text, ", from %s", from);
	if (mark)
		zh_buf_addf(text, ", mark 0x%llx", mark);
	if (zh_path_has(record, WAY_KEY "uid", way))
		zh_buf_addf(text, ", user %llu",
			(unsigned long long)zh_path_number(record, WAY_KEY "uid", way));
	if (iif)
		zh_buf_addf(text, ", came in by %s", iif);
}

/* A table's name or number as text. */
static void add_table(const struct zh_record *record, size_t way, struct zh_buf *text)
{
	const struct zh_fact *table = zh_path_fact(record, DECISION_KEY "table", way);

	if (table && table->type == ZH_FACT_STRING)
		zh_buf_addf(text, ", table %s", table->text);
	else if (table && table->type == ZH_FACT_NUMBER)
		zh_buf_addf(text, ", table %llu%s", (unsigned long long)table->number,
			table->number == 255   ? " (local)"
			: table->number == 254 ? " (main)"
					       : "");
}

/* "by vb in netns blue, gateway 10.0.0.1" */
static void show_reply(const struct zh_record *record, size_t way, struct zh_node *node)
{
	const char *dev = zh_path_text(record, WAY_KEY "reply.dev", way);
	const char *gateway = zh_path_text(record, WAY_KEY "reply.gateway", way);
	const char *error = zh_path_text(record, WAY_KEY "reply.error", way);
	uint64_t place = zh_path_number(record, WAY_KEY "reply.place", way);
	zh_autobuf text = {};
	char name[96];

	if (!dev && !error)
		return;
	if (error)
		zh_buf_addf(&text, "refused: %s", error);
	else
		zh_buf_addf(&text, "by %s", dev);
	if (place)
		zh_buf_addf(&text, " in %s", zh_path_place(record, place, name, sizeof(name)));
	if (gateway)
		zh_buf_addf(&text, ", gateway %s", gateway);
	zh_node_value(node, NULL, "replies go", zh_string(text.text));
}

static void describe_reply(const struct zh_record *record, size_t way, struct zh_node *parent)
{
	static const char *const keys[] = {"dev", "gateway", "error"};
	struct zh_node *node = zh_node_object(parent, "reply", NULL);
	const struct zh_fact *place = zh_path_fact(record, WAY_KEY "reply.place", way);
	char name[96];
	size_t i;

	zh_node_value(node, "place", NULL,
		place && place->type == ZH_FACT_NUMBER
			? zh_string(zh_path_place(record, place->number, name, sizeof(name)))
			: zh_null());
	for (i = 0; i < ZH_ARRAY_SIZE(keys); i++)
		zh_node_value(node, keys[i], NULL,
			zh_path_cell(record, WAY_KEY "reply.%s", way, keys[i]));
}

static void show_answer(const struct zh_record *record, size_t way, struct zh_node *node)
{
	const char *src = zh_path_text(record, DECISION_KEY "src", way);
	zh_autobuf question = {}, text = {};
	char answer[200], rule[240];

	add_question(record, way, &question);
	zh_path_answer(record, way, "decision", answer, sizeof(answer));
	zh_buf_adds(&text, answer[0] ? answer : "not asked");
	add_table(record, way, &text);
	if (src)
		zh_buf_addf(&text, ", source %s", src);
	if (zh_path_number(record, DECISION_KEY "mtu", way))
		zh_buf_addf(&text, ", MTU %llu",
			(unsigned long long)zh_path_number(record, DECISION_KEY "mtu", way));
	zh_node_value(node, NULL, "asked for", zh_string(question.text));
	zh_node_value(node, NULL, "answer", zh_string(text.text));
	if (*zh_path_rule(record, way, rule, sizeof(rule)))
		zh_node_value(node, NULL, "decided by", zh_string(rule));
	if (zh_path_is_diverted(record, way))
		zh_node_value(node, NULL, "plain question",
			zh_string(zh_path_answer(
				record, way, "decision.plain", answer, sizeof(answer))));
}

static void describe_asked(const struct zh_record *record, size_t way, struct zh_node *parent)
{
	static const char *const keys[] = {
		"family", "protocol", "from_port", "to_port", "from", "mark", "uid", "iif"};
	struct zh_node *asked = zh_node_object(parent, "asked", NULL);
	size_t i;

	for (i = 0; i < ZH_ARRAY_SIZE(keys); i++)
		zh_node_value(
			asked, keys[i], NULL, zh_path_cell(record, WAY_KEY "%s", way, keys[i]));
}

static void describe_before(
	const struct zh_record *record, size_t way, bool shown, struct zh_node *parent)
{
	static const struct zh_column columns[] = {
		{"pref", "pref"}, {"text", "rule"}, {"why", "why it did not decide"}};
	size_t n = zh_path_n_before(record, way), i;
	struct zh_node *table = zh_node_table(parent, "rules_before",
		shown && n ? "Rules before it" : NULL, columns, ZH_ARRAY_SIZE(columns));

	for (i = 0; i < n; i++)
		zh_node_row(table,
			(struct zh_cell[]){
				zh_path_cell(record, DECISION_KEY "before.%zu.pref", way, i),
				zh_path_cell(record, DECISION_KEY "before.%zu.text", way, i),
				zh_path_cell(record, DECISION_KEY "before.%zu.why", way, i)});
}

void zh_path_describe_decision(
	const struct zh_record *record, size_t way, bool shown, struct zh_node *parent)
{
	static const char *const keys[] = {
		"dev", "type", "table", "src", "gateway", "mtu", "error"};
	struct zh_node *node, *part;
	size_t i;

	if (zh_path_fact(record, WAY_KEY "unix.path", way)) {
		zh_node_value(parent, "decision", NULL, zh_null());
		return;
	}
	node = zh_node_object(parent, "decision", shown ? "Decision" : NULL);
	for (i = 0; i < ZH_ARRAY_SIZE(keys); i++)
		zh_node_value(
			node, keys[i], NULL, zh_path_cell(record, DECISION_KEY "%s", way, keys[i]));
	describe_asked(record, way, node);
	part = zh_node_object(node, "rule", NULL);
	zh_node_value(part, "pref", NULL, zh_path_cell(record, DECISION_KEY "rule.pref", way));
	zh_node_value(part, "text", NULL, zh_path_cell(record, DECISION_KEY "rule.text", way));
	part = zh_node_object(node, "plain", NULL);
	for (i = 0; i < 3; i++)
		zh_node_value(part, keys[i], NULL,
			zh_path_cell(record, DECISION_KEY "plain.%s", way, keys[i]));
	zh_node_value(part, "error", NULL, zh_path_cell(record, DECISION_KEY "plain.error", way));
	describe_reply(record, way, node);
	show_answer(record, way, node);
	show_reply(record, way, node);
	describe_before(record, way, shown, node);
}

/* "stream, listening, held by redis-server (pid 12), 0 of 128 waiting" */
static void show_unix(const struct zh_record *record, size_t way, struct zh_node *node)
{
	const char *process = zh_path_text(record, WAY_KEY "unix.process", way);
	const struct zh_fact *listening = zh_path_fact(record, WAY_KEY "unix.listening", way);

	zh_node_value(
		node, NULL, "path", zh_string(zh_path_text(record, WAY_KEY "unix.path", way)));
	zh_node_value(node, NULL, "type", zh_path_cell(record, WAY_KEY "unix.type", way));
	if (listening && listening->type == ZH_FACT_NUMBER)
		zh_node_value(node, NULL, "somebody listens", zh_bool(listening->number != 0));
	else
		zh_node_value(node, NULL, "somebody listens",
			zh_path_cell(record, WAY_KEY "unix.listening", way));
	if (zh_path_has(record, WAY_KEY "unix.pid", way)) {
		char text[160];

		snprintf(text, sizeof(text), "%s (pid %llu)", process ? process : "?",
			(unsigned long long)zh_path_number(record, WAY_KEY "unix.pid", way));
		zh_node_value(node, NULL, "held by", zh_string(text));
	}
	if (zh_path_has(record, WAY_KEY "unix.queued", way)) {
		char text[80];

		snprintf(text, sizeof(text), "%llu of %llu",
			(unsigned long long)zh_path_number(record, WAY_KEY "unix.queued", way),
			(unsigned long long)zh_path_number(record, WAY_KEY "unix.max_queued", way));
		zh_node_value(node, NULL, "waiting in its queue", zh_string(text));
	}
}

void zh_path_describe_unix(const struct zh_record *record, size_t way, struct zh_node *parent)
{
	static const char *const keys[] = {
		"path", "type", "listening", "pid", "process", "queued", "max_queued"};
	struct zh_node *node;
	size_t i;

	if (!zh_path_fact(record, WAY_KEY "unix.path", way)) {
		zh_node_value(parent, "unix", NULL, zh_null());
		return;
	}
	node = zh_node_object(parent, "unix", "Socket");
	for (i = 0; i < ZH_ARRAY_SIZE(keys); i++)
		zh_node_value(
			node, keys[i], NULL, zh_path_cell(record, WAY_KEY "unix.%s", way, keys[i]));
	show_unix(record, way, node);
}
