/* SPDX-License-Identifier: BSD-2-Clause */
#include <inttypes.h>
#include <stdio.h>

#include "base/units.h"
#include "explain/claims.h"

#define STATE_STOPPED 0x4
#define STATE_TRACED 0x8

static void name_state(struct zh_finding *finding, const struct zh_claims *claims)
{
	uint64_t stopped = 0, asleep = 0;
	size_t i;

	for (i = 0; i < claims->n_culprits; i++) {
		const struct zh_culprit *c = &claims->culprits[i];

		if (c->piece.activity != ZH_ACTIVITY_SLEEP)
			continue;
		if (c->piece.arg & (STATE_STOPPED | STATE_TRACED))
			stopped += c->ns;
		else
			asleep += c->ns;
	}
	if (stopped)
		zh_finding_evidence(finding, "it was stopped (signal or debugger)");
	if (asleep)
		zh_finding_evidence(finding, "it was asleep elsewhere than in receive");
}

static void run(const struct zh_cause *cause, struct zh_explain *ex)
{
	struct zh_claims claims;
	struct zh_finding *finding;

	zh_loss_report(ex, cause);
	finding = zh_cause_report(ex, cause, ZH_POLICY_PEER, ZH_CONFIDENCE_HIGH, &claims);
	if (!finding)
		return;
	if (claims.stage_ns[ZH_STAGE_PEER])
		zh_finding_evidence(finding, "%s between its receive and its send",
			ZH_NS_TEXT(claims.stage_ns[ZH_STAGE_PEER]));
	if (claims.stage_ns[ZH_STAGE_PICK_UP])
		zh_finding_evidence(finding, "%s with the request in its socket, not taken",
			ZH_NS_TEXT(claims.stage_ns[ZH_STAGE_PICK_UP]));
	name_state(finding, &claims);
}

const struct zh_cause zh_cause_late_responder = {
	.rule =
		{
			.id = "late-responder",
			.code = "L19",
			.title = "Late responder",
			.summary = "The request had arrived, but the responding program did not "
				   "answer at once.",
			.why = "The program computed, slept, was stopped or did not wait for "
			       "the socket. The network did its part: looking for a fault "
			       "there is in vain.",
			.evidence = "Time in the responder between receive and send, or with "
				    "the packet in its socket while its thread was asleep or "
				    "stopped and not in receive; lost probes were seen last at its "
				    "socket.",
			.verify = "The peer and pick-up stages fall.",
			.cure = "Look at the responding program (its own locks, timers, "
				"debugger, pauses).",
			.cost = "None for the network.",
			.needs = (const char *const[]){"trace.packets", "trace.recorder", NULL},
		},
	.run = run,
};
