/* SPDX-License-Identifier: BSD-2-Clause */
/* The document of a trial. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/buf.h"
#include "base/units.h"
#include "base/util.h"
#include "cmd/trial.h"

struct values { /* of one figure, in both arms */
	double a, b;
	bool is_ns;
};

static double spike_rate(const struct zh_trial_arm *arm)
{
	return arm->answered ? (double)arm->spikes / (double)arm->answered : NAN;
}

static double lost_share(const struct zh_trial_arm *arm)
{
	uint64_t all = arm->answered + arm->lost;

	return all ? (double)arm->lost / (double)all : NAN;
}

/* Figures of round trips are in the order of zh_trial_round_trips. */
static struct values values_of(const struct zh_trial_report *r, bool round_trips, size_t f)
{
	if (!round_trips)
		return (struct values){r->a.value[f], r->b.value[f], false};
	switch (f) {
	case 0:
		return (struct values){(double)r->a.p50_ns, (double)r->b.p50_ns, true};
	case 1:
		return (struct values){(double)r->a.p99_ns, (double)r->b.p99_ns, true};
	case 2:
		return (struct values){(double)r->a.max_ns, (double)r->b.max_ns, true};
	case 3:
		return (struct values){spike_rate(&r->a), spike_rate(&r->b), false};
	default:
		return (struct values){lost_share(&r->a), lost_share(&r->b), false};
	}
}

static struct zh_cell value_cell(double value, const struct zh_trial_figure *figure, bool is_ns)
{
	if (isnan(value))
		return zh_null();
	if (is_ns)
		return zh_ns((uint64_t)value);
	return figure->is_ratio ? zh_real(value) : zh_share(value);
}

static struct zh_cell real_or_null(double value)
{
	return isfinite(value) ? zh_real(value) : zh_null();
}

/* "x 0.41 (0.38 to 0.45)", "+0.2 % (-0.1 to 0.3)". */
static void format_effect(char *buf, size_t size, const struct zh_trial_figure *figure,
	const struct zh_trial_effect *effect)
{
	const struct zh_interval *i = &effect->interval;

	if (!effect->n)
		snprintf(buf, size, "-");
	else if (!isfinite(i->low) || !isfinite(i->high))
		snprintf(buf, size, "? (too few blocks)");
	else if (figure->is_ratio)
		snprintf(buf, size, "x %.3g (%.3g to %.3g)", i->estimate, i->low, i->high);
	else
		snprintf(buf, size, "%+.2g %% (%.2g to %.2g)", 100 * i->estimate, 100 * i->low,
			100 * i->high);
}

/* The figures that decided it; where none did, the first. */
static void add_effects(const struct zh_trial_report *report, struct zh_buf *line)
{
	char text[96];
	int shown = 0;

	for (size_t f = 0; f < report->n_figures; f++) {
		const struct zh_trial_effect *effect = &report->result.effect[f];

		if (!effect->direction)
			continue;
		format_effect(text, sizeof(text), &report->figures[f], effect);
		zh_buf_addf(line, "%s%s %s", shown++ ? ", " : ": ", report->figures[f].name, text);
	}
	if (shown)
		return;
	format_effect(text, sizeof(text), &report->figures[0], &report->result.effect[0]);
	zh_buf_addf(line, ": %s %s", report->figures[0].name, text);
}

/* Where the kernel does nothing with the setting, a difference is not its effect, whatever else the
 * switching does. */
enum zh_trial_verdict cmd_trial_verdict(const struct cmd_trial *trial)
{
	return *trial->placebo_reason && !trial->report.interrupted ? ZH_TRIAL_NO_EFFECT
								    : trial->report.result.verdict;
}

/* The answer in one line. */
static void answer(const struct cmd_trial *trial, struct zh_buf *line)
{
	const struct zh_trial_report *report = &trial->report;
	const struct zh_trial_result *result = &report->result;

	zh_buf_addf(line, "%s: %s%s", trial->name, zh_trial_verdict_name(cmd_trial_verdict(trial)),
		*trial->placebo_reason ? ", a placebo" : "");
	if (result->verdict == ZH_TRIAL_MIXED)
		zh_buf_addf(line, ", one figure is better and another one worse");
	add_effects(report, line);
	if (report->interrupted)
		zh_buf_addf(line, ", ended early");
	else if (cmd_trial_verdict(trial) == ZH_TRIAL_INCONCLUSIVE && result->more_quads)
		zh_buf_addf(line, "; about %u more blocks would decide it", 4 * result->more_quads);
}

static double least_p(const struct zh_trial_report *report)
{
	double least = 1;

	for (size_t f = 0; f < report->n_figures; f++)
		if (report->figures[f].decides)
			least = fmin(least, report->result.effect[f].p_value);
	return least;
}

