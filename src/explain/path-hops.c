/* SPDX-License-Identifier: BSD-2-Clause */
/* The hops of a way as steps of its picture. */
#include "explain/path-describe.h"

#include "base/util.h"
#include "explain/path-facts.h"

#define NOTES_MAX 16
#define HOP_KEY "path.way.%zu.hop.%zu."
#define NAT_KEY "path.way.%zu.nat.%zu."
#define SEEN_KEY "path.way.%zu.proof.hop.%zu."

/* An empty title is none. */
static const char *title_of(const struct zh_record *record, size_t way, size_t hop)
{
	const char *title = zh_path_text(record, HOP_KEY "title", way, hop);

	return title && *title ? title : NULL;
}

void zh_path_add_hop(
	const struct zh_record *record, size_t way, size_t hop, struct zh_node *way_node)
{
	const char *notes[NOTES_MAX + 1] = {NULL};
	char place[96];
	struct zh_step_view step = {
		.place = zh_path_place(record, zh_path_number(record, HOP_KEY "place", way, hop),
			place, sizeof(place)),
		.kind = zh_path_text(record, HOP_KEY "kind", way, hop),
		.dev = zh_path_text(record, HOP_KEY "dev", way, hop),
		.hook = zh_path_text(record, HOP_KEY "hook", way, hop),
		.title = title_of(record, way, hop),
		.notes = notes,
		.unseen = zh_path_text(record, HOP_KEY "unseen", way, hop),
		.ends = zh_path_text(record, HOP_KEY "ends", way, hop),
		.has_requests = zh_path_has(record, SEEN_KEY "requests", way, hop),
		.requests = zh_path_number(record, SEEN_KEY "requests", way, hop),
		.has_replies = zh_path_has(record, SEEN_KEY "replies", way, hop),
		.replies = zh_path_number(record, SEEN_KEY "replies", way, hop),
	};
	size_t i;

	for (i = 0; i < NOTES_MAX; i++) {
		notes[i] = zh_path_text(record, HOP_KEY "note.%zu", way, hop, i);
		if (!notes[i])
			break;
	}
	zh_node_step(way_node, &step);
}

/* Changes of addresses, one by one; in the picture they are notes. */
static void describe_nat(const struct zh_record *record, size_t way, struct zh_node *parent)
{
	static const struct zh_column columns[] = {
		{"place", NULL}, {"hook", NULL}, {"side", NULL}, {"was", NULL}, {"becomes", NULL}};
	struct zh_node *table = zh_node_table(parent, "nat", NULL, columns, ZH_ARRAY_SIZE(columns));
	size_t n = zh_path_n_translations(record, way), i;
	char place[96];

	for (i = 0; i < n; i++)
		zh_node_row(table,
			(struct zh_cell[]){zh_string(zh_path_place(record,
						   zh_path_number(record, NAT_KEY "place", way, i),
						   place, sizeof(place))),
				zh_path_cell(record, NAT_KEY "hook", way, i),
				zh_path_cell(record, NAT_KEY "side", way, i),
				zh_path_cell(record, NAT_KEY "was", way, i),
				zh_path_cell(record, NAT_KEY "becomes", way, i)});
}

void zh_path_describe_hops(
	const struct zh_record *record, size_t way, const char *title, struct zh_node *parent)
{
	size_t n = zh_path_n_hops_of(record, way), hop;
	struct zh_node *node = zh_node_way(parent, "hops", n ? title : NULL);

	for (hop = 0; hop < n; hop++)
		zh_path_add_hop(record, way, hop, node);
	describe_nat(record, way, parent);
}
