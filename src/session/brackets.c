/* SPDX-License-Identifier: BSD-2-Clause */
#include <string.h>

#include "session/internal.h"

/* An address of this machine: its packets pass lo and no other device. */
static bool is_own(const struct zh_fact_set *facts, const char *host)
{
	const struct zh_fact *fact;
	size_t pos = 0;

	if (!strncmp(host, "127.", 4) || !strcmp(host, "::1") || !strcmp(host, "localhost"))
		return true;
	while ((fact = zh_fact_next(facts, "addr.*.*.ip", &pos)))
		if (fact->type == ZH_FACT_STRING && !strcmp(fact->text, host))
			return true;
	return false;
}

static bool has_queue(const struct zh_fact_set *facts, const char *pattern)
{
	const struct zh_fact *fact;
	size_t pos = 0;

	while ((fact = zh_fact_next(facts, pattern, &pos)))
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

void session_choose_brackets(const struct zh_fact_set *facts, const struct zh_target *target,
	struct zh_trace_config *config)
{
	bool is_ip = target->host[0] != '\0'; /* else a Unix socket: no device, no rules */
	const char *queues = is_own(facts, target->host) ? "qdisc.lo.root" : "qdisc.*.root";

	config->qdisc = config->packets && is_ip && has_queue(facts, queues);
	config->netfilter = config->packets && is_ip && has_rules(facts);
}
