/* SPDX-License-Identifier: BSD-2-Clause */
#include "explain/internal.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/util.h"
#include "explain/finding.h"
#include "explain/rtt.h"

static void run_rules(struct zh_explain *ex)
{
	size_t i;

	for (i = 0; zh_cause_registry[i]; i++)
		zh_cause_registry[i]->run(zh_cause_registry[i], ex);
	for (i = 0; zh_check_registry[i]; i++)
		zh_check_registry[i]->run(zh_check_registry[i], ex);
}

static void explain(struct zh_explain *ex)
{
	zh_explain_rtts(ex);
	if (ex->failed)
		return;
	run_rules(ex);
	if (!ex->failed && !zh_findings_take(ex, &ex->out->findings, &ex->out->n_findings))
		ex->failed = true;
}

int zh_explain(const struct zh_record *record, struct zh_explanation **ret, struct zh_err *err)
{
	struct zh_explain ex = {.record = record};

	ex.out = calloc(1, sizeof(*ex.out));
	ex.main_phase = calloc(ZH_MAX(record->n_phases, (size_t)1), sizeof(bool));
	ex.failed = !ex.out || !ex.main_phase;
	if (!ex.failed)
		explain(&ex);
	zh_findings_done(&ex);
	free(ex.main_phase);
	if (ex.failed) {
		zh_explanation_free(ex.out);
		return zh_err_set(err, -ENOMEM, "cannot explain the record: out of memory");
	}
	*ret = ex.out;
	return 0;
}

struct zh_explanation *zh_explanation_free(struct zh_explanation *explanation)
{
	size_t i;

	if (!explanation)
		return NULL;
	for (i = 0; i < explanation->n_findings; i++)
		zh_finding_done(&explanation->findings[i]);
	free(explanation->findings);
	free(explanation->phase_rtt);
	free(explanation->stages);
	free(explanation);
	return NULL;
}
