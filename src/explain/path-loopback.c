/* SPDX-License-Identifier: BSD-2-Clause */
/* What a name resolves to, what lo is like, and what could not be looked at. */
#include "explain/path-describe.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/units.h"
#include "base/util.h"
#include "explain/path-facts.h"

static struct zh_cell time_cell(const struct zh_fact *fact)
{
	return fact && fact->type == ZH_FACT_NUMBER ? zh_ns(fact->number) : zh_null();
}

static struct zh_cell bool_cell(const struct zh_fact *fact)
{
	if (!fact)
		return zh_null();
	if (fact->type == ZH_FACT_UNAVAILABLE)
		return zh_unavailable(fact->text);
	return fact->type == ZH_FACT_NUMBER ? zh_bool(fact->number != 0) : zh_string(fact->text);
}

void zh_path_describe_name(const struct zh_record *record, struct zh_node *parent)
{
	struct zh_node *node, *list;
	zh_autobuf text = {};
	const char *ip;
	size_t i;

	if (!zh_path_text(record, "path.name.asked")) {
		zh_node_value(parent, "name", NULL, zh_null());
		return;
	}
	node = zh_node_object(parent, "name", "Name");
	zh_node_value(node, "asked", "asked", zh_path_cell(record, "path.name.asked"));
	list = zh_node_list(node, "addresses", NULL);
	for (i = 0; (ip = zh_path_text(record, "path.name.%zu.ip", i)); i++) {
		zh_node_item(list, ip);
		zh_buf_addf(&text, "%s%s", i ? ", then " : "", ip);
	}
	if (text.len)
		zh_node_value(node, NULL, "getaddrinfo gave", zh_string(text.text));
	zh_node_value(
		node, "took_ns", "took", time_cell(zh_path_fact(record, "path.name.took_ns")));
	zh_node_value(node, "error", zh_path_text(record, "path.name.error") ? "error" : NULL,
		zh_path_cell(record, "path.name.error"));
}

static void describe_covers(const struct zh_record *record, struct zh_node *parent)
{
	static const struct zh_column columns[] = {{"address", "address"}, {"dev", "device"},
		{"type", "type"}, {"answered", "answered"}};
	struct zh_node *table;
	size_t n = 0, i;

	while (zh_path_fact(record, "path.lo.covers.%zu.address", n))
		n++;
	table = zh_node_table(parent, "covers", n ? "Which addresses are loopback" : NULL, columns,
		ZH_ARRAY_SIZE(columns));
	for (i = 0; i < n; i++)
		zh_node_row(table,
			(struct zh_cell[]){zh_path_cell(record, "path.lo.covers.%zu.address", i),
				zh_path_cell(record, "path.lo.covers.%zu.dev", i),
				zh_path_cell(record, "path.lo.covers.%zu.type", i),
				bool_cell(zh_path_fact(record, "path.lo.covers.%zu.answered", i))});
}

/* JSON: every feature; for people: one line that says which are on. */
static void describe_offloads(const struct zh_record *record, struct zh_node *parent)
{
	static const char pattern[] = "path.lo.offload.*";
	const struct zh_fact_set *facts = zh_path_facts(record);
	struct zh_node *node = zh_node_object(parent, "offload", NULL);
	zh_autobuf on = {}, off = {};
	const struct zh_fact *fact;
	size_t pos = 0;
	char name[64];

	while ((fact = zh_fact_next(facts, pattern, &pos))) {
		struct zh_buf *side = &off;

		zh_fact_part(name, sizeof(name), fact, pattern, 0);
		zh_node_value(node, name, NULL, zh_path_cell(record, "%s", fact->key));
		if (fact->type != ZH_FACT_STRING)
			continue;
		if (strncmp(fact->text, "on", 2) == 0)
			side = &on;
		zh_buf_addf(side, "%s%s", side->len ? ", " : "", name);
	}
	if (on.len)
		zh_node_value(parent, NULL, "offloads on", zh_string(on.text));
	if (off.len)
		zh_node_value(parent, NULL, "offloads off", zh_string(off.text));
}

/* How many packets one large send made; `group` is "segments" (lo's own MTU) or "segments_small".
 */
static void describe_segments(
	const struct zh_record *record, const char *group, struct zh_node *parent)
{
	static const char *const keys[] = {"on", "off", "sent_bytes", "mtu"};
	struct zh_node *node = zh_node_object(parent, group, NULL);
	char title[64], text[200], bytes[32];
	size_t i;

	for (i = 0; i < ZH_ARRAY_SIZE(keys); i++)
		zh_node_value(
			node, keys[i], NULL, zh_path_cell(record, "path.lo.%s.%s", group, keys[i]));
	if (!zh_path_has(record, "path.lo.%s.on", group) ||
		!zh_path_has(record, "path.lo.%s.off", group))
		return;
	zh_format_bytes(
		bytes, sizeof(bytes), zh_path_number(record, "path.lo.%s.sent_bytes", group));
	snprintf(title, sizeof(title), "%s over MTU %" PRIu64, bytes,
		zh_path_number(record, "path.lo.%s.mtu", group));
	snprintf(text, sizeof(text),
		"%" PRIu64 " packets with TSO and GSO, %" PRIu64 " without (one TCP send)",
		zh_path_number(record, "path.lo.%s.on", group),
		zh_path_number(record, "path.lo.%s.off", group));
	zh_node_value(parent, NULL, title, zh_string(text));
}

