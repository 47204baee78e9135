/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Findings of lost probes. Loss on a local path is never normal: one lost probe with a known reason
 * is a warning, one in a hundred (and at least three) critical. A loss without any trace warns only
 * from three on, or one in a hundred: a single reply may have missed its timeout while the host
 * stood still.
 */
#include <inttypes.h>
#include <stdio.h>

#include "base/util.h"
#include "explain/attribution.h"
#include "explain/causes.h"
#include "explain/loss.h"
#include "explain/stage.h"

#define CRITICAL_SHARE 0.01
#define UNKNOWN_SHARE 0.01

struct tally {
	uint64_t n, by[ZH_LOSS_BY_NOTHING + 1];
	const struct zh_loss *first[ZH_LOSS_BY_NOTHING + 1];
};

static void count(const struct zh_losses *losses, const struct zh_cause *cause, struct tally *t)
{
	size_t i;

	for (i = 0; i < losses->n; i++) {
		const struct zh_loss *loss = &losses->list[i];

		if (loss->cause != cause)
			continue;
		t->n++;
		t->by[loss->evidence]++;
		if (!t->first[loss->evidence])
			t->first[loss->evidence] = loss;
	}
}

static enum zh_severity severity_of(uint64_t lost, uint64_t sent, const struct zh_cause *cause)
{
	double share = (double)lost / (double)ZH_MAX(sent, (uint64_t)1);

	if (cause == &zh_cause_unspecified_drop && lost < 3 && share < UNKNOWN_SHARE)
		return ZH_SEVERITY_LOW;
	return lost >= 3 && share >= CRITICAL_SHARE ? ZH_SEVERITY_CRITICAL : ZH_SEVERITY_WARNING;
}

static enum zh_confidence confidence_of(const struct tally *t)
{
	if (t->by[ZH_LOSS_BY_ERROR] + t->by[ZH_LOSS_BY_REASON] >= t->n / 2 + 1)
		return ZH_CONFIDENCE_HIGH;
	if (t->by[ZH_LOSS_BY_REFUSAL] >= t->n / 2 + 1)
		return ZH_CONFIDENCE_HIGH;
	return t->by[ZH_LOSS_BY_NOTHING] ? ZH_CONFIDENCE_LOW : ZH_CONFIDENCE_MEDIUM;
}

static void add_evidence(struct zh_finding *finding, const struct tally *t)
{
	const struct zh_loss *const *first = t->first;

	if (first[ZH_LOSS_BY_ERROR])
		zh_finding_evidence(finding, "send failed for %" PRIu64 " probes: %s",
			t->by[ZH_LOSS_BY_ERROR], first[ZH_LOSS_BY_ERROR]->detail);
	if (first[ZH_LOSS_BY_REASON])
		zh_finding_evidence(finding,
			"the kernel dropped %" PRIu64 " of our packets with reason %s",
			t->by[ZH_LOSS_BY_REASON], first[ZH_LOSS_BY_REASON]->detail);
	if (first[ZH_LOSS_BY_STAMP])
		zh_finding_evidence(finding, "%" PRIu64 " probes were seen last at %s",
			t->by[ZH_LOSS_BY_STAMP], first[ZH_LOSS_BY_STAMP]->detail);
	if (first[ZH_LOSS_BY_COUNTER] && first[ZH_LOSS_BY_COUNTER]->arg)
		zh_finding_evidence(finding,
			"no drop event for %" PRIu64 " probes, but %s moved by %" PRIu32,
			t->by[ZH_LOSS_BY_COUNTER], first[ZH_LOSS_BY_COUNTER]->detail,
			first[ZH_LOSS_BY_COUNTER]->arg);
	else if (first[ZH_LOSS_BY_COUNTER])
		zh_finding_evidence(finding, "no drop event for %" PRIu64 " probes, but %s",
			t->by[ZH_LOSS_BY_COUNTER], first[ZH_LOSS_BY_COUNTER]->detail);
	if (first[ZH_LOSS_BY_REFUSAL])
		zh_finding_evidence(finding, "instead of a reply to %" PRIu64 " probes came: %s",
			t->by[ZH_LOSS_BY_REFUSAL], first[ZH_LOSS_BY_REFUSAL]->detail);
	if (first[ZH_LOSS_BY_SILENCE])
		zh_finding_evidence(finding,
			"no drop event and no counter that moved for %" PRIu64
			" probes: the service got them and sent nothing back",
			t->by[ZH_LOSS_BY_SILENCE]);
	if (first[ZH_LOSS_BY_NOTHING])
		zh_finding_evidence(finding,
			"no drop event and no counter that moved for %" PRIu64 " probes",
			t->by[ZH_LOSS_BY_NOTHING]);
}

/* What happened, in a few words: most often the cause's title. */
static const char *name_of(const struct zh_cause *cause, const struct tally *t)
{
	if (cause == &zh_cause_unspecified_drop && t->by[ZH_LOSS_BY_REFUSAL] * 2 > t->n)
		return "The peer refused";
	if (cause == &zh_cause_unspecified_drop && t->by[ZH_LOSS_BY_SILENCE] * 2 > t->n)
		return "The service does not answer probes (it must echo what it gets)";
	return cause->rule.title;
}

struct zh_finding *zh_loss_report(struct zh_explain *ex, const struct zh_cause *cause)
{
	const struct zh_losses *losses = &ex->attribution->losses;
	uint64_t sent = ex->attribution->n_samples + losses->n;
	struct tally t = {0};
	struct zh_finding *finding;

	count(losses, cause, &t);
	if (!t.n)
		return NULL;
	finding = zh_finding_add(ex, &cause->rule, severity_of(t.n, sent, cause), confidence_of(&t),
		"%s: %" PRIu64 " of %" PRIu64 " probes lost", name_of(cause, &t), t.n, sent);
	if (!finding)
		return NULL;
	finding->has_attribution = true;
	finding->weight = ZH_WEIGHT_LOSS;
	finding->attributed_share = (double)t.n / (double)losses->n;
	finding->samples = t.n;
	add_evidence(finding, &t);
	return finding;
}
