/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What rules (checks and causes) see while a record is explained, and how they add findings.
 *
 * Order of work: RTT figures (out->rtt, out->phase_rtt, out->spikes), timelines and attribution,
 * then every cause, then every check. A rule may read everything that earlier steps produced.
 * Allocation failure sets `failed`; helpers then return NULL or do nothing, and zh_explain() fails
 * as a whole, so rules need no checks of their own.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "explain/explain.h"

struct zh_attribution;

struct zh_explain {
	const struct zh_record *record;
	struct zh_explanation *out; /* rtt, phase_rtt and spikes are set before any rule runs */
	struct zh_attribution *attribution; /* attribution.h; set before any rule runs */
	bool *main_phase; /* [record->n_phases] same target as the first phase, no clean room */
	struct zh_finding **found; /* in the order they were added */
	size_t n_found, size_found;
	bool failed;
};

/*
 * Adds a finding of `rule` with a printf-style summary (one sentence with a number in it, no full
 * stop needed). The pointer stays valid until zh_explain() returns; NULL when out of memory, which
 * zh_finding_evidence() accepts.
 */
struct zh_finding *zh_finding_add(struct zh_explain *ex, const struct zh_rule *rule,
	enum zh_severity severity, enum zh_confidence confidence, const char *fmt, ...)
	__attribute__((format(printf, 5, 6)));

/* One more sentence of evidence; beyond ZH_EVIDENCE_MAX sentences it is dropped. */
void zh_finding_evidence(struct zh_finding *finding, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

/* Facts: the snapshot after the run, or the one before where the later one lacks the key. */
bool zh_explain_number(const struct zh_explain *ex, uint64_t *ret, const char *key, ...)
	__attribute__((format(printf, 3, 4)));
const char *zh_explain_text(const struct zh_explain *ex, const char *key, ...)
	__attribute__((format(printf, 2, 3)));
/* The snapshot to iterate over with zh_fact_next(): after, or before when there is no after. */
const struct zh_fact_set *zh_explain_facts(const struct zh_explain *ex);

/* Change of a counter over the run; false when one of the snapshots lacks it. */
bool zh_explain_delta(const struct zh_explain *ex, uint64_t *ret, const char *key, ...)
	__attribute__((format(printf, 3, 4)));
/* Sum of the changes of all keys that match the pattern ("softnet.cpu.*.dropped"). */
bool zh_explain_delta_sum(const struct zh_explain *ex, const char *pattern, uint64_t *ret);

/* RTT of the first phase with that label ("main", "gap-200ms", "clean-room"); NULL: no such phase
 * or nothing answered in it. */
const struct zh_rtt *zh_explain_phase_rtt(const struct zh_explain *ex, const char *label);
/* RTT of the first phase that ran in a fresh namespace; NULL as above. */
const struct zh_rtt *zh_explain_clean_room_rtt(const struct zh_explain *ex);
/* Probes of the main target sent (without warm-up), and those never answered. */
uint64_t zh_explain_sent(const struct zh_explain *ex);
uint64_t zh_explain_lost(const struct zh_explain *ex);

/* Seconds between the first send and the end of probing; at least a millisecond. */
double zh_explain_seconds(const struct zh_explain *ex);
