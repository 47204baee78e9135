/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The list of findings while rules run, and its ranking. Rules themselves use internal.h only.
 */
#pragma once

#include "explain/internal.h"

/* Frees what a finding owns, not the finding. */
void zh_finding_done(struct zh_finding *finding);

/* Ranks the findings (severity, attributed time, samples, confidence) and hands them over as one
 * array; false when out of memory. */
bool zh_findings_take(struct zh_explain *ex, struct zh_finding **ret, size_t *ret_n);

/* Frees the findings that were not handed over, and the list. */
void zh_findings_done(struct zh_explain *ex);

/* Adds it to a list of findings of a document. */
void zh_finding_describe(const struct zh_finding *finding, struct zh_node *list);
