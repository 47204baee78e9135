/* SPDX-License-Identifier: BSD-2-Clause */
#include "explain/checks/qdisc-facts.h"

#include <stdio.h>

static bool is_hook(const char *kind)
{
	return zh_check_one_of(kind, ZH_LIST("clsact", "ingress"));
}

static uint64_t growth_of(
	const struct zh_explain *ex, const char *dev, const char *n, const char *counter)
{
	uint64_t growth;

	return zh_explain_delta(ex, &growth, "qdisc.%s.%s.%s", dev, n, counter) ? growth : 0;
}

struct zh_qdisc_facts zh_qdisc_root(const struct zh_explain *ex, const char *dev)
{
	const struct zh_fact_set *facts = zh_explain_facts(ex);
	struct zh_qdisc_facts root = {0};
	const struct zh_fact *fact;
	char pattern[96], n[32];
	size_t pos = 0;

	snprintf(pattern, sizeof(pattern), "qdisc.%s.*.kind", dev);
	while ((fact = zh_fact_next(facts, pattern, &pos))) {
		const char *parent;

		zh_fact_part(n, sizeof(n), fact, pattern, 0);
		parent = zh_check_text(ex, "qdisc.%s.%s.parent", dev, n);
		if (fact->type != ZH_FACT_STRING || is_hook(fact->text) ||
			(*parent && strcmp(parent, "root") != 0))
			continue;
		root.drops_pkts = growth_of(ex, dev, n, "drops_pkts");
		root.overlimits = growth_of(ex, dev, n, "overlimits");
		root.qlen_pkts = zh_check_number(ex, 0, "qdisc.%s.%s.qlen_pkts", dev, n);
		root.rate_bytes = zh_check_number(ex, 0, "qdisc.%s.%s.rate_bytes", dev, n);
		root.limit_bytes = zh_check_number(ex, 0, "qdisc.%s.%s.limit_bytes", dev, n);
		root.burst_ns = zh_check_number(ex, 0, "qdisc.%s.%s.burst_ns", dev, n);
		break;
	}
	return root;
}

uint64_t zh_qdisc_hook_drops(const struct zh_explain *ex, const char *dev)
{
	const struct zh_fact_set *facts = zh_explain_facts(ex);
	const struct zh_fact *fact;
	char pattern[96], n[32];
	uint64_t sum = 0;
	size_t pos = 0;

	snprintf(pattern, sizeof(pattern), "qdisc.%s.*.kind", dev);
	while ((fact = zh_fact_next(facts, pattern, &pos))) {
		if (fact->type != ZH_FACT_STRING || !is_hook(fact->text))
			continue;
		zh_fact_part(n, sizeof(n), fact, pattern, 0);
		sum += growth_of(ex, dev, n, "drops_pkts");
	}
	return sum;
}
