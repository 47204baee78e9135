/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The score of the diagnosis: each fault and its control are run n times in random order, and what
 * the program named is compared with what was injected.
 *
 * A run is a child process that enters the lab's namespace, measures (session) and explains. The
 * cause it names is its first finding of severity warning or above. A finding of that severity in a
 * control is false, whatever it says.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "lab/lab.h"
#include "report/doc.h"

#define ZH_SCORE_ID_LEN 48
#define ZH_SCORE_NAMED 8

struct zh_score_config {
	unsigned int n;    /* runs of each fault, and of its control */
	const char *fault; /* only this id; NULL: all */
	bool controls;
	uint64_t seed;        /* of order and parameters; 0: drawn */
	const char *keep_dir; /* every run's record is saved there (ID.fault.3.zhr); NULL: not */
	bool (*stop)(void *arg);
	/* Run number `done` (from 0) of `total` begins. */
	void (*progress)(void *arg, const char *what, unsigned int done, unsigned int total);
	void *arg;
};

/* What one run gave; small enough for one write to a pipe. */
struct zh_score_result {
	int status; /* 0, or why it could not be measured (negative errno) */
	char why[256];
	unsigned int n_findings; /* of severity warning or above */
	struct {
		char id[ZH_SCORE_ID_LEN];
		double attributed_share; /* < 0: the finding has none */
	} named[ZH_SCORE_NAMED];         /* the first of them, as ranked */
	double unexplained_share;        /* < 0: nothing to explain */
	uint64_t p50_ns, max_ns, count, lost;
	double foreign_cpus; /* CPUs' worth of time that others used meanwhile */
};

/* A run during which others used more than this is disturbed. */
#define ZH_SCORE_DISTURBED 0.15

struct zh_score_name {
	char id[ZH_SCORE_ID_LEN];
	unsigned int runs;
};

/* One fault, or one control, over all its runs. */
struct zh_score_row {
	const struct zh_fault *fault;
	bool control;
	unsigned int runs;        /* that gave an answer */
	unsigned int disturbed;   /* of them, while others were busy */
	unsigned int failed;      /* that could not be done; why holds the last reason */
	unsigned int correct;     /* the right cause came first */
	unsigned int n_false;     /* controls: findings of severity warning or above */
	double attributed_share;  /* median over the correct runs; < 0: none */
	double unexplained_share; /* median; < 0: none */
	struct zh_score_name named[ZH_SCORE_NAMED]; /* what came first (controls: all), by runs */
	size_t n_named;
	char why[256];
	double *attributed, *unexplained; /* of each run, sorted; owned */
	size_t n_attributed, n_unexplained;
};

struct zh_score {
	uint64_t seed;
	struct zh_score_row *faults, *controls; /* owned, in registry order */
	size_t n_faults, n_controls;
	bool interrupted;
};

/* Needs root. On success (also when stopped early) the caller frees *ret. -EINVAL: no such fault.
 */
int zh_lab_score(const struct zh_score_config *config, struct zh_score **ret, struct zh_err *err);
struct zh_score *zh_score_free(struct zh_score *score);

/* Right runs / runs of all faults; < 0 when none ran. */
double zh_score_recall(const struct zh_score *score);
/* Findings of severity warning or above in controls. */
unsigned int zh_score_controls_false(const struct zh_score *score);
/* Every fault named right in every run, every control silent, and all of them ran. */
bool zh_score_is_perfect(const struct zh_score *score);

/* `faults`, `controls`, `recall`, `controls_false`, `seed`: tables and JSON. */
void zh_score_describe(const struct zh_score *score, struct zh_node *node);

/* Takes one result into its row; used by zh_lab_score() and by tests. */
void zh_score_add(struct zh_score_row *row, const struct zh_score_result *result);

/* One run: injects, measures in a child, removes; again (twice at most) when it was disturbed.
 * Never fails: the result says why it could not. */
void zh_lab_run_once(const struct zh_fault *fault, bool control, uint64_t seed,
	const char *record_path, struct zh_score_result *ret);
