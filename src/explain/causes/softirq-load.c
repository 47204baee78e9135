/* SPDX-License-Identifier: BSD-2-Clause */
#include <inttypes.h>

#include "explain/claims.h"

static void run(const struct zh_cause *cause, struct zh_explain *ex)
{
	struct zh_claims claims;
	struct zh_finding *finding;
	uint64_t packets;

	finding = zh_cause_report(ex, cause, ZH_POLICY_SHARED, ZH_CONFIDENCE_HIGH, &claims);
	if (!finding)
		return;
	zh_claims_name_culprits(finding, &claims, "had the CPU", 4);
	if (zh_explain_delta_sum(ex, "softnet.cpu.*.processed_pkts", &packets))
		zh_finding_evidence(finding,
			"%" PRIu64 " packets received on all CPUs meanwhile (%.0f a second)",
			packets, (double)packets / zh_explain_seconds(ex));
	if (!ex->attribution->softirqs_recorded)
		finding->confidence = ZH_CONFIDENCE_MEDIUM;
}

const struct zh_cause zh_cause_softirq_load = {
	.rule =
		{
			.id = "softirq-load",
			.code = "L8b",
			.title = "Softirq load",
			.summary = "Network softirqs of other traffic took the CPU that the "
				   "probe needed.",
			.why = "A packet flood is received in softirq context: in the sender's "
			       "system call on loopback, after an interrupt, or in ksoftirqd. "
			       "That time is taken from the tasks of the CPU, whatever their "
			       "priority.",
			.evidence =
				"NET_RX or NET_TX softirqs, or tasks that spend at least 30 "
				"% of their time in them, overlapped waits of slow samples. "
				"Where softirqs are not recorded, a packet rate of the CPU that "
				"our own probes do not explain.",
			.verify = "Packets per second on that CPU fall, and so do these waits.",
			.cure = "Move the flood or the probe to another CPU; limit the sender; "
				"spread packets with RPS or more queues.",
			.cost = "Steering adds a hop for each packet.",
			.needs = (const char *const[]){"trace.recorder",
				"softnet.cpu.*.processed_pkts", NULL},
		},
	.run = run,
};
