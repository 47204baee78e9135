/* SPDX-License-Identifier: BSD-2-Clause */
/* Names, and rules by id. */
#include "explain/explain.h"

#include <string.h>

const char *zh_severity_name(enum zh_severity severity)
{
	static const char *const names[] = {"info", "low", "warning", "critical"};

	return severity <= ZH_SEVERITY_CRITICAL ? names[severity] : "info";
}

const char *zh_confidence_name(enum zh_confidence confidence)
{
	static const char *const names[] = {"low", "medium", "high"};

	return confidence <= ZH_CONFIDENCE_HIGH ? names[confidence] : "low";
}

const struct zh_rule *zh_rule_find(const char *id)
{
	size_t i;

	for (i = 0; zh_cause_registry[i]; i++)
		if (strcmp(zh_cause_registry[i]->rule.id, id) == 0)
			return &zh_cause_registry[i]->rule;
	for (i = 0; zh_check_registry[i]; i++)
		if (strcmp(zh_check_registry[i]->rule.id, id) == 0)
			return &zh_check_registry[i]->rule;
	for (i = 0; zh_stage_rules[i].id; i++)
		if (strcmp(zh_stage_rules[i].id, id) == 0)
			return &zh_stage_rules[i];
	return NULL;
}