static void describe_closed_ports(const struct zh_record *record, struct zh_node *parent)
{
	struct zh_node *node = zh_node_object(parent, "closed_port", NULL), *part;
	static const int versions[] = {4, 6};
	char key[8], title[48], text[96], time[32];
	size_t i;

	for (i = 0; i < ZH_ARRAY_SIZE(versions); i++) {
		const struct zh_fact *took =
			zh_path_fact(record, "path.lo.closed_port.%d.took_ns", versions[i]);
		const char *result =
			zh_path_text(record, "path.lo.closed_port.%d.result", versions[i]);

		snprintf(key, sizeof(key), "ip%d", versions[i]);
		part = zh_node_object(node, key, NULL);
		zh_node_value(part, "result", NULL, zh_string(result));
		zh_node_value(part, "took_ns", NULL, time_cell(took));
		if (!result)
			continue;
		snprintf(title, sizeof(title), "closed port, IPv%d", versions[i]);
		zh_format_ns(time, sizeof(time), took ? took->number : 0);
		snprintf(text, sizeof(text), "%s after %s", result, time);
		zh_node_value(parent, NULL, title, zh_string(text));
	}
}

void zh_path_describe_loopback(const struct zh_record *record, struct zh_node *parent)
{
	static const struct {
		const char *key, *title;
	} rows[] = {{"flags", "flags"}, {"mtu", "MTU"}, {"mtu6", "MTU for IPv6"},
		{"ip4", "IPv4 address"}, {"ip6", "IPv6 address"}};
	struct zh_node *node;
	size_t i, pos = 0;

	if (!zh_fact_next(zh_path_facts(record), "path.lo.*", &pos)) {
		zh_node_value(parent, "loopback", NULL, zh_null());
		return;
	}
	node = zh_node_object(parent, "loopback", "Loopback");
	for (i = 0; i < ZH_ARRAY_SIZE(rows); i++)
		zh_node_value(node, rows[i].key, rows[i].title,
			zh_path_cell(record, "path.lo.%s", rows[i].key));
	describe_offloads(record, node);
	describe_segments(record, "segments", node);
	describe_segments(record, "segments_small", node);
	zh_node_value(node, "checksum",
		zh_path_text(record, "path.lo.checksum") ? "checksums" : NULL,
		zh_path_cell(record, "path.lo.checksum"));
	describe_closed_ports(record, node);
	describe_covers(record, node);
}

static bool same_group(const char *key, const char *need)
{
	size_t n = strcspn(key, "."), m = strcspn(need, ".");

	return n == m && memcmp(key, need, n) == 0;
}

/* Whether a rule that is shown with the way wanted to look at that fact. */
static bool is_wanted(const char *key)
{
	const char *const *need;
	size_t i;

	if (same_group(key, "path."))
		return true;
	for (i = 0; zh_check_registry[i]; i++)
		for (need = zh_check_registry[i]->rule.way ? zh_check_registry[i]->rule.needs
							   : NULL;
			need && *need; need++)
			if (same_group(key, *need))
				return true;
	return false;
}

static void add_unavailable(const struct zh_fact_set *set, bool only_path, struct zh_node *table)
{
	size_t i;

	for (i = 0; i < set->n; i++) {
		const struct zh_fact *fact = &set->facts[i];

		if (fact->type != ZH_FACT_UNAVAILABLE || !is_wanted(fact->key) ||
			same_group(fact->key, "path.") != only_path)
			continue;
		zh_node_row(table, (struct zh_cell[]){zh_string(fact->key), zh_string(fact->text)});
	}
}

void zh_path_describe_not_measured(const struct zh_record *record, struct zh_node *parent)
{
	static const struct zh_column columns[] = {{"what", "what"}, {"why", "why"}};
	struct zh_node *table = zh_node_table(
		parent, "not_measured", "Not measured", columns, ZH_ARRAY_SIZE(columns));
	size_t i;

	for (i = 0; i < record->n_not_measured; i++)
		zh_node_row(table, (struct zh_cell[]){zh_string(record->not_measured[i].what),
					   zh_string(record->not_measured[i].why)});
	add_unavailable(zh_path_facts(record), true, table);
	add_unavailable(&record->before, false, table);
}
