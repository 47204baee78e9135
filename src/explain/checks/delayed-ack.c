/* SPDX-License-Identifier: BSD-2-Clause */
#include "explain/checks/support.h"

/* TCP_DELACK_MIN is HZ / 25, 40 ms on all HZ; the timer is late by up to two ticks. */
#define DELACK_MIN_NS (38 * ZH_NSEC_PER_MSEC)
#define DELACK_MAX_NS (56 * ZH_NSEC_PER_MSEC)
#define MIN_SAMPLES 5

static void run(const struct zh_check *check, struct zh_explain *ex)
{
	const struct zh_record *record = ex->record;
	uint64_t answered = 0, stalled = 0, acks = zh_check_delta(ex, "netstat.TcpExt.DelayedACKs");
	struct zh_finding *finding;
	size_t i, k;

	for (i = 0; i < record->n_phases; i++) {
		const struct zh_phase *phase = &record->phases[i];

		if (phase->transport != ZH_TRANSPORT_TCP)
			continue;
		for (k = phase->first; k < phase->first + phase->n && k < record->n_samples; k++) {
			uint64_t rtt = zh_sample_rtt(&record->samples[k]);

			if (!zh_sample_answered(&record->samples[k]))
				continue;
			answered++;
			stalled += rtt >= DELACK_MIN_NS && rtt <= DELACK_MAX_NS;
		}
	}
	if (stalled < MIN_SAMPLES || stalled * 20 < answered || acks * 2 < stalled)
		return;
	finding = zh_finding_add(ex, &check->rule, ZH_SEVERITY_WARNING, ZH_CONFIDENCE_HIGH,
		"%llu of %llu TCP replies took the 40 ms of a delayed ACK",
		(unsigned long long)stalled, (unsigned long long)answered);
	zh_finding_evidence(finding, "%llu replies between %llu and %llu ms",
		(unsigned long long)stalled, (unsigned long long)(DELACK_MIN_NS / ZH_NSEC_PER_MSEC),
		(unsigned long long)(DELACK_MAX_NS / ZH_NSEC_PER_MSEC));
	zh_finding_evidence(finding, "TcpExt DelayedACKs +%llu in %.1f s", (unsigned long long)acks,
		zh_check_window_s(ex));
}

const struct zh_check zh_check_delayed_ack = {
	.rule =
		{
			.id = "delayed-ack",
			.code = "C6",
			.title = "Nagle's algorithm waits for a delayed ACK",
			.summary = "TCP replies cluster at 40 ms, the delayed-ACK timer, and "
				   "DelayedACKs counts them.",
			.why = "A sender that writes a message in two small pieces without "
			       "TCP_NODELAY holds the second back until the first is acknowledged; "
			       "the receiver, waiting for the rest, delays that ACK by "
			       "TCP_DELACK_MIN (40 ms). A short RTT makes it worse: the local agent "
			       "is slower than a remote one.",
			.evidence = "Replies between 38 and 56 ms and at least half as many "
				    "TcpExt DelayedACKs. `ss -tni` of the socket shows ato:40. A "
				    "scheduling delay has no such mode.",
			.verify = "The 40 ms mode is gone from the histogram.",
			.cure = "Set TCP_NODELAY on the sender, or write each message at once "
				"(writev, TCP_CORK); `quickack 1` on the route where the program "
				"cannot be changed.",
			.cost = "More small packets when the program really writes in pieces.",
			.remedies = ZH_LIST("tcp-nodelay", "route-quickack"),
			.needs = ZH_LIST("netstat.TcpExt.*"),
		},
	.run = run,
};
