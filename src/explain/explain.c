/* SPDX-License-Identifier: BSD-2-Clause */
#include "explain/internal.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/util.h"
#include "explain/attribution.h"
#include "explain/finding.h"
#include "explain/rtt.h"
#include "explain/spike-train.h"

static void run_rules(struct zh_explain *ex)
{
	size_t i;

	for (i = 0; zh_cause_registry[i]; i++)
		zh_cause_registry[i]->run(zh_cause_registry[i], ex);
	for (i = 0; zh_check_registry[i]; i++)
		zh_check_registry[i]->run(zh_check_registry[i], ex);
}

/*
 * When lo is down or a rule takes local traffic away, the drops are its consequence: the same fault
 * must not be told twice, and the setting is the better name for it.
 */
static void demote_consequences(struct zh_explain *ex)
{
	static const char *const reasons[] = {"loopback-down", "policy-route"};
	static const char *const effects[] = {
		"route-drop", "device-drop", "qdisc-drop", "unspecified-drop"};
	bool found = false;
	size_t i, k;

	for (i = 0; i < ex->n_found; i++)
		for (k = 0; k < ZH_ARRAY_SIZE(reasons); k++)
			found |= ex->found[i]->severity >= ZH_SEVERITY_WARNING &&
				 strcmp(ex->found[i]->rule->id, reasons[k]) == 0;
	for (i = 0; found && i < ex->n_found; i++)
		for (k = 0; k < ZH_ARRAY_SIZE(effects); k++)
			if (strcmp(ex->found[i]->rule->id, effects[k]) == 0)
				ex->found[i]->severity = ZH_SEVERITY_LOW;
}

/* The worst timelines are kept for reports; the rest goes with the attribution. */
#define TIMELINES_KEPT 10

static void keep_timelines(struct zh_explain *ex)
{
	struct zh_attribution *a = ex->attribution;
	size_t n = ZH_MIN(a->n_slow, (size_t)TIMELINES_KEPT), i;

	ex->out->timelines = calloc(n + 1, sizeof(struct zh_timeline));
	if (!ex->out->timelines) {
		ex->failed = true;
		return;
	}
	for (i = 0; i < n; i++) {
		ex->out->timelines[i] = a->slow[i];
		a->slow[i] = (struct zh_timeline){0};
	}
	ex->out->n_timelines = n;
}

static void explain(struct zh_explain *ex)
{
	zh_explain_rtts(ex);
	if (!ex->failed)
		zh_attribute(ex);
	if (!ex->failed)
		zh_spike_train(ex);
	if (ex->failed)
		return;
	run_rules(ex);
	demote_consequences(ex);
	if (!ex->failed && !zh_findings_take(ex, &ex->out->findings, &ex->out->n_findings))
		ex->failed = true;
	if (!ex->failed)
		keep_timelines(ex);
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
	zh_attribution_free(ex.attribution);
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
	for (i = 0; i < explanation->n_timelines; i++)
		zh_timeline_done(&explanation->timelines[i]);
	free(explanation->timelines);
	free(explanation->findings);
	free(explanation->phase_rtt);
	free(explanation->stages);
	free(explanation->phase_stages);
	free(explanation);
	return NULL;
}
