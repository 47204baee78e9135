/* SPDX-License-Identifier: BSD-2-Clause */
#include "explain/checks/support.h"

#define WARNING_SHARE 0.01

static void run(const struct zh_check *check, struct zh_explain *ex)
{
	const struct zh_record *record = ex->record;
	uint64_t twice = 0, all = 0;
	struct zh_finding *finding;
	size_t i;

	for (i = 0; i < record->n_samples; i++) {
		if (!zh_sample_answered(&record->samples[i]))
			continue;
		all++;
		twice += (record->samples[i].flags & ZH_SAMPLE_DUPLICATE) != 0;
	}
	if (twice == 0)
		return;
	finding = zh_finding_add(ex, &check->rule,
		twice >= 2 && (double)twice >= WARNING_SHARE * (double)all ? ZH_SEVERITY_WARNING
									   : ZH_SEVERITY_LOW,
		ZH_CONFIDENCE_HIGH, "%llu of %llu replies came more than once",
		(unsigned long long)twice, (unsigned long long)all);
	zh_finding_evidence(finding, "%llu samples with a second reply of the same sequence number",
		(unsigned long long)twice);
}

const struct zh_check zh_check_duplicate_replies = {
	.rule =
		{
			.id = "duplicate-replies",
			.code = "C25",
			.title = "Packets are duplicated",
			.summary = "Probes were answered more than once.",
			.why = "A mirror action of tc, a bridge that floods to two ports of one "
			       "host, or a loop copies packets. TCP takes copies for loss or "
			       "reordering and slows down, and every CPU on the way does double "
			       "work.",
			.evidence = "Replies with a sequence number that was answered before. "
				    "Local paths never retransmit ICMP or UDP by themselves.",
			.verify = "No reply comes twice.",
			.cure = "Find the copy with captures on each device; look for act_mirred "
				"filters and two paths into one bridge.",
			.cost = "None.",
			.needs = ZH_LIST("filter.*.*.actions"),
		},
	.run = run,
};
