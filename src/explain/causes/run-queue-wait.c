/* SPDX-License-Identifier: BSD-2-Clause */
#include <inttypes.h>
#include <stdio.h>

#include "base/units.h"
#include "explain/claims.h"

/* A real-time task in the way is a fault; ordinary tasks are what a shared machine has. */
static enum zh_policy policy_of(const struct zh_claims *claims)
{
	return 2 * claims->rt_ns >= claims->ns ? ZH_POLICY_FAULT : ZH_POLICY_SHARED;
}

/* The wait ended with a timer tick: nobody preempted the running task before. */
static bool ended_by_tick(
	const struct zh_explain *ex, const struct zh_timeline *tl, uint64_t end_ns)
{
	const struct zh_ticks *ticks = &ex->attribution->ticks;
	uint64_t since = (end_ns + ticks->period_ns - ticks->phase_ns) % ticks->period_ns;

	(void)tl;
	return ticks->phase_known && since < 300000;
}

struct ways {
	uint64_t waker, tick, alone;
};

/* How the waits came about: behind the waker itself; until a tick; on the only CPU allowed. */
static void add_ways(const struct zh_explain *ex, const struct zh_timeline *tl,
	const struct zh_cause *cause, struct ways *ways)
{
	const struct zh_phase *phase =
		zh_timeline_phase(ex->record, &ex->record->samples[tl->sample]);
	size_t i, k;

	for (i = 0; i < tl->n_segments; i++) {
		const struct zh_segment *seg = &tl->segments[i];
		uint64_t ns = 0;

		for (k = seg->first_piece; k < seg->first_piece + seg->n_pieces; k++) {
			const struct zh_piece *piece = &tl->pieces[k];

			if (piece->cause != cause)
				continue;
			ns += piece->claimed_ns;
			if (piece->pid && (piece->pid == phase->prober_pid ||
						  piece->pid == phase->responder_pid))
				ways->waker += piece->claimed_ns;
		}
		if (ns >= 1000000 && ended_by_tick(ex, tl, seg->to_ns))
			ways->tick += ns;
	}
}

static void explain_ways(struct zh_explain *ex, const struct zh_cause *cause,
	const struct zh_claims *claims, struct zh_finding *finding)
{
	const struct zh_attribution *a = ex->attribution;
	struct ways ways = {0};
	size_t i;

	for (i = 0; i < a->n_slow; i++)
		add_ways(ex, &a->slow[i], cause, &ways);
	if (ways.waker * 5 > claims->ns)
		zh_finding_evidence(finding,
			"%.0f %% of it behind the other end of the probe: both share a CPU",
			100 * (double)ways.waker / (double)claims->ns);
	if (ways.tick * 5 > claims->ns)
		zh_finding_evidence(finding,
			"%.0f %% of it ended with a timer tick: the running task was not "
			"preempted "
			"before",
			100 * (double)ways.tick / (double)claims->ns);
	if (claims->rt_ns * 5 > claims->ns)
		zh_finding_evidence(finding,
			"%.0f %% of it while tasks of a real-time class ran, which nothing "
			"preempts",
			100 * (double)claims->rt_ns / (double)claims->ns);
}

static void run(const struct zh_cause *cause, struct zh_explain *ex)
{
	struct zh_claims claims;
	struct zh_finding *finding;
	char name[64];

	if (!zh_claims_collect(ex, cause, &claims))
		return;
	finding = zh_claims_finding(ex, &claims, policy_of(&claims), ZH_CONFIDENCE_HIGH,
		"Waited for a CPU while %s ran: %" PRIu64 " of %" PRIu64
		" samples, median %s, %s at most",
		zh_piece_name(&claims.culprits[0].piece, name, sizeof(name)), claims.samples,
		ex->attribution->n_samples, ZH_NS_TEXT(claims.median_ns),
		ZH_NS_TEXT(claims.max_ns));
	zh_claims_name_culprits(finding, &claims, "ran", 4);
	explain_ways(ex, cause, &claims, finding);
	if (claims.late_ns)
		zh_finding_evidence(finding,
			"%s of it delayed probes before they were sent, so no RTT shows it",
			ZH_NS_TEXT(claims.late_ns));
	if (2 * claims.unmeasured_ns > claims.ns && finding) {
		finding->confidence = ZH_CONFIDENCE_MEDIUM;
		zh_finding_evidence(finding,
			"no events were kept for most of these waits: known is "
			"only who ran last");
	}
}

const struct zh_cause zh_cause_run_queue_wait = {
	.rule =
		{
			.id = "run-queue-wait",
			.code = "L12",
			.title = "Run-queue wait",
			.summary = "A thread of the path was runnable and waited while other "
				   "tasks had its CPU.",
			.why = "The packet has arrived, or the program wants to send, but the "
			       "scheduler runs something else. Real-time tasks run for as long "
			       "as they like; a fair task may keep its slice until the next "
			       "timer tick; a thread bound to one CPU waits even if others are "
			       "idle.",
			.evidence = "Time between the wake-up and the switch to the thread, or "
				    "after a preemption, on a CPU that ran the tasks named here; "
				    "their interrupts and throttling are counted elsewhere. CFS "
				    "throttling looks alike in the kernel's run_delay and is kept "
				    "apart here.",
			.verify = "The run-queue stage falls; the tasks named no longer overlap "
				  "waits.",
			.cure = "Move the tasks named to other CPUs (cpuset, affinity), lower "
				"their priority, or raise that of the thread that waits.",
			.cost = "The moved task competes elsewhere; a real-time priority for "
				"the receiver can starve others.",
			.needs = (const char *const[]){"trace.packets", "trace.recorder", NULL},
		},
	.run = run,
};
