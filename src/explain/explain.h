/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Record → findings. Pure: reads a record, allocates, computes; no I/O, no clock, no privileges.
 * The same record gives the same explanation anywhere.
 *
 * Two kinds of rules, one kind of finding: *checks* judge facts and counter changes; *causes* claim
 * particular nanoseconds of slow samples, or particular lost ones, from the timeline.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "record/record.h"
#include "report/doc.h"

enum zh_severity { ZH_SEVERITY_INFO, ZH_SEVERITY_LOW, ZH_SEVERITY_WARNING, ZH_SEVERITY_CRITICAL };
enum zh_confidence { ZH_CONFIDENCE_LOW, ZH_CONFIDENCE_MEDIUM, ZH_CONFIDENCE_HIGH };
const char *zh_severity_name(enum zh_severity severity);
const char *zh_confidence_name(enum zh_confidence confidence);

#define ZH_EVIDENCE_MAX 10

/* What comes first among findings of the same severity. */
enum zh_weight {
	ZH_WEIGHT_OTHER, /* checks; what other programs and the host do */
	ZH_WEIGHT_FAULT, /* causes that have no business on this path */
	ZH_WEIGHT_LOSS,  /* lost probes */
	ZH_WEIGHT_DEVICE, /* what was asked for: the device under watch */
};

struct zh_finding {
	const struct zh_rule *rule; /* static descriptor: id, kind, cure, cost, remedies */
	enum zh_severity severity;
	enum zh_confidence confidence;
	enum zh_weight weight;
	bool has_attribution;
	uint64_t attributed_ns;  /* of the excess, summed over samples */
	double attributed_share; /* of all excess; of a loss cause: of all lost probes */
	uint64_t samples;
	char summary[240];
	char *evidence[ZH_EVIDENCE_MAX + 1]; /* owned, NULL-terminated */
};

/* What a rule has to do with the way of a packet (zh_rule.way). */
enum zh_way_flag {
	ZH_WAY_SHOWN = 1,     /* `zerohop path` shows its findings */
	ZH_WAY_JUDGES = 2,    /* and a warning of it is a finding of the way (exit status 1) */
	ZH_WAY_LO_ONLY = 4,   /* only if a way uses lo, or should */
	ZH_WAY_NAME_ONLY = 8, /* only if the target is a name */
};

/*
 * What a rule (check or cause) says about itself; `zerohop explain ID`, the manual and the findings
 * print it. ids are kebab-case and unique over checks and causes.
 */
struct zh_rule {
	const char *id;              /* "run-queue-wait" */
	const char *code;            /* "L12", "D2", or the number of the check family "C12" */
	const char *title;           /* "Run-queue wait" */
	const char *summary;         /* one sentence: what it is */
	const char *why;             /* a paragraph: how it makes traffic slow or lossy */
	const char *evidence;        /* a paragraph: what identifies it, what must be ruled out */
	const char *verify;          /* how to confirm the cure worked */
	const char *cure;            /* a sentence */
	const char *cost;            /* a sentence: what the cure costs */
	const char *const *remedies; /* knob ids, NULL-terminated; may be NULL */
	const char *const
		*needs;   /* fact key patterns or trace parts ("trace.packets"), NULL-terminated */
	unsigned int way; /* enum zh_way_flag; 0: nothing */
	/* Rules that say the same about this very flow: with one of them found, path leaves this
	 * one out. NULL-terminated; may be NULL. */
	const char *const *told_by;
};

struct zh_explain; /* working state, explain/internal.h */

struct zh_check {
	struct zh_rule rule;
	/* Looks at facts (before, after, deltas) and the probes' results; adds findings. */
	void (*run)(const struct zh_check *check, struct zh_explain *ex);
};

struct zh_cause {
	struct zh_rule rule;
	/* Looks at the timelines; adds at most a few findings. */
	void (*run)(const struct zh_cause *cause, struct zh_explain *ex);
};

extern const struct zh_check *const zh_check_registry[];
extern const struct zh_cause *const zh_cause_registry[];

struct zh_rtt {               /* ns; all 0 when count is 0 */
	uint64_t count, lost; /* answered; lost (also send failures) */
	uint64_t min_ns, mean_ns, p50_ns, p90_ns, p99_ns, p999_ns, max_ns, stddev_ns;
};

struct zh_explanation {
	struct zh_rtt rtt;        /* all phases of the main target outside the clean room */
	struct zh_rtt *phase_rtt; /* one a phase of the record */
	struct zh_rtt kernel_rtt; /* by the kernel's receive stamp; count 0: none */
	struct {
		uint64_t threshold_ns, count;
		uint64_t period_ns; /* 0: no significant period */
		double period_samples;
		double p_value; /* 1 when not tested */
	} spikes;
	struct zh_stage_row {
		const char *id, *title; /* static */
		uint64_t count, p50_ns, p99_ns, slow_p50_ns;
		double slow_share; /* share of the slow samples' RTT spent here */
	} * stages;
	size_t n_stages;
	struct zh_phase_stages *phase_stages; /* one a phase: explain/stage-phases.h */
	struct zh_finding *findings;          /* ranked: severity, weight, attributed time */
	size_t n_findings;
	double unexplained_share; /* of the excess; < 0: nothing to explain */
	uint64_t excess_ns, unexplained_ns;
	uint64_t minor_ns; /* of the excess: by causes that weigh too little to be findings */
	size_t n_slow;     /* samples whose round trip was explained */
	size_t n_late;     /* samples whose late send was explained */
	/* the worst explained samples, for the timeline in reports */
	struct zh_timeline *timelines;
	size_t n_timelines;
};

int zh_explain(const struct zh_record *record, struct zh_explanation **ret, struct zh_err *err);
struct zh_explanation *zh_explanation_free(struct zh_explanation *explanation);

/* "healthy", "findings" (any of warning or above, or loss), "inconclusive" (too few answers, or the
 * parts that would tell were not measured). */
const char *zh_explanation_verdict(
	const struct zh_explanation *explanation, const struct zh_record *record);

/* Adds the contract's keys to a document node (doctor and ping share them). */
void zh_explanation_describe(const struct zh_explanation *explanation,
	const struct zh_record *record, struct zh_node *node);
void zh_rtt_describe(const struct zh_rtt *rtt, struct zh_node *node);

/* Documentation of the stages, in order, ended by a NULL id (explain/stage.h has the ids). */
extern const struct zh_rule zh_stage_rules[];

/* The rule with that id among checks, causes and stages, or NULL. */
const struct zh_rule *zh_rule_find(const char *id);
