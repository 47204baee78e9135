/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What one cause claims over all explained samples, added up for its finding.
 */
#pragma once

#include "explain/attribution.h"

#define ZH_CULPRITS_MAX 12

/*
 * How surprising a cause is on a healthy machine decides how much it must weigh to be a warning;
 * policy.c is the one place that decides severity.
 */
enum zh_policy {
	ZH_POLICY_FAULT,  /* a setting or fault that has no business on this path */
	ZH_POLICY_PEER,   /* the responding program takes its time */
	ZH_POLICY_SHARED, /* what other programs do on any shared machine */
	ZH_POLICY_IDLE,   /* cost of idle CPUs, which every quiet machine pays */
	ZH_POLICY_HOST,   /* what the host does: never above low, nothing here can cure it */
	ZH_POLICY_MAX
};

/* Somebody or something that was in the way. */
struct zh_culprit {
	struct zh_piece piece; /* its name, class and where it was seen first */
	uint64_t ns;           /* claimed, over all samples */
	uint64_t max_ns;       /* longest in one sample */
	uint32_t samples;
	uint32_t last_sample; /* for counting */
	uint64_t last_ns;
};

struct zh_claims {
	const struct zh_cause *cause;
	uint64_t ns, max_ns, median_ns; /* over all; per sample */
	uint64_t samples;
	uint64_t big_samples;              /* with at least a millisecond */
	uint64_t hits[ZH_POLICY_MAX];      /* samples with at least the policy's effect */
	uint64_t late_hits[ZH_POLICY_MAX]; /* of these: only sent late, round trip not slower */
	uint64_t critical_samples;         /* samples with at least the critical effect */
	uint64_t late_ns;                  /* part of ns that lies before sends */
	uint64_t rt_ns, unmeasured_ns;     /* by real-time tasks; without events */
	uint64_t stage_ns[ZH_STAGE_MAX];
	double share;                                /* of all excess */
	struct zh_culprit culprits[ZH_CULPRITS_MAX]; /* most time first */
	size_t n_culprits;
	uint32_t worst_sample; /* index into the record's samples */
};

/*
 * Below this share of the excess, and this much in any one sample, a claim is no finding: it goes
 * into out->minor_ns.
 */
#define ZH_CLAIM_SHARE_MIN 0.01
#define ZH_CLAIM_SAMPLE_MIN_NS 100000ull

/* False when the cause claims nothing or too little, or memory is out. */
bool zh_claims_collect(struct zh_explain *ex, const struct zh_cause *cause, struct zh_claims *ret);

enum zh_severity zh_policy_severity(
	const struct zh_explain *ex, const struct zh_claims *claims, enum zh_policy policy);

/* What a sample must lose to count for a policy, and for being critical. */
uint64_t zh_policy_effect_ns(enum zh_policy policy);
#define ZH_POLICY_CRITICAL_NS 10000000ull
/* A fault with a smaller share of the excess does not go ahead of what others do. */
#define ZH_FAULT_SHARE_MIN 0.25

/* Adds the finding with its severity by that policy, its attribution and the usual evidence (how
 * many samples, median, max). */
struct zh_finding *zh_claims_finding(struct zh_explain *ex, const struct zh_claims *claims,
	enum zh_policy policy, enum zh_confidence confidence, const char *fmt, ...)
	__attribute__((format(printf, 5, 6)));

/* One evidence line a culprit: name, share of the claim, samples, longest, CPU. */
void zh_claims_name_culprits(
	struct zh_finding *finding, const struct zh_claims *claims, const char *verb, size_t max);

/* The usual life of a cause: collect, judge, add a finding with culprits. Returns the finding, or
 * NULL when there is nothing to claim. `what` completes "N of M samples waited ... <what>". */
struct zh_finding *zh_cause_report(struct zh_explain *ex, const struct zh_cause *cause,
	enum zh_policy policy, enum zh_confidence confidence, struct zh_claims *ret_claims);

/* Duration as text, for printf; the buffer is the caller's (at least 24 bytes). */
#define ZH_NS_TEXT(ns) zh_format_ns((char[24]){0}, 24, ns)
