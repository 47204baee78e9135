/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * zerohop report: explains a kept record again, anywhere and without privileges.
 */
#include <errno.h>
#include <string.h>

#include "base/util.h"
#include "cmd/describe.h"
#include "cmd/measure.h"
#include "explain/bench.h"
#include "explain/path.h"
#include "explain/rates.h"

struct report_config {
	struct zh_common common;
};

static const struct zh_option options[] = {ZH_COMMON_OPTIONS, {}};
static const struct report_config defaults = {};

static struct zh_doc *describe(
	const struct zh_record *record, const struct zh_explanation *explanation)
{
	struct zh_doc *doc = zh_doc_new("report");
	struct zh_node *root = zh_doc_root(doc);

	cmd_headline(root, record, explanation);
	cmd_describe_run(root, record);
	cmd_describe_device(root, record);
	zh_explanation_describe(explanation, record, root);
	cmd_describe_sweep(root, record, explanation);
	cmd_describe_overhead(root, record);
	cmd_describe_host(root, record);
	return doc;
}

/* What a path run found, as `zerohop path` says it. */
static struct zh_doc *describe_path(
	const struct zh_record *record, const struct zh_explanation *explanation)
{
	struct zh_doc *doc = zh_doc_new("report");

	zh_path_describe(record, explanation, zh_doc_root(doc));
	return doc;
}

/* How the RTT depends on the rate, as `zerohop bench --rates` says it. */
static struct zh_doc *describe_rates(
	const struct zh_record *record, const struct zh_explanation *explanation)
{
	struct zh_doc *doc = zh_doc_new("report");
	struct zh_node *root = zh_doc_root(doc);

	zh_rates_describe(explanation, record, root);
	cmd_describe_overhead(root, record);
	cmd_describe_host(root, record);
	return doc;
}

static void analysis_freep(struct zh_bench_analysis **analysis)
{
	zh_bench_analysis_free(*analysis);
}

/* So many cells still make tables that one page holds. */
#define CELLS_IN_TABLES 40

/* What a benchmark measured, as `zerohop bench` says it: figures, so nothing is wrong. */
static int report_bench(
	const struct zh_common *common, const struct zh_record *record, struct zh_err *err)
{
	zh_cleanup(analysis_freep) struct zh_bench_analysis *analysis = NULL;
	zh_cleanup(cmd_doc_freep) struct zh_doc *doc = NULL;

	if (zh_bench_analyse(record, &analysis, err) < 0)
		return ZH_EXIT_UNABLE;
	doc = zh_doc_new("report");
	zh_bench_describe(analysis, record,
		analysis->n_cells > CELLS_IN_TABLES ? ZH_BENCH_HEAT_MAP : ZH_BENCH_TABLES,
		zh_doc_root(doc));
	cmd_describe_host(zh_doc_root(doc), record);
	return cmd_print(common, doc, err);
}

static bool has_findings(const struct zh_record *record, const struct zh_explanation *explanation)
{
	if (zh_rates_is(record))
		return false; /* figures */
	if (zh_path_is(record))
		return zh_path_has_findings(record, explanation);
	return strcmp(zh_explanation_verdict(explanation, record), "findings") == 0;
}

static int run(const void *config, int n_words, char **words, struct zh_err *err)
{
	const struct report_config *report = config;
	zh_cleanup(cmd_record_freep) struct zh_record *record = NULL;
	zh_cleanup(cmd_explanation_freep) struct zh_explanation *explanation = NULL;
	zh_cleanup(cmd_doc_freep) struct zh_doc *doc = NULL;
	int status;

	if (n_words != 1) {
		zh_err_set(err, -EINVAL, "report takes one record file (zerohop doctor -o FILE)");
		return ZH_EXIT_USAGE;
	}
	if (zh_record_load(words[0], &record, err) < 0)
		return ZH_EXIT_USAGE;
	if (zh_bench_is(record))
		return report_bench(&report->common, record, err);
	if (zh_explain(record, &explanation, err) < 0)
		return ZH_EXIT_UNABLE;
	if (zh_path_is(record))
		doc = describe_path(record, explanation);
	else if (zh_rates_is(record))
		doc = describe_rates(record, explanation);
	else
		doc = describe(record, explanation);
	status = cmd_print(&report->common, doc, err);
	if (status)
		return status;
	return has_findings(record, explanation) ? ZH_EXIT_FINDINGS : ZH_EXIT_OK;
}

const struct zh_command zh_command_report = {
	.name = "report",
	.summary = "what does a kept record say? (text or JSON)",
	.usage = "[OPTIONS] FILE",
	.examples =
		"  zerohop report run.zhr        # the same findings, on any machine, as anyone\n"
		"  zerohop report -j run.zhr     # as JSON\n",
	.notes = "A record is an SQLite database: sqlite3 run.zhr .tables\n"
		 "Exit status: 0 nothing found, 1 findings, 2 usage or not a record.\n",
	.options = options,
	.config_size = sizeof(struct report_config),
	.defaults = &defaults,
	.run = run,
};
