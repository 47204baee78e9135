/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Which policy routing rule decides about a flow. The kernel's answer to RTM_GETROUTE does not say,
 * so the rules of the facts are gone through as the kernel does (net/core/fib_rules.c), with the
 * routes of the facts for the tables that they look up; and the result must fit what the kernel
 * answered, or it is not believed.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "facts/way.h"
#include "record/fact-set.h"

struct path_rules {
	const struct zh_fact_set *facts; /* of the namespace that the thread is in */
	const struct zh_flow *flow;
	const struct zh_route *route; /* the kernel's answer; type NULL: refused */
	int refusal;                  /* errno of the refusal */
	/* Called for each rule before the one that decides. */
	void (*passed)(void *arg, size_t rule, const char *why);
	void *arg;
};

struct path_rule_verdict {
	bool is_known;
	size_t rule;      /* number N of rule.F.N, when is_known and is_found */
	bool is_found;    /* false: no rule decided: there is no route */
	uint32_t table;   /* 0: the rule itself refuses */
	const char *type; /* type of the route, or the rule's action; owned by the facts */
	char why[240];    /* why it is not known */
};

void path_rules_judge(const struct path_rules *rules, struct path_rule_verdict *ret);
