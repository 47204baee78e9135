/* SPDX-License-Identifier: BSD-2-Clause */
#include "explain/finding.h"

static const char *kind_of(const struct zh_rule *rule)
{
	size_t i;

	for (i = 0; zh_cause_registry[i]; i++)
		if (&zh_cause_registry[i]->rule == rule)
			return "cause";
	return "check";
}

void zh_finding_describe(const struct zh_finding *finding, struct zh_node *list)
{
	static const char *const nothing[] = {NULL};
	const struct zh_rule *rule = finding->rule;
	const struct zh_finding_view view = {.id = rule->id,
		.kind = kind_of(rule),
		.severity = zh_severity_name(finding->severity),
		.confidence = zh_confidence_name(finding->confidence),
		.has_attribution = finding->has_attribution,
		.of_lost = finding->weight == ZH_WEIGHT_LOSS,
		.attributed_ns = finding->attributed_ns,
		.attributed_share = finding->attributed_share,
		.samples = finding->samples,
		.summary = finding->summary,
		.evidence = (const char *const *)finding->evidence,
		.remedies = rule->remedies ? rule->remedies : nothing,
		.cure = rule->cure,
		.cost = rule->cost};

	zh_node_finding(list, &view);
}
