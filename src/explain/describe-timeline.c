/* SPDX-License-Identifier: BSD-2-Clause */
#include "explain/describe-timeline.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/buf.h"
#include "base/units.h"
#include "base/util.h"

/* Names with a smaller share of their segment are summed up as "other". */
#define SHARE_MIN 0.03
#define NAMES_MAX 8

struct named {
	char name[64];
	uint64_t ns;
};

/* "stress (1234) 3.60 ms, timer interrupt 12.0 us": what passed the time, by first appearance. */
static void add_pieces(
	struct zh_buf *text, const struct zh_timeline *tl, const struct zh_segment *seg)
{
	struct named named[NAMES_MAX] = {0};
	uint64_t length = seg->to_ns - seg->from_ns, other = 0;
	char name[64], ns[24];
	size_t i, k;

	for (k = seg->first_piece; k < seg->first_piece + seg->n_pieces; k++) {
		const struct zh_piece *piece = &tl->pieces[k];
		uint64_t mine = piece->to_ns - piece->from_ns;

		zh_piece_name(piece, name, sizeof(name));
		for (i = 0; i < NAMES_MAX && named[i].ns && strcmp(named[i].name, name); i++)
			;
		if (i == NAMES_MAX) {
			other += mine;
			continue;
		}
		memcpy(named[i].name, name, sizeof(name));
		named[i].ns += mine;
	}
	for (i = 0; i < NAMES_MAX && named[i].ns; i++) {
		if ((double)named[i].ns < SHARE_MIN * (double)length) {
			other += named[i].ns;
			continue;
		}
		zh_buf_addf(text, "%s%s %s", text->len ? ", " : "", named[i].name,
			zh_format_ns(ns, sizeof(ns), named[i].ns));
	}
	if (other && text->len)
		zh_buf_addf(text, ", other %s", zh_format_ns(ns, sizeof(ns), other));
}

static void add_piece_rows(
	struct zh_node *row, const struct zh_timeline *tl, const struct zh_segment *seg)
{
	static const struct zh_column columns[] = {
		{"who", NULL}, {"ns", NULL}, {"excess_ns", NULL}, {"cause", NULL}, {"pid", NULL}};
	struct zh_node *table = zh_node_table(row, "pieces", NULL, columns, ZH_ARRAY_SIZE(columns));
	char name[64];
	size_t k;

	for (k = seg->first_piece; k < seg->first_piece + seg->n_pieces; k++) {
		const struct zh_piece *piece = &tl->pieces[k];
		const struct zh_cell cells[] = {zh_string(zh_piece_name(piece, name, sizeof(name))),
			zh_ns(piece->to_ns - piece->from_ns), zh_ns(piece->excess_ns),
			zh_string(piece->cause ? piece->cause->rule.id : NULL),
			piece->pid ? zh_count(piece->pid) : zh_null()};

		zh_node_row(table, cells);
	}
}

static void add_segment(
	struct zh_node *table, const struct zh_timeline *tl, const struct zh_segment *seg)
{
	uint64_t start = tl->segments[0].from_ns;
	zh_autobuf who = {0};
	struct zh_node *row;

	add_pieces(&who, tl, seg);
	{
		const struct zh_cell cells[] = {zh_ns(seg->from_ns - start),
			zh_ns(seg->to_ns - seg->from_ns), zh_string(zh_stage_name(seg->stage)),
			zh_string(seg->leg ? "reply" : "request"),
			seg->cpu == ZH_CPU_NONE ? zh_null() : zh_count(seg->cpu),
			zh_string(who.text)};

		row = zh_node_row(table, cells);
	}
	add_piece_rows(row, tl, seg);
}

void zh_timeline_describe(
	const struct zh_timeline *timeline, const struct zh_record *record, struct zh_node *node)
{
	static const struct zh_column columns[] = {{"at_ns", "at"}, {"ns", "took"},
		{"stage", "stage"}, {"leg", "leg"}, {"cpu", "CPU"}, {NULL, "who"}};
	const struct zh_sample *sample = &record->samples[timeline->sample];
	struct zh_node *worst, *table;
	char title[120], ns[24];
	size_t i;

	snprintf(title, sizeof(title), "The worst sample: probe %" PRIu32 ", %s%s", sample->seq,
		zh_format_ns(ns, sizeof(ns), zh_sample_rtt(sample)),
		timeline->incomplete ? " (some stamps are missing)" : "");
	worst = zh_node_object(node, "worst", title);
	zh_node_value(worst, "seq", NULL, zh_count(sample->seq));
	zh_node_value(worst, "rtt_ns", NULL, zh_ns(zh_sample_rtt(sample)));
	zh_node_value(worst, "excess_ns", NULL, zh_ns(timeline->excess_ns));
	zh_node_value(worst, "unexplained_ns", NULL, zh_ns(timeline->unexplained_ns));
	zh_node_value(worst, "incomplete", NULL, zh_bool(timeline->incomplete));
	table = zh_node_table(worst, "segments", "", columns, ZH_ARRAY_SIZE(columns));
	for (i = 0; i < timeline->n_segments; i++)
		add_segment(table, timeline, &timeline->segments[i]);
}
