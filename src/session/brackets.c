/* SPDX-License-Identifier: BSD-2-Clause */
#include <string.h>

#include "session/internal.h"

static bool has_queue(const struct zh_fact_set *facts)
{
	const struct zh_fact *fact;
	size_t pos = 0;

	while ((fact = zh_fact_next(facts, "qdisc.*.root", &pos)))
		if (fact->type == ZH_FACT_STRING && strcmp(fact->text, "noqueue"))
			return true;
	return false;
}

static bool has_any_number(const struct zh_fact_set *facts, const char *pattern)
{
	const struct zh_fact *fact;
	size_t pos = 0;

	while ((fact = zh_fact_next(facts, pattern, &pos)))
		if (fact->type == ZH_FACT_NUMBER && fact->number)
			return true;
	return false;
}

/* Anything that is hooked into netfilter for IPv4 or IPv6; also when nobody could look. */
static bool has_rules(const struct zh_fact_set *facts)
{
	return has_any_number(facts, "nfhook.4.*.count") ||
	       has_any_number(facts, "nfhook.6.*.count") || has_any_number(facts, "nft.rules") ||
	       !zh_fact_find(facts, "facts.captured");
}

void session_choose_brackets(const struct zh_fact_set *facts, struct zh_trace_config *config)
{
	config->qdisc = config->packets && has_queue(facts);
	config->netfilter = config->packets && has_rules(facts);
}
