/* SPDX-License-Identifier: BSD-2-Clause */
#include "explain/checks/support.h"

#include <stdio.h>

static void judge(const struct zh_check *check, struct zh_explain *ex, const char *pattern,
	enum zh_severity severity, const char *what)
{
	const struct zh_fact_set *facts = zh_explain_facts(ex);
	const struct zh_fact *fact;
	struct zh_finding *finding;
	char dev[64], n[32];
	size_t pos = 0;

	while ((fact = zh_fact_next(facts, pattern, &pos))) {
		if (fact->type != ZH_FACT_NUMBER || fact->number == 0)
			continue;
		snprintf(dev, sizeof(dev), "%.*s", (int)strcspn(fact->key + 5, "."), fact->key + 5);
		zh_fact_part(n, sizeof(n), fact, pattern, 1);
		finding = zh_finding_add(ex, &check->rule, severity, ZH_CONFIDENCE_HIGH,
			"%s on %s cannot be used: %s", zh_check_text(ex, "addr.%s.%s.ip", dev, n),
			dev, what);
		zh_finding_evidence(finding, "accept_dad of %s is %llu, dad_transmits %llu", dev,
			(unsigned long long)zh_check_number(ex, 0, "devconf.6.%s.accept_dad", dev),
			(unsigned long long)zh_check_number(
				ex, 0, "devconf.6.%s.dad_transmits", dev));
		zh_check_add_loss(ex, finding);
	}
}

static void run(const struct zh_check *check, struct zh_explain *ex)
{
	judge(check, ex, "addr.*.*.dadfailed", ZH_SEVERITY_WARNING,
		"1 other host on the link has it (dadfailed)");
	judge(check, ex, "addr.*.*.tentative", ZH_SEVERITY_LOW,
		"duplicate address detection is under way for up to 2 s (tentative)");
}

const struct zh_check zh_check_ipv6_dad = {
	.rule =
		{
			.id = "ipv6-dad",
			.code = "C25",
			.title = "An IPv6 address is not usable",
			.summary =
				"Duplicate address detection of an own IPv6 address failed or is "
				"not over.",
			.why = "A new IPv6 address is tentative for 1-2 s: bind() to it fails with "
			       "EADDRNOTAVAIL and it answers nothing. When the detection fails the "
			       "address stays unusable for good; a bridge with hairpin, or a "
			       "duplicated link, can make a host see its own probe.",
			.evidence = "IFA_F_TENTATIVE and IFA_F_DADFAILED of RTM_GETADDR after the "
				    "run.",
			.verify = "`ip -6 addr` shows neither flag.",
			.cure = "Add the address with nodad, or set optimistic_dad or accept_dad 0 "
				"on links that cannot hold duplicates.",
			.cost = "A real duplicate is not found.",
			.remedies = ZH_LIST("accept-dad"),
			.needs = ZH_LIST("addr.*.*.ip", "addr.*.*.tentative", "addr.*.*.dadfailed",
				"devconf.6.*.accept_dad", "devconf.6.*.dad_transmits"),
		},
	.run = run,
};
