/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Which findings belong to the answer of a path run. The rules say it themselves (zh_rule.way and
 * zh_rule.told_by): nothing here knows an id.
 */
#include "explain/path-describe.h"

#include <string.h>

#include "explain/path-facts.h"

/* Whether the rule's part of the system is in the way: "lo only" needs a way by lo, "names only" a
 * target that is a name. */
static bool is_concerned(const struct zh_record *record, unsigned int way_flags)
{
	size_t n = zh_path_n_ways(record), i;
	bool lo = false;

	for (i = 0; i < n; i++)
		lo |= zh_path_uses_lo(record, i);
	if ((way_flags & ZH_WAY_LO_ONLY) && !lo)
		return false;
	return !(way_flags & ZH_WAY_NAME_ONLY) || zh_path_text(record, "path.name.asked");
}

static bool is_told(const struct zh_explanation *explanation, const char *id)
{
	size_t i;

	for (i = 0; i < explanation->n_findings; i++)
		if (!strcmp(explanation->findings[i].rule->id, id))
			return true;
	return false;
}

static bool is_told_better(
	const struct zh_explanation *explanation, const struct zh_finding *finding)
{
	const char *const *id;

	for (id = finding->rule->told_by; id && *id; id++)
		if (is_told(explanation, *id))
			return true;
	return false;
}

bool zh_path_shows(const struct zh_record *record, const struct zh_explanation *explanation,
	const struct zh_finding *finding)
{
	return (finding->rule->way & ZH_WAY_SHOWN) && is_concerned(record, finding->rule->way) &&
	       !is_told_better(explanation, finding);
}

bool zh_path_judges(const struct zh_record *record, const struct zh_explanation *explanation,
	const struct zh_finding *finding)
{
	return (finding->rule->way & ZH_WAY_JUDGES) && finding->severity >= ZH_SEVERITY_WARNING &&
	       zh_path_shows(record, explanation, finding);
}
