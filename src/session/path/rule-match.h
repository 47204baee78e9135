/* SPDX-License-Identifier: BSD-2-Clause */
/* Does a policy routing rule of the facts apply to a flow? */
#pragma once

#include <stddef.h>

#include "facts/way.h"
#include "record/fact-set.h"

/* NULL when rule.F.N applies, else why not: "other protocol". Inverted rules are taken into
 * account. Runs in the namespace of the facts (device names). */
const char *path_rule_differs(
	const struct zh_fact_set *facts, size_t rule, const struct zh_flow *flow);
