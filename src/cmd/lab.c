/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * zerohop lab: faults with known answers, and the score of the diagnosis.
 */
#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/util.h"
#include "cmd/measure.h"
#include "lab/lab.h"
#include "lab/score.h"

struct lab_config {
	struct zh_common common;
	uint64_t n, seed;
	const char *fault, *keep;
	bool no_controls;
};

static const struct zh_option options[] = {
	{"runs", 'n', ZH_OPTION_COUNT, offsetof(struct lab_config, n), "N",
		"runs of each fault and of its control (1)", .min = 1, .max = 1000},
	{"fault", 'f', ZH_OPTION_STRING, offsetof(struct lab_config, fault), "ID",
		"only this fault (zerohop lab list)"},
	{"keep", 0, ZH_OPTION_STRING, offsetof(struct lab_config, keep), "DIR",
		"save every run's record in this directory"},
	{"seed", 0, ZH_OPTION_COUNT, offsetof(struct lab_config, seed), "N",
		"seed of order and parameters (drawn and printed when 0)"},
	{"no-controls", 0, ZH_OPTION_FLAG, offsetof(struct lab_config, no_controls), NULL,
		"leave the healthy controls out"},
	ZH_COMMON_OPTIONS,
	{},
};

static const struct lab_config defaults = {.n = 1};

static void progress(void *arg, const char *what, unsigned int done, unsigned int total)
{
	(void)arg;
	cmd_progress("lab: %u of %u: %s", done + 1, total, what);
}

static int score(const struct lab_config *lab, struct zh_err *err)
{
	const struct zh_score_config config = {
		.n = (unsigned int)lab->n,
		.fault = lab->fault,
		.keep_dir = lab->keep,
		.controls = !lab->no_controls,
		.seed = lab->seed,
		.stop = cmd_interrupted,
		.progress = progress,
	};
	zh_cleanup(cmd_doc_freep) struct zh_doc *doc = NULL;
	struct zh_score *result = NULL;
	int r, status;

	if (lab->keep && mkdir(lab->keep, 0755) < 0 && errno != EEXIST) {
		zh_err_sys(err, -errno, "cannot make directory %s", lab->keep);
		return ZH_EXIT_USAGE;
	}
	cmd_catch_signals();
	r = zh_lab_score(&config, &result, err);
	cmd_progress_done();
	if (r < 0)
		return r == -EINVAL ? ZH_EXIT_USAGE : ZH_EXIT_UNABLE;
	doc = zh_doc_new("lab");
	zh_score_describe(result, zh_doc_root(doc));
	status = cmd_print(&lab->common, doc, err);
	if (!status)
		status = zh_score_is_perfect(result) ? ZH_EXIT_OK : ZH_EXIT_FINDINGS;
	zh_score_free(result);
	return status;
}

static int list(const struct lab_config *lab, struct zh_err *err)
{
	static const struct zh_column columns[] = {{"id", "fault"}, {"expects", "must be named"},
		{"topology", "topology"}, {"summary", "what it does"}};
	zh_cleanup(cmd_doc_freep) struct zh_doc *doc = zh_doc_new("lab");
	struct zh_node *table;
	size_t i;

	zh_node_headline(zh_doc_root(doc), NULL, "Faults with known answers (zerohop lab score)");
	table = zh_node_table(
		zh_doc_root(doc), "faults", "Faults", columns, ZH_ARRAY_SIZE(columns));
	for (i = 0; zh_fault_registry[i]; i++) {
		const struct zh_fault *fault = zh_fault_registry[i];

		zh_node_row(
			table, (struct zh_cell[]){zh_string(fault->id), zh_string(fault->expects),
				       zh_string(fault->topology->id), zh_string(fault->summary)});
	}
	return cmd_print(&lab->common, doc, err);
}

static int run(const void *config, int n_words, char **words, struct zh_err *err)
{
	const struct lab_config *lab = config;

	if (n_words != 1 ||
		(strcmp(words[0], "score") && strcmp(words[0], "list") && strcmp(words[0], "gc"))) {
		zh_err_set(err, -EINVAL, "lab takes one of: score, list, gc");
		return ZH_EXIT_USAGE;
	}
	if (!strcmp(words[0], "list"))
		return list(lab, err);
	if (geteuid() != 0) {
		zh_err_set(err, -EPERM, "lab %s needs root (namespaces, cgroups, BPF)", words[0]);
		return ZH_EXIT_UNABLE;
	}
	zh_lab_gc();
	return strcmp(words[0], "score") ? ZH_EXIT_OK : score(lab, err);
}

const struct zh_command zh_command_lab = {
	.name = "lab",
	.summary = "inject faults with known answers, and score the diagnosis",
	.usage = "[OPTIONS] score | list | gc",
	.examples =
		"  sudo zerohop lab score -n 5              # every fault and control five times\n"
		"  sudo zerohop lab score -f cfs-quota -n 3 # one fault\n"
		"  zerohop lab list                         # what can be injected\n",
	.notes =
		"All faults act in namespaces and cgroups of the lab's own; nothing survives its "
		"owner.\n'gc' removes what a killed lab left.\n"
		"Exit status: 0 all right, 1 a fault was misnamed or a control not silent, 2 usage, 3 "
		"not permitted.\n",
	.options = options,
	.config_size = sizeof(struct lab_config),
	.defaults = &defaults,
	.run = run,
};
