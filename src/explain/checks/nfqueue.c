/* SPDX-License-Identifier: BSD-2-Clause */
#include "explain/checks/support.h"

#define DEEP_PKTS 1000

/* A queue rule without any listener drops all it matches, unless it says bypass. */
static void judge_rules(const struct zh_check *check, struct zh_explain *ex)
{
	const struct zh_fact_set *facts = zh_explain_facts(ex);
	const struct zh_fact *fact;
	size_t pos = 0;

	while ((fact = zh_fact_next(facts, "nft.notable.*.what", &pos))) {
		const char *id = fact->key + strlen("nft.notable.");
		int len = (int)strcspn(id, ".");
		uint64_t listeners = 1, hits = 0;
		struct zh_finding *finding;
		const char *text;
		bool drops;

		if (fact->type != ZH_FACT_STRING || strcmp(fact->text, "queue") != 0)
			continue;
		text = zh_check_text(ex, "nft.notable.%.*s.text", len, id);
		drops = zh_explain_number(ex, &listeners, "nfqueue.count") && listeners == 0 &&
			!strstr(text, "bypass");
		zh_explain_delta(ex, &hits, "nft.notable.%.*s.pkts", len, id);
		finding = zh_finding_add(ex, &check->rule,
			drops ? ZH_SEVERITY_WARNING : ZH_SEVERITY_INFO, ZH_CONFIDENCE_HIGH,
			drops ? "%s hands packets to a user-space queue nobody reads: they are "
				"dropped (%llu in %.1f s)"
			      : "%s hands packets to a user-space queue (%llu in %.1f s)",
			zh_check_text(ex, "nft.notable.%.*s.chain", len, id),
			(unsigned long long)hits, zh_check_window_s(ex));
		zh_finding_evidence(finding, "rule: %s", text);
		zh_finding_evidence(finding,
			"%llu queues have a listener in "
			"/proc/net/netfilter/nfnetlink_queue",
			(unsigned long long)listeners);
		zh_check_add_loss(ex, finding);
	}
}

static void judge_depth(const struct zh_check *check, struct zh_explain *ex)
{
	const struct zh_fact_set *facts = zh_explain_facts(ex);
	const struct zh_fact *fact;
	struct zh_finding *finding;
	size_t pos = 0;
	char id[32];

	while ((fact = zh_fact_next(facts, "nfqueue.*.depth_pkts", &pos))) {
		if (fact->type != ZH_FACT_NUMBER || fact->number < DEEP_PKTS)
			continue;
		finding = zh_finding_add(ex, &check->rule, ZH_SEVERITY_WARNING, ZH_CONFIDENCE_HIGH,
			"%llu packets wait in netfilter queue %s for their user-space reader",
			(unsigned long long)fact->number,
			zh_fact_part(id, sizeof(id), fact, "nfqueue.*.depth_pkts", 0));
		zh_finding_evidence(finding, "queue_total of queue %s is %llu", id,
			(unsigned long long)fact->number);
	}
}

static void run(const struct zh_check *check, struct zh_explain *ex)
{
	static const struct zh_check_counter counters[] = {
		{"nfqueue.*.dropped_pkts", "queue_dropped", 1, 1, true},
		{"nfqueue.*.user_dropped_pkts", "queue_user_dropped", 1, 1, true},
		{"kmsg.nfqueue_full.count", "\"nf_queue: full\" in the kernel log", 1, 0, false},
		{},
	};

	zh_check_counters(check, ex, counters, "The reader of a netfilter queue is too slow");
	judge_rules(check, ex);
	judge_depth(check, ex);
}

const struct zh_check zh_check_nfqueue = {
	.rule =
		{
			.id = "nfqueue",
			.code = "C13",
			.title = "Packets wait for a user-space verdict",
			.summary = "A rule hands packets to a program (NFQUEUE), which is absent, "
				   "slow or full.",
			.why = "Security agents and DPI take verdicts in user space: each packet "
			       "waits for a context switch and the agent's work. Without a listener "
			       "the packets are dropped; with a slow one the queue (1024 by default) "
			       "fills and then drops.",
			.evidence =
				"queue rules of nftables and iptables-nft; "
				"/proc/net/netfilter/nfnetlink_queue: listeners, depth, growth of "
				"queue_dropped and queue_user_dropped.",
			.verify = "depth stays near 0 and both drop counters stand still.",
			.cure = "Start or speed up the reader, spread over several queues, use "
				"`--queue-bypass` and fail-open, or exclude lo.",
			.cost = "With bypass, packets pass uninspected while the reader is away.",
			.remedies = ZH_LIST("nft-accept-lo"),
			.needs = ZH_LIST("nft.notable.*.what", "nft.notable.*.text",
				"nft.notable.*.pkts", "nfqueue.count", "nfqueue.*.depth_pkts",
				"nfqueue.*.dropped_pkts", "nfqueue.*.user_dropped_pkts",
				"kmsg.*.count"),
			.way = ZH_WAY_SHOWN,
		},
	.run = run,
};
