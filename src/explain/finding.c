/* SPDX-License-Identifier: BSD-2-Clause */
#include "explain/finding.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/util.h"

static struct zh_finding *finding_free(struct zh_finding *finding)
{
	if (finding)
		zh_finding_done(finding);
	free(finding);
	return NULL;
}

void zh_finding_done(struct zh_finding *finding)
{
	size_t i;

	for (i = 0; i < ZH_EVIDENCE_MAX; i++)
		free(finding->evidence[i]);
}

static bool make_room(struct zh_explain *ex)
{
	size_t size = ex->size_found ? 2 * ex->size_found : 32;
	struct zh_finding **found;

	if (ex->n_found < ex->size_found)
		return true;
	found = realloc(ex->found, size * sizeof(struct zh_finding *));
	if (!found)
		return false;
	ex->found = found;
	ex->size_found = size;
	return true;
}

struct zh_finding *zh_finding_add(struct zh_explain *ex, const struct zh_rule *rule,
	enum zh_severity severity, enum zh_confidence confidence, const char *fmt, ...)
{
	struct zh_finding *finding = NULL;
	va_list args;

	if (make_room(ex))
		finding = calloc(1, sizeof(*finding));
	if (!finding) {
		ex->failed = true;
		return NULL;
	}
	finding->rule = rule;
	finding->severity = severity;
	finding->confidence = confidence;
	va_start(args, fmt);
	vsnprintf(finding->summary, sizeof(finding->summary), fmt, args);
	va_end(args);
	ex->found[ex->n_found++] = finding;
	return finding;
}

void zh_finding_evidence(struct zh_finding *finding, const char *fmt, ...)
{
	char text[400];
	va_list args;
	size_t i;

	if (!finding)
		return;
	for (i = 0; i < ZH_EVIDENCE_MAX && finding->evidence[i]; i++)
		;
	if (i == ZH_EVIDENCE_MAX)
		return;
	va_start(args, fmt);
	vsnprintf(text, sizeof(text), fmt, args);
	va_end(args);
	finding->evidence[i] = strdup(text);
}

/* Most severe first, then by weight, then the one that explains more time, then the surer one. */
static int compare_findings(const void *left, const void *right)
{
	const struct zh_finding *a = *(const struct zh_finding *const *)left;
	const struct zh_finding *b = *(const struct zh_finding *const *)right;

	if (a->severity != b->severity)
		return a->severity > b->severity ? -1 : 1;
	if (a->weight != b->weight)
		return a->weight > b->weight ? -1 : 1;
	if (a->attributed_ns != b->attributed_ns)
		return a->attributed_ns > b->attributed_ns ? -1 : 1;
	if (a->samples != b->samples)
		return a->samples > b->samples ? -1 : 1;
	if (a->confidence != b->confidence)
		return a->confidence > b->confidence ? -1 : 1;
	return strcmp(a->rule->id, b->rule->id);
}

bool zh_findings_take(struct zh_explain *ex, struct zh_finding **ret, size_t *ret_n)
{
	struct zh_finding *flat = calloc(ZH_MAX(ex->n_found, (size_t)1), sizeof(*flat));
	size_t i;

	if (!flat)
		return false;
	if (ex->n_found)
		qsort(ex->found, ex->n_found, sizeof(struct zh_finding *), compare_findings);
	for (i = 0; i < ex->n_found; i++) {
		flat[i] = *ex->found[i];
		free(ex->found[i]);
	}
	*ret = flat;
	*ret_n = ex->n_found;
	ex->n_found = 0;
	return true;
}

void zh_findings_done(struct zh_explain *ex)
{
	size_t i;

	for (i = 0; i < ex->n_found; i++)
		finding_free(ex->found[i]);
	free(ex->found);
	ex->found = NULL;
	ex->n_found = ex->size_found = 0;
}