/* The keys that scripts read: ratio, ci, noise_floor by figure; differences are no ratios. */
static void describe_keys(const struct cmd_trial *trial, struct zh_node *root)
{
	const struct zh_trial_report *report = &trial->report;
	struct zh_node *ratio = zh_node_object(root, "ratio", NULL);
	struct zh_node *ci = zh_node_object(root, "ci", NULL);
	struct zh_node *noise = zh_node_object(root, "noise_floor", NULL);

	for (size_t f = 0; f < report->n_figures; f++) {
		const struct zh_trial_effect *effect = &report->result.effect[f];
		struct zh_node *interval;

		if (!report->figures[f].is_ratio)
			continue;
		zh_node_value(ratio, report->figures[f].name, NULL,
			real_or_null(effect->interval.estimate));
		interval = zh_node_object(ci, report->figures[f].name, NULL);
		zh_node_value(interval, "low", NULL, real_or_null(effect->interval.low));
		zh_node_value(interval, "high", NULL, real_or_null(effect->interval.high));
		zh_node_value(
			noise, report->figures[f].name, NULL, real_or_null(effect->noise_floor));
	}
	zh_node_value(root, "p_value", NULL, zh_real(least_p(report)));
	zh_node_value(root, "blocks", "blocks measured", zh_count(4 * report->quads));
	zh_node_value(root, "more_blocks", NULL,
		report->result.more_quads ? zh_count(4 * report->result.more_quads) : zh_null());
	zh_node_value(root, "interrupted", NULL, zh_bool(report->interrupted));
	zh_node_value(root, "placebo_reason", NULL,
		*trial->placebo_reason ? zh_string(trial->placebo_reason) : zh_null());
}

static void describe_figures(const struct cmd_trial *trial, struct zh_node *root)
{
	static const struct zh_column columns[] = {{"id", "figure"}, {NULL, "as it is"},
		{NULL, "changed"}, {NULL, "effect (95 % interval)"}, {"estimate", NULL},
		{"low", NULL}, {"high", NULL}, {"is_ratio", NULL}, {"decides", "decides"},
		{"p_value", "p"}, {"noise_floor", "equal blocks differ by"}};
	const struct zh_trial_report *report = &trial->report;
	struct zh_node *table =
		zh_node_table(root, "figures", "Effects", columns, ZH_ARRAY_SIZE(columns));

	for (size_t f = 0; f < report->n_figures; f++) {
		const struct zh_trial_figure *figure = &report->figures[f];
		const struct zh_trial_effect *effect = &report->result.effect[f];
		struct values v = values_of(report, trial->method->has_round_trips, f);
		char text[96];

		format_effect(text, sizeof(text), figure, effect);
		zh_node_row(table,
			(struct zh_cell[]){zh_string(figure->name),
				value_cell(v.a, figure, v.is_ns), value_cell(v.b, figure, v.is_ns),
				zh_string(text), real_or_null(effect->interval.estimate),
				real_or_null(effect->interval.low),
				real_or_null(effect->interval.high), zh_bool(figure->is_ratio),
				zh_bool(figure->decides), zh_real(effect->p_value),
				isnan(effect->noise_floor) ? zh_null()
							   : zh_share(effect->noise_floor)});
	}
}

static void describe_arm(const struct cmd_trial *trial, struct zh_node *root, const char *key,
	const struct zh_trial_arm *arm)
{
	struct zh_node *node = zh_node_object(root, key, NULL);

	if (!trial->method->has_round_trips) {
		zh_node_value(node, "number", NULL, real_or_null(arm->value[0]));
		return;
	}
	zh_node_value(node, "count", NULL, zh_count(arm->answered));
	zh_node_value(node, "lost", NULL, zh_count(arm->lost));
	zh_node_value(node, "p50_ns", NULL, zh_ns(arm->p50_ns));
	zh_node_value(node, "p99_ns", NULL, zh_ns(arm->p99_ns));
	zh_node_value(node, "max_ns", NULL, zh_ns(arm->max_ns));
	zh_node_value(node, "spikes", NULL, zh_count(arm->spikes));
}

static void explain(const struct cmd_trial *trial, struct zh_node *root)
{
	char text[640], threshold[32] = "-";

	if (trial->report.spike_threshold_ns != UINT64_MAX)
		zh_format_ns(threshold, sizeof(threshold), trial->report.spike_threshold_ns);
	snprintf(text, sizeof(text),
		"Blocks with and without the change alternate in random order. p: the chance of "
		"effects this large if there were none, of all deciding figures together. 'no "
		"effect': every deciding figure's interval lies within its margin. Equal blocks "
		"differ by: 95 %% of pairs of blocks without the change differ by less.%s%s",
		trial->method->has_round_trips ? " A spike is a round trip above " : "",
		trial->method->has_round_trips ? threshold : "");
	zh_node_text(root, text);
}

void cmd_describe_trial(const struct cmd_trial *trial, struct zh_node *node, bool is_part)
{
	zh_autobuf line = {};

	answer(trial, &line);
	if (is_part)
		zh_node_text(node, line.text ? line.text : "");
	else
		zh_node_headline(node, NULL, line.text ? line.text : "");
	zh_node_value(node, "change", is_part ? NULL : "change", zh_string(trial->name));
	zh_node_value(node, "what", is_part ? NULL : "that is", zh_string(trial->what));
	zh_node_value(
		node, "verdict", NULL, zh_string(zh_trial_verdict_name(cmd_trial_verdict(trial))));
	describe_keys(trial, node);
	describe_figures(trial, node);
	describe_arm(trial, node, "plain", &trial->report.a);
	describe_arm(trial, node, "changed", &trial->report.b);
	if (*trial->placebo_reason) {
		zh_autobuf why = {};

		zh_buf_addf(&why,
			"It cannot do anything here: %s. What differs above is not its effect.",
			trial->placebo_reason);
		zh_node_text(node, why.text ? why.text : "");
	}
	explain(trial, node);
}
