/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * zerohop lab run: a scenario, its table and verdicts.
 */
#include <errno.h>

#include "base/buf.h"
#include "base/util.h"
#include "cmd/lab.h"
#include "cmd/measure.h"
#include "lab/scenario.h"

static void progress(void *arg, const char *what, unsigned int done, unsigned int total)
{
	(void)arg;
	cmd_progress("lab: %u of %u: %s", done + 1, total, what);
}

static int unknown_scenario(const char *id, struct zh_err *err)
{
	zh_autobuf known = {0};
	size_t i;

	for (i = 0; zh_scenario_registry[i]; i++)
		zh_buf_addf(&known, "%s%s", i ? ", " : "", zh_scenario_registry[i]->id);
	zh_err_set(
		err, -EINVAL, "there is no scenario '%.40s': %s", id, known.text ? known.text : "");
	return ZH_EXIT_USAGE;
}

int lab_run(const struct lab_config *lab, char **words, struct zh_err *err)
{
	const struct zh_scenario_config config = {.scenario = zh_scenario_find(words[0]),
		.stop = cmd_interrupted,
		.progress = progress};
	zh_cleanup(cmd_doc_freep) struct zh_doc *doc = NULL;
	struct zh_scenario_result *result = NULL;
	int r;

	if (!config.scenario)
		return unknown_scenario(words[0], err);
	cmd_catch_signals();
	r = zh_scenario_run(&config, &result, err);
	cmd_progress_done();
	if (r < 0)
		return ZH_EXIT_UNABLE;
	doc = zh_doc_new("lab");
	zh_scenario_describe(result, zh_doc_root(doc));
	zh_scenario_free(result);
	return cmd_print(&lab->common, doc, err);
}
