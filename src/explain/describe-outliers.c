/* SPDX-License-Identifier: BSD-2-Clause */
#include "explain/describe-outliers.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/buf.h"
#include "base/units.h"
#include "base/util.h"
#include "explain/timeline.h"

#define PARTS_MAX 12  /* distinct parts of one sample; more are left out, smallest last seen */
#define PARTS_SHOWN 2 /* to people */

/* What one cause, or nobody, claims of a sample in one stage, through one culprit. */
struct part {
	enum zh_stage_id stage;
	const struct zh_cause *cause; /* NULL: unexplained */
	char who[64];
	uint64_t ns;
};

struct parts {
	struct part part[PARTS_MAX];
	size_t n;
};

static void add(struct parts *parts, enum zh_stage_id stage, const struct zh_cause *cause,
	const struct zh_piece *piece, uint64_t ns)
{
	char who[64];
	size_t i;

	if (!ns)
		return;
	zh_piece_name(piece, who, sizeof(who));
	for (i = 0; i < parts->n; i++)
		if (parts->part[i].stage == stage && parts->part[i].cause == cause &&
			!strcmp(parts->part[i].who, who))
			break;
	if (i == PARTS_MAX)
		return;
	if (i == parts->n) {
		parts->part[parts->n] = (struct part){.stage = stage, .cause = cause};
		snprintf(parts->part[parts->n++].who, sizeof(who), "%s", who);
	}
	parts->part[i].ns += ns;
}

static void sort(struct parts *parts)
{
	size_t i, k;

	for (i = 1; i < parts->n; i++) {
		struct part part = parts->part[i];

		for (k = i; k > 0 && parts->part[k - 1].ns < part.ns; k--)
			parts->part[k] = parts->part[k - 1];
		parts->part[k] = part;
	}
}

/* `by_stage` tells the stages apart, else they are all booked to the first. */
static void collect(const struct zh_timeline *tl, bool by_stage, struct parts *ret)
{
	size_t i, k;

	ret->n = 0;
	for (i = 0; i < tl->n_segments; i++) {
		const struct zh_segment *seg = &tl->segments[i];

		for (k = seg->first_piece; k < seg->first_piece + seg->n_pieces; k++) {
			const struct zh_piece *piece = &tl->pieces[k];
			uint64_t claimed = piece->cause ? piece->claimed_ns : 0;
			enum zh_stage_id stage = by_stage ? seg->stage : 0;

			add(ret, stage, piece->cause, piece, claimed);
			add(ret, stage, NULL, piece, piece->excess_ns - claimed);
		}
	}
	sort(ret);
}

static const char *cause_id(const struct part *part)
{
	return part->cause ? part->cause->rule.id : "unexplained";
}

/* "run-queue-wait 3.09 ms (stress (123)), ...": the largest parts. */
static void add_text(struct zh_buf *buf, const struct parts *parts)
{
	char ns[24];
	size_t i;

	for (i = 0; i < parts->n && i < PARTS_SHOWN; i++)
		zh_buf_addf(buf, "%s%s %s (%s)", i ? ", " : "", cause_id(&parts->part[i]),
			zh_format_ns(ns, sizeof(ns), parts->part[i].ns), parts->part[i].who);
}

static void add_parts(struct zh_node *row, const struct parts *parts)
{
	static const struct zh_column columns[] = {
		{"cause", NULL}, {"stage", NULL}, {"who", NULL}, {"ns", NULL}};
	struct zh_node *table = zh_node_table(row, "parts", NULL, columns, ZH_ARRAY_SIZE(columns));
	size_t i;

	for (i = 0; i < parts->n; i++) {
		const struct part *part = &parts->part[i];

		zh_node_row(table, (struct zh_cell[]){part->cause ? zh_string(part->cause->rule.id)
								  : zh_null(),
					   zh_string(zh_stage_name(part->stage)),
					   zh_string(part->who), zh_ns(part->ns)});
	}
}

void zh_outliers_describe(const struct zh_explanation *explanation, const struct zh_record *record,
	struct zh_node *parent)
{
	static const struct zh_column columns[] = {{"seq", "probe"}, {"phase", "phase"},
		{"rtt_ns", "RTT"}, {"excess_ns", "above usual"}, {"unexplained_ns", NULL},
		{NULL, "largest parts"}};
	struct zh_node *table;
	size_t i;

	if (!explanation->n_timelines)
		return;
	table = zh_node_table(
		parent, "outliers", "The worst samples", columns, ZH_ARRAY_SIZE(columns));
	for (i = 0; i < explanation->n_timelines; i++) {
		const struct zh_timeline *tl = &explanation->timelines[i];
		const struct zh_sample *sample = &record->samples[tl->sample];
		zh_autobuf text = {};
		struct parts parts;

		collect(tl, false, &parts);
		add_text(&text, &parts);
		collect(tl, true, &parts);
		add_parts(zh_node_row(table,
				  (struct zh_cell[]){zh_count(sample->seq),
					  zh_string(zh_timeline_phase(record, sample)->label),
					  zh_ns(zh_sample_rtt(sample)), zh_ns(tl->excess_ns),
					  zh_ns(tl->unexplained_ns),
					  zh_string(text.text ? text.text : "-")}),
			&parts);
	}
}
