/* SPDX-License-Identifier: BSD-2-Clause */
/* The answer in one word. */
#include "explain/explain.h"

#include "base/util.h"

/* Below this many answers neither a tail nor a rate can be judged. */
#define ANSWERS_MIN 10

const char *zh_explanation_verdict(
	const struct zh_explanation *explanation, const struct zh_record *record)
{
	size_t i;

	(void)record;
	if (explanation->rtt.lost)
		return "findings";
	for (i = 0; i < explanation->n_findings; i++)
		if (explanation->findings[i].severity >= ZH_SEVERITY_WARNING)
			return "findings";
	if (explanation->rtt.count < ANSWERS_MIN)
		return "inconclusive";
	return "healthy";
}
